// SPDX-License-Identifier: Apache-2.0
#include "metadata_changes.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

#include <kube/base/join.hpp>
#include <kube/codec/nested.hpp>
#include <kube/names/go_text.hpp>
#include <kube/names/validation.hpp>

namespace kubecpp {
namespace {

using kube::Error;
using kube::ErrorCode;
using kube::Result;
namespace json = kube::json;

constexpr std::string_view kChangeCause = "kubernetes.io/change-cause";

Error wrong_change(const std::string& text) {
  return {ErrorCode::InvalidArgument, text};
}

// Whether the word is a change, rather than a resource or a name. "=x" and "-" are not.
bool is_change(const std::string& word) {
  const std::size_t equals = word.find('=');
  return (equals != std::string::npos && equals > 0) || (word.ends_with('-') && word != "-");
}

Result<void> add_change(const std::string& word, MetadataChanges& changes) {
  const std::size_t equals = word.find('=');
  if (equals == std::string::npos) {
    changes.removed.push_back(word.substr(0, word.size() - 1));
    return {};
  }
  const std::string value = word.substr(equals + 1);
  if (changes.field == MetadataField::Labels) {
    if (value.find('=') != std::string::npos) return wrong_change("invalid label spec: " + word);
    const auto problems = kube::meta::validate_label_value(value);
    if (!problems.empty()) {
      return wrong_change("invalid label value: " + kube::go::quote(word) + ": " +
                          kube::join(problems, ";"));
    }
  }
  changes.values[word.substr(0, equals)] = value;
  return {};
}

// The errors of values that may not become others.
Result<void> check_kept(const kube::labels::Set& old, const MetadataChanges& changes) {
  const bool labels = changes.field == MetadataField::Labels;
  std::vector<std::string> kept;
  for (const auto& [key, value] : changes.values) {
    const auto found = old.find(key);
    if (found == old.end() || found->second == value) continue;
    if (!labels && key == kChangeCause) continue;
    const std::string text = "'" + key + "' already has a value (" + found->second + ")";
    kept.push_back(labels ? text + ", and --overwrite is false" : text);
  }
  if (kept.empty()) return {};
  if (labels) return Error(ErrorCode::Config, kube::join(kept, "\n"));
  return Error(ErrorCode::Config,
               "--overwrite is false but found the following declared annotation(s): " +
                   kube::join(kept, "; "));
}

}  // namespace

Result<MetadataWords> parse_metadata_words(const std::vector<std::string>& words,
                                           MetadataField field) {
  MetadataWords result;
  result.changes.field = field;
  const bool labels = field == MetadataField::Labels;
  const auto first = std::ranges::find_if(words, is_change);
  const auto wrong = std::find_if_not(first, words.end(), is_change);
  if (wrong != words.end()) {
    return wrong_change("all resources must be specified before " +
                        std::string(labels ? "label" : "annotation") + " changes: " + *wrong);
  }
  result.targets.assign(words.begin(), first);
  for (auto word = first; word != words.end(); ++word) {
    if (auto added = add_change(*word, result.changes); !added) return added.error();
  }
  if (!labels) return result;
  if (auto checked = check_removed(result.changes); !checked) return checked.error();
  return result;
}

Result<void> check_removed(const MetadataChanges& changes) {
  std::vector<std::string> both;
  std::ranges::copy_if(changes.removed, std::back_inserter(both),
                       [&](const std::string& key) { return changes.values.contains(key); });
  if (both.empty()) return {};
  if (changes.field == MetadataField::Labels)
    return wrong_change("can not both modify and remove a label in the same command");
  return wrong_change(
      "can not both modify and remove the following annotation(s) in the same command: " +
      kube::join(both, ", "));
}

Result<ChangedMetadata> change_metadata(kube::Unstructured& object, const MetadataChanges& changes,
                                        bool overwrite) {
  kube::labels::Set values = metadata_of(object, changes.field);
  if (!overwrite) {
    if (auto kept = check_kept(values, changes); !kept) return kept.error();
  }
  ChangedMetadata changed;
  for (const auto& [key, value] : changes.values) {
    const auto [place, is_new] = values.try_emplace(key, value);
    changed.added = changed.added || is_new || place->second != value;
    place->second = value;
  }
  for (const std::string& key : changes.removed) {
    if (values.erase(key) > 0) changed.removed = true;
  }
  json::Object members;
  for (const auto& [key, value] : values) members.set(key, value);
  // Also without members, as kubectl prints it.
  const bool labels = changes.field == MetadataField::Labels;
  auto set = kube::set_nested_field(object.content, std::move(members),
                                    {"metadata", labels ? "labels" : "annotations"});
  if (!set) return set.error();
  return changed;
}

kube::labels::Set metadata_of(const kube::Unstructured& object, MetadataField field) {
  return field == MetadataField::Labels ? object.labels() : object.annotations();
}

}  // namespace kubecpp

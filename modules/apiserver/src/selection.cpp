// SPDX-License-Identifier: Apache-2.0
#include "selection.hpp"

#include <algorithm>

#include <kube/meta/fields.hpp>

#include "errors.hpp"

namespace kube::apiserver {
namespace {

// The reason names what it could not read, which may be as long as a request's head.
Error bad_selector(std::string_view why) {
  constexpr std::size_t most = 1024;
  if (why.size() <= most) return meta::bad_request_error(why);
  std::size_t end = most;
  // Not in the middle of a character.
  while (end > 0 && (static_cast<unsigned char>(why[end]) & 0xc0U) == 0x80U) --end;
  return meta::bad_request_error(std::string(why.substr(0, end)) + " ...");
}

}  // namespace

Result<Selection> Selection::make(const Resource& resource, std::string_view label_selector,
                                  std::string_view field_selector) {
  Selection out;
  if (!label_selector.empty()) {
    auto labels = labels::parse(label_selector);
    if (!labels) return bad_selector(labels.error().message());
    out.labels_ = *std::move(labels);
  }
  if (field_selector.empty()) return out;
  auto fields = fields::parse(field_selector);
  if (!fields) return bad_selector(fields.error().message());
  for (const fields::Requirement& requirement : fields->requirements()) {
    Term term{Source::Field, 0, requirement.equals, requirement.value};
    if (requirement.field == "metadata.name") {
      term.source = Source::Name;
    } else if (requirement.field == "metadata.namespace") {
      term.source = Source::Namespace;
    } else {
      const auto known =
          std::ranges::find(resource.fields, requirement.field, &SelectableField::label);
      if (known == resource.fields.end()) {
        return bad_selector("field label not supported: " + requirement.field);
      }
      term.field = known->value;
    }
    out.terms_.push_back(std::move(term));
  }
  return out;
}

bool Selection::matches(const StoredObject& object) const {
  for (const Term& term : terms_) {
    std::string_view value;
    switch (term.source) {
      case Source::Name:
        value = object.name;
        break;
      case Source::Namespace:
        value = object.namespace_;
        break;
      case Source::Field:
        // A custom resource may have been stored before its definition named the field.
        if (term.field < object.fields.size()) value = object.fields[term.field];
        break;
    }
    if ((value == term.value) != term.equals) return false;
  }
  if (labels_.empty()) return true;
  const auto lookup = [&object](std::string_view key) -> std::optional<std::string_view> {
    for (const auto& [name, value] : object.labels) {
      if (name == key) return value;
    }
    return std::nullopt;
  };
  return labels_.matches(labels::Lookup(lookup));
}

std::optional<std::string> Selection::required(Source source) const {
  for (const Term& term : terms_) {
    if (term.source == source && term.equals) return term.value;
  }
  return std::nullopt;
}

std::optional<std::string> Selection::required_name() const {
  return required(Source::Name);
}

std::optional<std::string> Selection::required_namespace() const {
  return required(Source::Namespace);
}

}  // namespace kube::apiserver

// SPDX-License-Identifier: Apache-2.0
#include "storage/borrowed_object.hpp"

#include <algorithm>
#include <charconv>
#include <stdexcept>
#include <utility>

#include <kube/codec/transcode.hpp>
#include <kube/codec/wire.hpp>
#include <kube/json/object_members.hpp>

namespace kube::serving {
namespace {

// Numbers of fields, in every kind and in ObjectMeta.
constexpr std::uint32_t kMetadataField = 1;
constexpr std::uint32_t kVersionField = 6;
constexpr std::uint32_t kLabelsField = 11;

Result<void> set_version(std::string_view digits, StoredObject& object) {
  const char* const end = digits.data() + digits.size();
  const auto read = std::from_chars(digits.data(), end, object.revision);
  if (read.ec == std::errc{} && read.ptr == end) return {};
  return Error(ErrorCode::Decode, "metadata.resourceVersion: expected a number");
}

LabelsProblem read_labels(std::string_view text, StoredObject& object) {
  LabelsProblem problem;
  // Without escapes the texts are in `text` as they are.
  const bool is_plain = text.find('\\') == std::string_view::npos;
  std::vector<std::pair<std::string, std::string>> own;
  const auto walked = json::for_each_member(text, [&](const json::Member& member) {
    std::string storage;
    const auto value = json::string_value(member.value, storage);
    if (!value) problem = value.error();
    if (value && is_plain) object.labels.emplace_back(member.key, *value);
    if (value && !is_plain) own.emplace_back(member.key, *value);
    return !problem;
  });
  if (!walked) problem = walked.error();
  if (problem) {
    object.labels.clear();
    return problem->with_context("metadata.labels");
  }
  if (!is_plain) {
    set_labels(own, object);
    return std::nullopt;
  }
  object.labels.shrink_to_fit();
  std::ranges::sort(object.labels);
  return std::nullopt;
}

/// The places of what a body needs to know, in the text of an object.
struct Places {
  std::string_view metadata{};       ///< The value.
  const char* after_type = nullptr;  ///< Where the members after kind and apiVersion begin.
  bool type_is_first = true;
};

Result<Places> find_places(std::string_view json) {
  Places out;
  out.after_type = json.data() + 1;
  bool others = false;
  const auto walked = json::for_each_member(json, [&](const json::Member& member) {
    if (member.key == "kind" || member.key == "apiVersion") {
      if (others) out.type_is_first = false;
      out.after_type = member.value.data() + member.value.size();
    } else {
      others = true;
    }
    if (member.key == "metadata") out.metadata = member.value;
    return true;
  });
  if (!walked) return walked.error();
  if (!out.metadata.starts_with('{'))
    return Error(ErrorCode::Decode, "metadata: expected an object");
  const char* const end = json.data() + json.size();
  const auto is_between = [](char c) { return c == ',' || c == ' ' || c == '\n' || c == '\t'; };
  while (out.after_type < end && is_between(*out.after_type)) ++out.after_type;
  return out;
}

Result<LabelsProblem> read_metadata(std::string_view metadata, StoredObject& object,
                                    std::string_view& version) {
  std::string_view labels;
  const auto walked = json::for_each_member(metadata, [&](const json::Member& member) {
    if (member.key == "resourceVersion") version = member.value;
    if (member.key == "labels") labels = member.value;
    return true;
  });
  if (!walked) return walked.error().with_context("metadata");
  if (version.size() < 2) {
    return Error(ErrorCode::Decode, "metadata.resourceVersion: expected a number");
  }
  version = version.substr(1, version.size() - 2);
  if (auto set = set_version(version, object); !set) return set.error();
  return labels.starts_with('{') ? read_labels(labels, object) : LabelsProblem();
}

/// Returns the object's JSON with kind and apiVersion first.
Result<std::string> with_type_first(std::string_view json) {
  auto content = json::parse(json);
  if (!content) return content.error();
  json::Object out;
  for (const std::string_view first : {"kind", "apiVersion"}) {
    if (const json::Value* value = content->if_object()->find(first)) out.set(first, *value);
  }
  for (const auto& [key, value] : *content->if_object()) out.set(key, value);
  return json::dump(json::Value(std::move(out)));
}

/// Returns the text of the value at a path; empty when there is none.
std::string_view value_at(std::string_view json, const std::vector<std::string>& path) {
  for (const std::string& step : path) {
    if (!json.starts_with('{')) return {};
    std::string_view found;
    static_cast<void>(json::for_each_member(json, [&](const json::Member& member) {
      if (member.key == step) found = member.value;
      return found.empty();
    }));
    json = found;
  }
  return json;
}

std::string joined(const std::vector<std::string>& path) {
  std::string out;
  for (const std::string& step : path) {
    if (!out.empty()) out += '.';
    out += step;
  }
  return out;
}

}  // namespace

Result<LabelsProblem> borrow_json(std::string_view json, const Resource& resource,
                                  StoredObject& object) {
  while (!json.empty() && json.back() != '}') json.remove_suffix(1);
  auto places = find_places(json);
  if (!places) return places.error();
  if (!places->type_is_first) {
    auto own = with_type_first(json);
    if (!own) return own.error();
    object.own = *std::move(own);
    json = object.own;
    places = find_places(json);
    if (!places) return places.error();
  }
  std::string_view version;
  object.labels.clear();
  auto read = read_metadata(places->metadata, object, version);
  if (!read) return read;

  const auto begin = static_cast<std::size_t>(places->after_type - json.data());
  object.body = json.substr(begin);
  object.body_at = begin;
  const auto at = static_cast<std::size_t>(places->metadata.data() - object.body.data());
  object.metadata_at = object.body.substr(0, at).rfind("\"metadata\"");
  object.metadata_size = at + places->metadata.size() - object.metadata_at;
  object.revision_at = static_cast<std::size_t>(version.data() - object.body.data());
  object.revision_size = version.size();
  object.borrowed = true;
  object.schema = resource.schema;
  return read;
}

Result<LabelsProblem> borrow_message(std::string_view message, const Resource& resource,
                                     StoredObject& object) {
  namespace wire = meta::wire;
  LabelsProblem problem;
  std::string_view version;
  wire::Fields fields(message);
  for (const wire::Field& top : fields) {
    if (top.number() != kMetadataField || !top.is_bytes()) continue;
    wire::Fields metadata(top.value);
    for (const wire::Field& member : metadata) {
      if (!member.is_bytes()) continue;
      if (member.number() == kVersionField) version = member.value;
      if (member.number() != kLabelsField) continue;
      auto& label = object.labels.emplace_back();
      wire::Fields entry(member.value);
      for (const wire::Field& part : entry) {
        if (part.number() == 1) label.first = part.value;
        if (part.number() == 2) label.second = part.value;
      }
      if (entry.fault()) problem = entry.error().with_context("metadata.labels");
    }
    if (metadata.fault()) return metadata.error();
    break;
  }
  if (fields.fault()) return fields.error();
  if (problem) object.labels.clear();
  object.labels.shrink_to_fit();
  std::ranges::sort(object.labels);
  object.message.type = resource.type;
  object.message.bytes = message;
  object.borrowed = true;
  if (auto set = set_version(version, object); !set) return set.error();
  return problem;
}

const StoredObject& with_json(const StoredObject& object, const Resource& resource,
                              std::optional<StoredObject>& scratch) {
  if (!object.body.empty()) return object;
  auto json = meta::message_to_json(*resource.type, object.message.bytes);
  if (json) {
    StoredObject& made = scratch.emplace();
    made.own = *std::move(json);
    if (borrow_json(made.own, resource, made)) return made;
  }
  throw std::runtime_error("decode " + object.key() + ": the message is not a " +
                           resource.gvk.kind);
}

BorrowedField::BorrowedField(const Resource& resource, const StoredField& field) : field_(field) {
  if (!resource.is_typed()) return;
  if (auto locator = meta::FieldLocator::compile(*resource.type, joined(field.path))) {
    in_message_ = *std::move(locator);
  }
}

std::string BorrowedField::text(const StoredObject& object) const {
  if (object.body.empty()) return text_in_message(object.message.bytes);
  const std::string_view whole(object.body.data() - object.body_at,
                               object.body_at + object.body.size());
  const std::string_view value = value_at(whole, field_.path);
  if (value.starts_with('"')) {
    std::string storage;
    const auto text = json::string_value(value, storage);
    return text ? std::string(*text) : field_.absent;
  }
  if (value.empty() || value.starts_with('{') || value.starts_with('[') || value == "null") {
    return field_.absent;
  }
  return std::string(value);
}

std::string BorrowedField::text_in_message(std::string_view message) const {
  if (!in_message_) return field_.absent;
  const auto view = in_message_->find_in_message(message);
  if (!view || !view->exists()) return field_.absent;
  std::string scratch;
  if (const auto text = view->text(scratch)) {
    return text->empty() ? field_.absent : std::string(*text);
  }
  if (const auto flag = view->read<bool>()) return *flag ? "true" : "false";
  if (const auto number = view->read<std::int32_t>()) return std::to_string(*number);
  if (const auto number = view->read<std::int64_t>()) return std::to_string(*number);
  return field_.absent;
}

}  // namespace kube::serving

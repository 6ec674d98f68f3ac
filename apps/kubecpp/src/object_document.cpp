// SPDX-License-Identifier: Apache-2.0
#include "object_document.hpp"

#include <utility>

#include <kube/api/core/v1/list.hpp>
#include <kube/api/types.hpp>
#include <kube/base/ascii.hpp>
#include <kube/base/join.hpp>
#include <kube/client/apply_document.hpp>
#include <kube/codec/codec.hpp>
#include <kube/codec/converter.hpp>
#include <kube/codec/object_check.hpp>
#include <kube/codec/protobuf.hpp>
#include <kube/codec/transcode.hpp>
#include <kube/json/yaml.hpp>

namespace kubecpp {
namespace {

using kube::Error;
using kube::ErrorCode;
using kube::Result;
using kube::core::v1::List;
using kube::meta::TypeDescriptor;
namespace json = kube::json;
namespace meta = kube::meta;

bool is_list_type(const TypeDescriptor* type) {
  return type == &List::descriptor();
}

// Offsets help only in the user's text, not in text derived from it.
std::string without_offset(std::string text) {
  constexpr std::string_view kWords = " at offset ";
  const std::size_t at = text.find(kWords);
  if (at == std::string::npos) return text;
  std::size_t end = at + kWords.size();
  while (end < text.size() && kube::ascii::is_digit(text[end])) ++end;
  return text.erase(at, end - at);
}

}  // namespace

// Creates documents from texts.
class DocumentReader {
 public:
  // `text` is the JSON of the value; empty for YAML. `offsets` is true when it is the whole file,
  // so that errors may have offsets in it.
  static Result<ObjectDocument> from_value(json::Value value, std::string_view text,
                                           std::string where, bool offsets, bool in_list = false) {
    ObjectDocument document;
    document.where_ = std::move(where);
    const auto fail = [&](const std::string& message) {
      return Error(ErrorCode::Decode,
                   document.where_ + ": " + (offsets ? message : without_offset(message)));
    };
    if (auto valid = meta::check_kind(value); !valid) return fail(valid.error().message());
    document.type_ =
        kube::api::find_type(value.string_at({"apiVersion"}), value.string_at({"kind"}));
    if (document.type_ == nullptr) {
      document.problems_ = meta::duplicate_fields(text);
      document.value_ = std::move(value);
      return document;
    }
    const std::string own = text.empty() ? json::dump(value) : std::string();
    const auto object = meta::make_object(*document.type_);
    auto read = meta::read_json(text.empty() ? own : text, *document.type_, object.get(),
                                {.strict = false, .problems = &document.problems_});
    if (!read) return fail(read.error().to_string());
    document.object_ = object;
    if (!is_list_type(document.type_)) return document;
    if (in_list) return fail("a List in a List is not supported");
    return with_items(std::move(document));
  }

  static Result<ObjectDocument> from_protobuf(std::string_view bytes, std::string where,
                                              bool in_list = false) {
    ObjectDocument document;
    document.where_ = std::move(where);
    const auto fail = [&](const std::string& message) {
      return Error(ErrorCode::Decode, document.where_ + ": " + message);
    };
    const auto envelope = meta::open_envelope(bytes);
    if (!envelope) return fail(envelope.error().to_string());
    document.type_ = kube::api::find_type(envelope->api_version, envelope->kind);
    if (document.type_ == nullptr) {
      return fail("the kind \"" + std::string(envelope->kind) + "\" in version \"" +
                  std::string(envelope->api_version) +
                  "\" is unknown, so its protobuf cannot be read");
    }
    const auto object = meta::make_object(*document.type_);
    auto read = meta::read_enveloped(bytes, *document.type_, object.get());
    if (!read) return fail(read.error().to_string());
    document.object_ = object;
    if (!is_list_type(document.type_)) return document;
    if (in_list) return fail("a List in a List is not supported");
    return with_items(std::move(document));
  }

 private:
  // The offsets of the item's own text are not those of the file.
  static Result<ObjectDocument> from_item(std::string_view text, std::string where) {
    if (text.empty()) text = "null";
    auto value = json::parse(text);
    if (!value)
      return Error(ErrorCode::Decode, where + ": " + without_offset(value.error().message()));
    return from_value(*std::move(value), text, std::move(where), false, true);
  }

  static Result<ObjectDocument> with_items(ObjectDocument document) {
    document.list_ = true;
    const auto& list = *static_cast<const List*>(document.object_.get());
    std::size_t index = 0;
    for (const auto& each : list.items) {
      const std::string name = "items[" + std::to_string(index++) + "]";
      auto item = meta::is_protobuf(each.raw)
                      ? from_protobuf(each.raw, document.where_ + ": " + name, true)
                      : from_item(each.raw, document.where_ + ": " + name);
      if (!item) return item.error();
      for (const std::string& problem : item->problems_) {
        document.problems_.push_back(name + ": " + problem);
      }
      document.items_.push_back(*std::move(item));
    }
    return document;
  }
};

Result<json::Value> ObjectDocument::to_value() const {
  if (type_ == nullptr) return value_;
  if (!list_) return meta::to_value(object_.get(), *type_);
  // Items in protobuf have no JSON until they are read.
  List list = *static_cast<const List*>(object_.get());
  list.items.clear();
  json::Value value = meta::to_value(&list, *type_);
  json::Array items;
  for (const ObjectDocument& each : items_) {
    auto item = each.to_value();
    if (!item) return item;
    items.push_back(*std::move(item));
  }
  value.ensure_path({"items"}) = std::move(items);
  return value;
}

Result<json::Value> ObjectDocument::to_apply() const {
  if (type_ == nullptr) return value_;
  if (!list_) return kube::apply_document(object_.get(), *type_);
  json::Array items;
  for (const ObjectDocument& each : items_) {
    auto item = each.to_apply();
    if (!item) return item;
    items.push_back(*std::move(item));
  }
  return json::Value(json::Object{
      {"apiVersion", "v1"}, {"kind", "List"}, {"items", json::Value(std::move(items))}});
}

Result<std::string> ObjectDocument::to_protobuf() const {
  if (type_ == nullptr) {
    return Error(ErrorCode::Decode,
                 where_ + ": the kind \"" + std::string(value_.string_at({"kind"})) +
                     "\" in version \"" + std::string(value_.string_at({"apiVersion"})) +
                     "\" is unknown, so it cannot be written as protobuf");
  }
  if (!meta::has_protobuf(*type_)) {
    return Error(ErrorCode::Decode, where_ + ": the kind \"" + std::string(type_->kind) +
                                        "\" exists in JSON only, not in protobuf");
  }
  std::string bytes;
  Result<void> written;
  if (list_) {
    List list = *static_cast<const List*>(object_.get());
    for (std::size_t i = 0; i < items_.size(); ++i) {
      auto item = items_[i].to_protobuf();
      if (!item) return item;
      list.items[i].raw = *std::move(item);
    }
    written = meta::write_enveloped(&list, *type_, bytes);
  } else {
    written = meta::write_enveloped(object_.get(), *type_, bytes);
  }
  if (!written) return Error(ErrorCode::Decode, where_ + ": " + written.error().to_string());
  return bytes;
}

Result<ObjectFile> read_objects(const std::string& text, const std::string& name) {
  ObjectFile file;
  if (meta::is_protobuf(text)) {
    auto document = DocumentReader::from_protobuf(text, name);
    if (!document) return document.error();
    file.documents.push_back(*std::move(document));
    return file;
  }
  const auto where = [&](std::size_t index, std::size_t count) {
    return count == 1 ? name : name + ": document " + std::to_string(index + 1);
  };
  auto documents = kube::yaml::read_documents(text);
  if (!documents) return Error(ErrorCode::Decode, name + ": " + documents.error().to_string());
  const std::size_t count = documents->size();
  for (std::size_t i = 0; i < count; ++i) {
    kube::yaml::Document& each = (*documents)[i];
    for (const std::string& key : each.repeated_keys) file.problems.push_back("yaml: " + key);
    auto document = DocumentReader::from_value(std::move(each.value), each.json, where(i, count),
                                               count == 1 && !each.json.empty());
    if (!document) return document.error();
    file.documents.push_back(*std::move(document));
  }
  if (file.documents.empty())
    return Error(ErrorCode::Decode, name + ": expected an object, found none");
  return file;
}

std::string strict_message(const std::vector<std::string>& problems) {
  return "strict decoding error: " + kube::join(problems, ", ");
}

}  // namespace kubecpp

// SPDX-License-Identifier: Apache-2.0
#include "object_document.hpp"

#include <new>
#include <optional>
#include <utility>

#include <kube/api/core/v1/list.hpp>
#include <kube/api/types.hpp>
#include <kube/base/ascii.hpp>
#include <kube/base/join.hpp>
#include <kube/client/apply_document.hpp>
#include <kube/codec/codec.hpp>
#include <kube/codec/protobuf.hpp>
#include <kube/json/text.hpp>
#include <kube/json/yaml.hpp>

#include "object_check.hpp"

namespace kubecpp {
namespace {

using kube::Error;
using kube::ErrorCode;
using kube::Result;
using kube::core::v1::List;
using kube::meta::TypeDescriptor;
namespace json = kube::json;
namespace meta = kube::meta;

std::shared_ptr<void> make_object(const TypeDescriptor& type) {
  struct Free {
    void operator()(void* memory) const { ::operator delete(memory); }
  };
  std::unique_ptr<void, Free> memory(::operator new(type.size));
  type.construct(memory.get());
  return std::shared_ptr<void>(memory.release(), [&type](void* object) {
    type.destroy(object);
    ::operator delete(object);
  });
}

bool is_list_type(const TypeDescriptor* type) {
  return type == &List::descriptor();
}

std::string_view text_of(const json::Value& value, std::string_view key) {
  const json::Value* member = value.at_path({key});
  return member == nullptr ? std::string_view{} : member->string_or_empty();
}

// Offsets are of use in the text that somebody wrote, not in one that was made of it.
std::string without_offset(std::string text) {
  constexpr std::string_view kWords = " at offset ";
  const std::size_t at = text.find(kWords);
  if (at == std::string::npos) return text;
  std::size_t end = at + kWords.size();
  while (end < text.size() && kube::ascii::is_digit(text[end])) ++end;
  return text.erase(at, end - at);
}

// The texts of JSON documents in a row, with or without "---" between them; nothing for what isn't
// that.
std::optional<std::vector<std::string_view>> json_documents(std::string_view text) {
  constexpr std::string_view kSpace = " \t\r\n";
  std::vector<std::string_view> documents;
  for (;;) {
    const std::size_t begin = text.find_first_not_of(kSpace);
    if (begin == std::string_view::npos) return documents;
    text.remove_prefix(begin);
    if (text.starts_with("---")) {
      text.remove_prefix(3);
      continue;
    }
    if (text.front() != '{') return std::nullopt;
    const auto end = json::end_of_value(text);
    if (!end) return std::nullopt;
    documents.push_back(text.substr(0, *end));
    text.remove_prefix(*end);
  }
}

}  // namespace

// Makes documents of texts.
class DocumentReader {
 public:
  // `made`: the text was made from another one, whose offsets it does not have.
  static Result<ObjectDocument> from_json(std::string_view text, std::string where, bool made,
                                          bool in_list = false) {
    ObjectDocument document;
    document.where_ = std::move(where);
    const auto fail = [&](const std::string& message) {
      return Error(ErrorCode::Decode,
                   document.where_ + ": " + (made ? without_offset(message) : message));
    };
    auto value = json::parse(text);
    if (!value) return fail(value.error().message());
    if (auto valid = check_kind(*value); !valid) return fail(valid.error().message());
    const std::string kind(text_of(*value, "kind"));
    const std::string api_version(text_of(*value, "apiVersion"));
    document.type_ = kube::api::find_type(api_version, kind);
    if (document.type_ == nullptr) {
      auto unique = json::parse(text, {.reject_duplicate_keys = true});
      if (!unique) document.problems_.push_back(duplicate_in(unique.error().message()));
      document.value_ = *std::move(value);
      return document;
    }
    const auto object = make_object(*document.type_);
    auto read = meta::read_json(text, *document.type_, object.get(),
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
                  "\" is not known, so its protobuf cannot be read");
    }
    const auto object = make_object(*document.type_);
    auto read = meta::read_enveloped(bytes, *document.type_, object.get());
    if (!read) return fail(read.error().to_string());
    document.object_ = object;
    if (!is_list_type(document.type_)) return document;
    if (in_list) return fail("a List in a List is not supported");
    return with_items(std::move(document));
  }

 private:
  static std::string duplicate_in(const std::string& message) {
    const std::size_t at = message.find("duplicate field ");
    return at == std::string::npos ? message : message.substr(at);
  }

  static Result<ObjectDocument> with_items(ObjectDocument document) {
    document.list_ = true;
    const auto& list = *static_cast<const List*>(document.object_.get());
    std::size_t index = 0;
    for (const auto& each : list.items) {
      const std::string name = "items[" + std::to_string(index++) + "]";
      auto item = meta::is_protobuf(each.raw)
                      ? from_protobuf(each.raw, document.where_ + ": " + name, true)
                      // Its own text, whose offsets are not the file's.
                      : from_json(each.raw.empty() ? "null" : std::string_view(each.raw),
                                  document.where_ + ": " + name, true, true);
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
  std::string text;
  if (!list_) {
    meta::write_json(object_.get(), *type_, text);
    return json::parse(text);
  }
  // Items in protobuf have no JSON before they are read.
  List list = *static_cast<const List*>(object_.get());
  list.items.clear();
  meta::write_json(&list, *type_, text);
  auto value = json::parse(text);
  if (!value) return value;
  json::Array items;
  for (const ObjectDocument& each : items_) {
    auto item = each.to_value();
    if (!item) return item;
    items.push_back(*std::move(item));
  }
  value->ensure_path({"items"}) = std::move(items);
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
    return Error(ErrorCode::Decode, where_ + ": the kind \"" +
                                        std::string(text_of(value_, "kind")) + "\" in version \"" +
                                        std::string(text_of(value_, "apiVersion")) +
                                        "\" is not known, so it cannot be written as protobuf");
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
  const auto add = [&](Result<ObjectDocument> document) -> Result<void> {
    if (!document) return document.error();
    file.documents.push_back(*std::move(document));
    return {};
  };
  if (const auto texts = json_documents(text)) {
    for (std::size_t i = 0; i < texts->size(); ++i) {
      auto added =
          add(DocumentReader::from_json((*texts)[i], where(i, texts->size()), texts->size() > 1));
      if (!added) return added.error();
    }
  } else {
    std::vector<std::string> repeated;
    const auto values = kube::yaml::parse_all(text, repeated);
    if (!values) return Error(ErrorCode::Decode, name + ": " + values.error().to_string());
    for (const std::string& each : repeated) file.problems.push_back("yaml: " + each);
    for (std::size_t i = 0; i < values->size(); ++i) {
      auto added =
          add(DocumentReader::from_json(json::dump((*values)[i]), where(i, values->size()), true));
      if (!added) return added.error();
    }
  }
  if (file.documents.empty()) return Error(ErrorCode::Decode, name + ": no object in it");
  return file;
}

std::string strict_message(const std::vector<std::string>& problems) {
  return "strict decoding error: " + kube::join(problems, ", ");
}

}  // namespace kubecpp

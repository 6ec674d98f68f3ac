// SPDX-License-Identifier: Apache-2.0
#include <kube/codec/kind_of.hpp>

#include <kube/codec/protobuf.hpp>
#include <kube/json/reader.hpp>

namespace kube::meta {
namespace {

struct TypeTexts {
  std::string api_version{};
  std::string kind{};
};

Error wrong(const std::string& what) {
  return Error(ErrorCode::Decode, "couldn't get version/kind: " + what);
}

Result<TypeTexts> read_texts(std::string_view json) {
  TypeTexts texts;
  json::Reader in(json);
  const auto syntax_error = [&] {
    return json::find_syntax_error(json)
        .value_or(json::SyntaxError{0, "exceeded max depth"})
        .to_error()
        .with_context("couldn't get version/kind");
  };
  if (in.failed()) return syntax_error();
  if (in.peek() != '{') {
    if (auto syntax = json::find_syntax_error(json)) return syntax_error();
    return wrong("expected an object");
  }
  std::string key;
  for (bool more = in.begin_object(); more; more = in.next_member()) {
    key.clear();
    if (!in.read_key_text(key)) return syntax_error();
    std::string* const text = key == "kind"         ? &texts.kind
                              : key == "apiVersion" ? &texts.api_version
                                                    : nullptr;
    if (text == nullptr || in.peek() == 'n') {
      if (!in.skip()) return syntax_error();
      continue;
    }
    if (in.peek() != '"')
      return wrong(key + ": expected a string at offset " + std::to_string(in.offset()));
    text->clear();
    if (!in.read_string(*text)) return syntax_error();
  }
  if (in.failed() || !in.at_end()) return syntax_error();
  return texts;
}

Result<GroupVersionKind> with_defaults(const TypeTexts& texts, const GroupVersionKind& defaults) {
  const auto parsed = parse_group_version(texts.api_version);
  if (!parsed) return wrong(parsed.error().message());
  GroupVersionKind kind{parsed->group, parsed->version, texts.kind};
  if (kind.kind.empty()) kind.kind = defaults.kind;
  if (kind.version.empty() && kind.group.empty()) {
    kind.group = defaults.group;
    kind.version = defaults.version;
  } else if (kind.version.empty() && kind.group == defaults.group) {
    kind.version = defaults.version;
  }
  return kind;
}

}  // namespace

Result<UndecodedObject> read_undecoded(std::string_view bytes, const GroupVersionKind& defaults) {
  if (is_protobuf(bytes)) {
    const auto unknown = open_envelope(bytes);
    if (!unknown) return unknown.error();
    auto kind =
        with_defaults({std::string(unknown->api_version), std::string(unknown->kind)}, defaults);
    if (!kind) return kind.error();
    const std::string_view type = unknown->content_type;
    return UndecodedObject{
        *std::move(kind), std::string(unknown->raw),
        std::string(type.empty() ? "application/vnd.kubernetes.protobuf" : type)};
  }
  const auto texts = read_texts(bytes);
  if (!texts) return texts.error();
  auto kind = with_defaults(*texts, defaults);
  if (!kind) return kind.error();
  return UndecodedObject{*std::move(kind), std::string(bytes), "application/json"};
}

Result<GroupVersionKind> kind_of(std::string_view bytes, const GroupVersionKind& defaults) {
  Result<GroupVersionKind> kind{GroupVersionKind()};
  if (is_protobuf(bytes)) {
    const auto unknown = open_envelope(bytes);
    if (!unknown) return unknown.error();
    kind = with_defaults({std::string(unknown->api_version), std::string(unknown->kind)}, defaults);
  } else {
    const auto texts = read_texts(bytes);
    if (!texts) return texts.error();
    kind = with_defaults(*texts, defaults);
  }
  if (!kind) return kind;
  const auto missing = [&](std::string_view what) {
    return Error(ErrorCode::Decode, "Object '" + std::string(what) +
                                        "' is missing in an object of " +
                                        std::to_string(bytes.size()) + " bytes");
  };
  if (kind->kind.empty()) return missing("Kind");
  if (kind->version.empty()) return missing("apiVersion");
  return kind;
}

}  // namespace kube::meta

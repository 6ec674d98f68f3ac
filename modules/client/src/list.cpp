// SPDX-License-Identifier: Apache-2.0
#include <kube/client/list.hpp>

#include "envelope.hpp"

namespace kube {
namespace {

// "Pod" of "PodList".
std::string_view item_kind(std::string_view list_kind) {
  constexpr std::string_view suffix = "List";
  return list_kind.ends_with(suffix) ? list_kind.substr(0, list_kind.size() - suffix.size())
                                     : std::string_view();
}

}  // namespace

Result<RawList> RawList::parse(std::string body) {
  Result<ListParts> parts = split_list(body);
  if (!parts) return parts.error();
  RawList list;
  list.body_ = std::move(body);
  list.items_ = std::move(parts->items);
  list.encoding_ = parts->encoding;
  list.info_ = std::move(parts->info);
  list.api_version_ = std::move(parts->type.api_version);
  list.kind_ = std::move(parts->type.kind);
  return list;
}

Result<Unstructured> unstructured_item(const RawList& list, std::size_t index) {
  const auto where = [&] { return "items[" + std::to_string(index) + "]"; };
  if (list.encoding() != Encoding::Json) {
    return Error(ErrorCode::Decode, "expected JSON, found protobuf").with_context(where());
  }
  Result<json::Value> value = json::parse(list.item(index));
  if (!value) return value.error().with_context(where());
  json::Object* object = value->if_object();
  if (object == nullptr) {
    return Error(ErrorCode::Decode, "expected an object").with_context(where());
  }
  // In front, where an object that travels alone has them.
  json::Object complete;
  const std::string_view kind = item_kind(list.kind());
  if (!object->contains("kind") && !kind.empty()) complete.append("kind", kind);
  if (!object->contains("apiVersion") && !list.api_version().empty()) {
    complete.append("apiVersion", list.api_version());
  }
  if (complete.empty()) return Unstructured(*std::move(value));
  for (auto& [name, member] : *object) complete.append(std::move(name), std::move(member));
  return Unstructured(json::Value(std::move(complete)));
}

Result<void> ContinueTokens::add(const std::string& token) {
  if (seen_.insert(token).second) return {};
  return Error(ErrorCode::Decode,
               "expected the continue token of a new page, got one that was followed before");
}

}  // namespace kube

// SPDX-License-Identifier: Apache-2.0
//
// Finds the items of a list, and decodes untyped ones.
#include <kube/client/list.hpp>

#include <utility>

#include <kube/client/list_splitter.hpp>
#include <kube/json/text.hpp>
#include <kube/json/value.hpp>

namespace kube {
namespace {

// Returns "Pod" for "PodList".
std::string_view item_kind(std::string_view list_kind) {
  constexpr std::string_view kSuffix = "List";
  return list_kind.ends_with(kSuffix) ? list_kind.substr(0, list_kind.size() - kSuffix.size())
                                      : std::string_view();
}

}  // namespace

Result<RawList> RawList::parse(std::string body) {
  RawList list;
  list.encoding_ = encoding_of(body);
  const auto splitter = ListSplitter::make(
      list.encoding_,
      [&list](const BodyPart& item) {
        list.items_.emplace_back(static_cast<std::size_t>(item.end - item.size_bytes),
                                 item.bytes.size());
      },
      {.max_item_bytes = body.size()});
  auto done = splitter->feed(body);
  Result<ListMetadata> facts = done ? splitter->finish() : Result<ListMetadata>(done.error());
  if (!facts) {
    if (list.encoding_ == Encoding::Json) {
      if (const auto mistake = json::find_syntax_error(body)) return mistake->to_error();
    }
    if (facts.error().code() == ErrorCode::Decode) return facts.error();
    // The whole response is here, so a list that ends early is invalid.
    return Error(ErrorCode::Decode, facts.error().message());
  }
  list.body_ = std::move(body);
  list.info_ = std::move(facts->info);
  list.api_version_ = std::move(facts->api_version);
  list.kind_ = std::move(facts->kind);
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
  // The defaults go at the beginning, as in a single object.
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

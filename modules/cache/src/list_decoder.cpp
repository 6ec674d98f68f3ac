// SPDX-License-Identifier: Apache-2.0
//
// Makes cells of the items of a list.
#include "list_decoder.hpp"

#include <string>
#include <utility>

namespace kube::cache {

ListDecoder::ListDecoder(const CellType& type, StoragePolicy policy, OnArrived on_item,
                         ObjectChanges changes, std::size_t max_object_bytes)
    : type_(type),
      maker_(type, policy, std::move(changes), max_object_bytes),
      on_item_(std::move(on_item)) {}

void ListDecoder::begin(Encoding encoding) {
  encoding_ = encoding;
  splitter_ = ListSplitter::make(
      encoding, [this](const BodyPart& item) { take(item); },
      {.max_item_bytes = maker_.max_object_bytes(),
       .item_kind = type_.descriptor == nullptr ? std::string_view() : type_.descriptor().kind});
}

void ListDecoder::take(const BodyPart& item) {
  constexpr DeltaType kType = DeltaType::Replaced;
  Arrived object = item.is_whole()
                       ? maker_.arrived(kType, maker_.make(encoding_, item.bytes))
                       : maker_.too_large(kType, encoding_, item.bytes, item.size_bytes);
  object.came_from(
      [&] { return "object that ends at byte " + std::to_string(item.end) + " of the list"; });
  on_item_(std::move(object));
}

Result<void> ListDecoder::feed(std::string_view chunk) {
  if (chunk.empty()) return {};
  if (!splitter_) {
    const bool protobuf = chunk.front() == meta::kProtobufMagic.front();
    const Encoding encoding = protobuf ? Encoding::Protobuf : Encoding::Json;
    if (auto ok = check_encoding(type_, encoding); !ok) return ok;
    begin(encoding);
  }
  return splitter_->feed(chunk);
}

Result<ListInfo> ListDecoder::finish() {
  if (!splitter_) begin(Encoding::Json);
  auto facts = splitter_->finish();
  if (!facts) return facts.error();
  return std::move(facts->info);
}

}  // namespace kube::cache

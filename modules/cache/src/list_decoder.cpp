// SPDX-License-Identifier: Apache-2.0
#include "list_decoder.hpp"

#include <utility>

#include "json_list_reader.hpp"
#include "protobuf_list_reader.hpp"

namespace kube::cache {

ListDecoder::ListDecoder(const CellType& type, StoragePolicy policy, OnItem on_item,
                         std::optional<ObjectDefaults> defaults, std::size_t max_object)
    : type_(type),
      maker_(type, policy, std::move(defaults), max_object),
      on_item_(std::move(on_item)) {}

void ListDecoder::begin(Encoding encoding) {
  if (encoding == Encoding::Protobuf) {
    reader_ = std::make_unique<ProtobufListReader>(type_, std::move(maker_), std::move(on_item_));
  } else {
    reader_ = std::make_unique<JsonListReader>(std::move(maker_), std::move(on_item_));
  }
}

Result<void> ListDecoder::feed(std::string_view chunk) {
  if (chunk.empty()) return {};
  if (!reader_) {
    const bool protobuf = chunk.front() == meta::protobuf_magic.front();
    const Encoding encoding = protobuf ? Encoding::Protobuf : Encoding::Json;
    if (auto ok = check_encoding(type_, encoding); !ok) return ok;
    begin(encoding);
  }
  return reader_->feed(chunk);
}

Result<ListMeta> ListDecoder::finish() {
  if (!reader_) begin(Encoding::Json);
  return reader_->finish();
}

}  // namespace kube::cache

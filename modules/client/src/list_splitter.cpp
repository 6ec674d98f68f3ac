// SPDX-License-Identifier: Apache-2.0
//
// Chooses the splitter for the encoding of a list.
#include <kube/client/list_splitter.hpp>

#include <utility>

#include "json_list_splitter.hpp"
#include "protobuf_list_splitter.hpp"

namespace kube {

std::unique_ptr<ListSplitter> ListSplitter::make(Encoding encoding, OnItem on_item,
                                                 Options options) {
  if (encoding == Encoding::Protobuf)
    return std::make_unique<ProtobufListSplitter>(std::move(on_item), options);
  return std::make_unique<JsonListSplitter>(std::move(on_item), options.max_item_bytes);
}

}  // namespace kube

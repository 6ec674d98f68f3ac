// SPDX-License-Identifier: Apache-2.0
//
// Makes cells of the body of a list as its bytes arrive, JSON or protobuf.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string_view>

#include <kube/client/list_splitter.hpp>

#include "object_parts.hpp"

namespace kube::cache {

/// One list body. Not thread-safe: used by one thread at a time.
class ListDecoder {
 public:
  ListDecoder(const CellType& type, StoragePolicy policy, OnArrived on_item,
              ObjectChanges changes = {}, std::size_t max_object_bytes = kMaxObjectBytes);
  ListDecoder(const ListDecoder&) = delete;
  ListDecoder& operator=(const ListDecoder&) = delete;

  /// Sets the encoding from the head of the response. Without it, the first byte decides.
  void begin(Encoding encoding);
  /// Decode names the byte offset in the body; after an error the decoder must be dropped.
  Result<void> feed(std::string_view chunk);
  /// Ends the body. Fails with Unreachable when it is incomplete, Decode when it is not a list.
  Result<ListInfo> finish();

 private:
  void take(const BodyPart& item);

  const CellType& type_;
  CellMaker maker_;
  OnArrived on_item_;
  Encoding encoding_ = Encoding::Json;
  std::unique_ptr<ListSplitter> splitter_;
};

}  // namespace kube::cache

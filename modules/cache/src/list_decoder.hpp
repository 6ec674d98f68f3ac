// SPDX-License-Identifier: Apache-2.0
//
// Splits the body of a list into cells as its bytes arrive, JSON or protobuf. The list is never
// held whole.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "object_parts.hpp"

namespace kube::cache {

/// What is in a list besides its items: a continue token is some hundred bytes.
inline constexpr std::size_t kMaxEnvelope = std::size_t{1} << 20;

/// What a list says of itself.
struct ListMeta {
  std::string resource_version;
  std::string continue_;
  std::optional<std::int64_t> remaining_item_count;
};

using OnItem = std::function<void(Arrived)>;

/// One encoding of it.
class ListReader {
 public:
  virtual ~ListReader() = default;
  virtual Result<void> feed(std::string_view chunk) = 0;
  virtual Result<ListMeta> finish() = 0;
};

/// One list body. Not thread-safe: used by one thread at a time.
class ListDecoder {
 public:
  ListDecoder(const CellType& type, StoragePolicy policy, OnItem on_item,
              std::optional<ObjectDefaults> defaults = {},
              std::size_t max_object = max_object_bytes);

  /// What the answer says of its encoding. Without it, the first byte tells.
  void begin(Encoding encoding);
  /// Decode names the byte offset in the body; after an error the decoder must be dropped.
  Result<void> feed(std::string_view chunk);
  /// The body has ended. Unreachable when it ended early, Decode when it is not a list.
  Result<ListMeta> finish();

 private:
  const CellType& type_;
  CellMaker maker_;
  OnItem on_item_;
  std::unique_ptr<ListReader> reader_;
};

}  // namespace kube::cache

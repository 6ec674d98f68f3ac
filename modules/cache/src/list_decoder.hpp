// SPDX-License-Identifier: Apache-2.0
//
// Splits the JSON body of a list into cells as its bytes arrive. Held at any time: the object under
// way and the list's own few fields.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "json_scan.hpp"
#include "object_parts.hpp"

namespace kube::cache {

/// Larger than anything a server stores; what a broken or hostile one can make us hold.
inline constexpr std::size_t kMaxObject = std::size_t{64} << 20;

/// What a list says of itself.
struct ListMeta {
  std::string resource_version;
  std::string continue_;
  std::optional<std::int64_t> remaining_item_count;
};

/// One list body. Not thread-safe: used by one thread at a time.
class ListDecoder {
 public:
  using OnItem = std::function<void(CellRef)>;
  ListDecoder(const CellType& type, StoragePolicy policy, OnItem on_item,
              std::optional<ObjectDefaults> defaults = {});

  /// Decode names the byte offset in the body; after an error the decoder must be dropped.
  Result<void> feed(std::string_view chunk);
  /// The body has ended. Unreachable when it ended early, Decode when it is not a list.
  Result<ListMeta> finish();

 private:
  enum class Phase { Head, BeforeItem, InItem, AfterItem, Tail };

  // Each consumes a prefix of the chunk.
  Result<void> head(std::string_view& chunk);
  Result<void> between(std::string_view& chunk);
  Result<void> item(std::string_view& chunk);
  Result<void> tail(std::string_view& chunk);
  Result<void> add_to_envelope(std::string_view text);
  Error error(std::string_view what, std::string_view rest) const;

  CellMaker maker_;
  OnItem on_item_;
  Phase phase_ = Phase::Head;
  std::uint64_t received_ = 0;
  std::string envelope_;  // the body without its items
  std::string partial_;   // the object under way, as far as it came in earlier chunks
  ValueScanner scanner_;
  bool expecting_item_ = false;  // behind a comma

  // Head: where in the envelope's grammar we are.
  std::size_t depth_ = 0;
  bool in_string_ = false;
  bool escaped_ = false;
  bool after_items_key_ = false;  // "items" and its colon have passed
  std::string last_string_;
};

}  // namespace kube::cache

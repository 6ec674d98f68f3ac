// SPDX-License-Identifier: Apache-2.0
//
// kube::ListSplitter: splits the body of a list into the bytes of its items as it arrives, JSON or
// protobuf. It never holds the whole list, and decodes no item.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include <kube/base/result.hpp>
#include <kube/client/content.hpp>
#include <kube/client/list.hpp>

namespace kube {

/// The bytes of one object of a list or one event of a watch.
/// @par Thread safety   A value; its bytes are valid during the call that passes it.
struct BodyPart {
  /// JSON, or the bare protobuf message of an item. Only the beginning when it is larger than the
  /// limit.
  std::string_view bytes{};
  std::uint64_t size_bytes = 0;  ///< The size of the whole object or event.
  std::uint64_t end = 0;         ///< The offset of its end in the body.

  bool is_whole() const { return bytes.size() == size_bytes; }
};

/// The fields of a list except its items.
struct ListMetadata {
  std::string api_version{};
  std::string kind{};  ///< "PodList"
  ListInfo info{};
};

/// Splits one body, which may arrive in any number of chunks.
///
/// @par Thread safety   Not thread-safe.
/// @par Cost   An item within one chunk is not copied. Otherwise memory is used as its bytes
///   arrive, never for the length that the body claims. An item larger than the limit is skipped
///   without being held. Everything outside of the items, the list's own metadata included, may
///   have at most 1 MiB.
class ListSplitter {
 public:
  /// Called for each item, in order, during feed().
  using OnItem = std::function<void(const BodyPart&)>;
  struct Options {
    std::size_t max_item_bytes = kMaxObjectBytes;
    /// "Pod": a protobuf list of another kind is refused. Empty: any kind is accepted.
    std::string_view item_kind{};
  };
  static std::unique_ptr<ListSplitter> make(Encoding encoding, OnItem on_item, Options options);

  virtual ~ListSplitter() = default;
  /// Takes the next bytes of the body.
  /// @par Errors   Decode, with the offset in the body. Do not call feed() again after it.
  virtual Result<void> feed(std::string_view chunk) = 0;
  /// Call at the end of the body.
  /// @par Errors   Unreachable when the body ended early; Decode when it is not a list, or has two
  ///   lists of items.
  virtual Result<ListMetadata> finish() = 0;
};

}  // namespace kube

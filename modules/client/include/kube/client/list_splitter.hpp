// SPDX-License-Identifier: Apache-2.0
//
// kube::ListSplitter: cuts the body of a list into the bytes of its items as it arrives, JSON or
// protobuf. The list is never held whole, and no item is decoded.
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

/// One object of a list or one event of a watch, still bytes.
struct BodyPart {
  /// JSON, or the bare protobuf message of an item; if it is larger than the limit, how it begins.
  /// Valid during the call.
  std::string_view bytes{};
  std::uint64_t size = 0;  ///< All its bytes.
  std::uint64_t end = 0;   ///< Where in the body it ends.

  bool is_whole() const { return bytes.size() == size; }
};

/// What a list says besides its items.
struct ListFacts {
  std::string api_version{};
  std::string kind{};  ///< "PodList"
  ListInfo info{};
};

/// Splits one body, which a server sends in any number of chunks.
///
/// @par Thread safety   Not thread-safe.
/// @par Cost   An item that lies in one chunk is not copied. One that does not takes memory as its
///   bytes arrive, never for the length it claims. One larger than the limit is followed to its end
///   and not held. All that is outside of the items may take 1 MiB.
class ListSplitter {
 public:
  /// Called for each item, in order, during feed().
  using OnItem = std::function<void(const BodyPart&)>;
  struct Options {
    std::size_t max_item = kMaxObjectBytes;
    /// "Pod": a list in protobuf that says it is of another kind is refused. Empty: any will do.
    std::string_view item_kind{};
  };
  static std::unique_ptr<ListSplitter> make(Encoding encoding, OnItem on_item, Options options);

  virtual ~ListSplitter() = default;
  /// The next bytes of the body.
  /// @par Errors   Decode with the byte in the body; the splitter must not be fed any further then.
  virtual Result<void> feed(std::string_view chunk) = 0;
  /// The body has ended.
  /// @par Errors   Unreachable if it ended early; Decode if it is not a list, or has items twice.
  virtual Result<ListFacts> finish() = 0;
};

}  // namespace kube

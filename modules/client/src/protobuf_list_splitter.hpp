// SPDX-License-Identifier: Apache-2.0
//
// Splits lists in protobuf.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include <kube/client/list_splitter.hpp>

#include "object_buffer.hpp"

namespace kube {

/// Splits the protobuf body of a list: magic and runtime.Unknown, whose field 2 is the list
/// message, whose field 2 are the items. Holds at most the incomplete item.
class ProtobufListSplitter final : public ListSplitter {
 public:
  ProtobufListSplitter(OnItem on_item, const Options& options)
      : on_item_(std::move(on_item)),
        max_item_bytes_(options.max_item_bytes),
        item_kind_(options.item_kind) {}

  Result<void> feed(std::string_view chunk) override;
  Result<ListMetadata> finish() override;

 private:
  enum class Step {
    Magic,
    Tag,
    Length,  ///< The length of a value of bytes.
    Varint,  ///< A value that is skipped.
    Value,   ///< left_ bytes.
  };
  enum class Part { Skipped, TypeMeta, ContentType, ListMetadata, Item, LargeItem };

  // Each consumes a prefix of the chunk.
  Result<void> magic(std::string_view& chunk);
  Result<void> number(std::string_view& chunk);
  Result<void> value(std::string_view& chunk);

  Result<void> on_tag(std::string_view rest);
  Result<void> on_length(std::string_view rest);
  Result<void> on_value(std::string_view bytes, std::string_view rest);
  Result<void> take_type(std::string_view bytes);
  void next_field();
  Error error(const std::string& what, std::string_view rest) const;

  OnItem on_item_;
  const std::size_t max_item_bytes_;
  const std::string item_kind_;
  std::string metadata_;  // of the list
  std::string api_version_;
  std::string kind_;
  std::uint64_t received_ = 0;

  Step step_ = Step::Magic;
  bool has_list_ = false;        // the list message has begun
  bool in_list_ = false;         // in the list message, which ends after ...
  std::uint64_t list_left_ = 0;  // ... this many bytes
  std::size_t magic_seen_ = 0;
  std::uint64_t varint_ = 0;
  unsigned varint_bits_ = 0;  // bits read so far
  std::uint32_t tag_ = 0;
  Part part_ = Part::Skipped;
  std::uint64_t left_ = 0;  // of the value
  std::uint64_t size_ = 0;  // of the value
  ObjectBuffer partial_;    // its bytes of earlier chunks; only its beginning when it is too large
};

}  // namespace kube

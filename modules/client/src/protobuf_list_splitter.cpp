// SPDX-License-Identifier: Apache-2.0
//
// Splits lists in protobuf.
#include "protobuf_list_splitter.hpp"

#include <algorithm>
#include <utility>

#include <kube/codec/protobuf.hpp>
#include <kube/codec/wire.hpp>
#include <kube/meta/list_meta.hpp>

namespace kube {
namespace {

// runtime.Unknown
constexpr std::uint32_t kTypeMeta = 1;
constexpr std::uint32_t kRaw = 2;
constexpr std::uint32_t kContentType = 4;
// A list
constexpr std::uint32_t kMetadata = 1;
constexpr std::uint32_t kItems = 2;

}  // namespace

Error ProtobufListSplitter::error(const std::string& what, std::string_view rest) const {
  return Error(ErrorCode::Decode,
               what + " at byte " + std::to_string(received_ - rest.size()) + " of the list");
}

Result<void> ProtobufListSplitter::feed(std::string_view chunk) {
  received_ += chunk.size();
  while (!chunk.empty()) {
    const std::size_t before = chunk.size();
    Result<void> done;
    const bool was_in_list = in_list_;
    switch (step_) {
      case Step::Magic:
        done = magic(chunk);
        break;
      case Step::Tag:
      case Step::Length:
      case Step::Varint:
        done = number(chunk);
        break;
      case Step::Value:
        done = value(chunk);
        break;
    }
    if (!done) return done;
    if (was_in_list) {
      list_left_ -= before - chunk.size();
      if (list_left_ == 0) {
        if (step_ != Step::Tag || varint_bits_ != 0) {
          return error("a list that ends inside a field", chunk);
        }
        in_list_ = false;
      }
    }
  }
  return {};
}

Result<void> ProtobufListSplitter::magic(std::string_view& chunk) {
  while (!chunk.empty()) {
    if (chunk.front() != meta::kProtobufMagic[magic_seen_]) {
      return Error(ErrorCode::Decode,
                   "provided data does not appear to be a protobuf message, expected prefix [107 "
                   "56 115 0]");
    }
    chunk.remove_prefix(1);
    if (++magic_seen_ == meta::kProtobufMagic.size()) {
      next_field();
      return {};
    }
  }
  return {};
}

void ProtobufListSplitter::next_field() {
  step_ = Step::Tag;
  varint_ = 0;
  varint_bits_ = 0;
}

// Reads one byte at a time: there are few of them between the values, and each may be the last one
// of a chunk.
Result<void> ProtobufListSplitter::number(std::string_view& chunk) {
  const auto byte = static_cast<unsigned char>(chunk.front());
  chunk.remove_prefix(1);
  if (varint_bits_ == 63 && byte > 1) return error("a varint has more than 64 bits", chunk);
  varint_ |= static_cast<std::uint64_t>(byte & 0x7f) << varint_bits_;
  if ((byte & 0x80) != 0) {
    varint_bits_ += 7;
    return {};
  }
  varint_bits_ = 0;
  if (step_ == Step::Tag) return on_tag(chunk);
  if (step_ == Step::Length) return on_length(chunk);
  next_field();
  return {};
}

Result<void> ProtobufListSplitter::on_tag(std::string_view rest) {
  if (varint_ > 0xffffffff || varint_ < 8) return error("expected the tag of a field", rest);
  tag_ = static_cast<std::uint32_t>(varint_);
  varint_ = 0;
  part_ = Part::Skipped;
  const std::uint32_t known = in_list_ ? kItems : kContentType;  // all of these fields are bytes
  if (tag_ >> 3 <= known && (tag_ & 7) != meta::wire::Bytes) {
    return error("expected " + std::string(meta::wire::name_of(meta::wire::Bytes)) + ", found " +
                     std::string(meta::wire::name_of(tag_ & 7)),
                 rest);
  }
  switch (tag_ & 7) {
    case meta::wire::Varint:
      step_ = Step::Varint;
      return {};
    case meta::wire::Fixed64:
      step_ = Step::Value;
      left_ = 8;
      return {};
    case meta::wire::Fixed32:
      step_ = Step::Value;
      left_ = 4;
      return {};
    case meta::wire::Bytes:
      step_ = Step::Length;
      return {};
    default:
      return error("expected a field of another wire type than " + std::to_string(tag_ & 7), rest);
  }
}

Result<void> ProtobufListSplitter::on_length(std::string_view rest) {
  const std::uint32_t field_number = tag_ >> 3;
  left_ = varint_;
  if (in_list_) {
    // feed() counts the byte that was just read.
    if (left_ >= list_left_) return error("a field that goes beyond its list", rest);
    if (field_number == kMetadata) part_ = Part::ListMetadata;
    if (field_number == kItems) part_ = Part::Item;
  } else if (field_number == kRaw) {
    if (has_list_) return error("a second list", rest);
    next_field();
    has_list_ = true;
    in_list_ = left_ != 0;
    list_left_ = left_;
    return {};
  } else if (field_number == kTypeMeta) {
    part_ = Part::TypeMeta;
  } else if (field_number == kContentType) {
    part_ = Part::ContentType;
  }
  if (part_ == Part::Item) {
    if (left_ > max_item_bytes_) part_ = Part::LargeItem;
  } else if (part_ != Part::Skipped && left_ > kMaxListEnvelope) {
    return error("more than 1 MiB outside of the list's items", rest);
  }
  size_ = left_;
  step_ = Step::Value;
  if (left_ == 0) return on_value({}, rest);
  return {};
}

Result<void> ProtobufListSplitter::value(std::string_view& chunk) {
  // A number of fixed length must not go beyond the list.
  const std::uint64_t most = in_list_ ? std::min(left_, list_left_) : left_;
  const std::string_view piece =
      chunk.substr(0, static_cast<std::size_t>(std::min<std::uint64_t>(most, chunk.size())));
  chunk.remove_prefix(piece.size());
  left_ -= piece.size();
  if (part_ == Part::Skipped) {
    if (left_ == 0) next_field();
    return {};
  }
  if (left_ == 0 && partial_.empty() && part_ != Part::LargeItem) return on_value(piece, chunk);
  if (part_ == Part::LargeItem) {
    // Skip it to its end without holding it.
    partial_ += piece.substr(0, std::min(kKeptOfLargeObjects, max_item_bytes_) - partial_.size());
  } else {
    partial_ += piece;
  }
  if (left_ != 0) return {};
  auto done = on_value(partial_, chunk);
  partial_.clear();
  return done;
}

Result<void> ProtobufListSplitter::on_value(std::string_view bytes, std::string_view rest) {
  next_field();
  switch (part_) {
    case Part::Skipped:
      return {};
    case Part::TypeMeta:
      return take_type(bytes);
    case Part::ContentType:
      if (bytes.empty() || bytes == kProtobufMediaType) return {};
      return Error(ErrorCode::Decode,
                   "expected a list in protobuf, found \"" + std::string(bytes) + "\"");
    case Part::ListMetadata:
      // A message in several parts is the concatenation of the parts.
      if (metadata_.size() + bytes.size() > kMaxListEnvelope)
        return error("more than 1 MiB of metadata of the list", rest);
      metadata_ += bytes;
      return {};
    case Part::Item:
    case Part::LargeItem:
      on_item_({bytes, size_, received_ - rest.size()});
      return {};
  }
  return {};
}

Result<void> ProtobufListSplitter::take_type(std::string_view bytes) {
  meta::wire::Fields fields(bytes);
  for (const meta::wire::Field& field : fields) {
    if (field.number() == 1 && field.is_bytes()) api_version_ = field.value;
    if (field.number() == 2 && field.is_bytes()) kind_ = field.value;
  }
  if (fields.fault()) return fields.error().with_context("type of the list");
  const std::string expected = item_kind_.empty() ? std::string() : item_kind_ + "List";
  if (kind_.ends_with("List") && (expected.empty() || kind_ == expected)) return {};
  return Error(ErrorCode::Decode, "expected a " + (expected.empty() ? "list" : expected) +
                                      ", found kind \"" + kind_ + "\"");
}

Result<ListMetadata> ProtobufListSplitter::finish() {
  if (!has_list_ || in_list_ || step_ != Step::Tag || varint_bits_ != 0) {
    return Error(ErrorCode::Unreachable,
                 "the list ended early, after " + std::to_string(received_) + " bytes");
  }
  if (kind_.empty()) return Error(ErrorCode::Decode, "expected a list with a kind");
  meta::ListMeta metadata;
  if (auto read = meta::read_protobuf(metadata_, meta::ListMeta::descriptor(), &metadata); !read) {
    return read.error().with_context("metadata of the list");
  }
  return ListMetadata{std::move(api_version_),
                      std::move(kind_),
                      {std::move(metadata.resource_version), std::move(metadata.continue_),
                       metadata.remaining_item_count}};
}

}  // namespace kube

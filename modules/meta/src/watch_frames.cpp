// SPDX-License-Identifier: Apache-2.0
#include <kube/meta/watch_frames.hpp>

#include <algorithm>
#include <cstdint>
#include <utility>

#include <kube/meta/detail/wire.hpp>
#include "wire_output.hpp"

namespace kube::meta {
namespace {

constexpr std::size_t largest_kept = std::size_t{1} << 20;

std::size_t length_of(std::string_view head) {
  std::size_t length = 0;
  for (std::size_t i = 0; i < 4; ++i) length = length << 8 | static_cast<unsigned char>(head[i]);
  return length;
}

}  // namespace

std::optional<Result<std::string_view>> FrameSplitter::next() {
  if (std::exchange(partial_given_, false)) {
    partial_.clear();
    // One large frame must not hold its memory for as long as the stream goes on.
    if (partial_.capacity() > largest_kept) partial_ = {};
  }
  if (to_skip_ != 0) {
    const std::size_t skipped = std::min(to_skip_, chunk_.size());
    chunk_.remove_prefix(skipped);
    to_skip_ -= skipped;
  }
  if (chunk_.empty()) return std::nullopt;

  const auto take = [&](std::size_t wanted) {
    const std::size_t taken = std::min(wanted, chunk_.size());
    partial_.append(chunk_.substr(0, taken));
    chunk_.remove_prefix(taken);
  };
  std::size_t length = 0;
  const bool whole_head = partial_.empty() && chunk_.size() >= head_size;
  if (whole_head) {
    length = length_of(chunk_);
  } else {
    if (partial_.size() < head_size) take(head_size - partial_.size());
    if (partial_.size() < head_size) return std::nullopt;
    length = length_of(partial_);
  }

  if (length > limit_) {
    if (whole_head) chunk_.remove_prefix(head_size);
    partial_.clear();
    to_skip_ = length;
    return Result<std::string_view>(Error(
        ErrorCode::Decode,
        "object to decode was longer than maximum allowed size: object too "
        "large, a frame of " +
            std::to_string(length) + " bytes, at most " + std::to_string(limit_) + " are allowed"));
  }
  if (whole_head && chunk_.size() - head_size >= length) {
    const std::string_view frame = chunk_.substr(head_size, length);
    chunk_.remove_prefix(head_size + length);
    return Result<std::string_view>(frame);
  }
  if (whole_head) take(head_size);
  take(length - (partial_.size() - head_size));
  if (partial_.size() - head_size < length) return std::nullopt;
  partial_given_ = true;
  return Result<std::string_view>(std::string_view(partial_).substr(head_size));
}

Result<void> FrameSplitter::finish() const {
  if (to_skip_ == 0 && (partial_.empty() || partial_given_)) return {};
  return Error(ErrorCode::Decode, "unexpected EOF: the stream ended within a frame");
}

Result<WatchEventView> read_watch_event(std::string_view frame) {
  WatchEventView event;
  wire::Fault fault;
  const wire::At begin = wire::begin_of(frame);
  const wire::At end = begin + frame.size();
  const auto bytes = [&](wire::At at, wire::At to, std::string_view& out) -> wire::At {
    std::size_t length = 0;
    at = wire::read_length(at, to, length, fault);
    if (at == nullptr) return nullptr;
    out = wire::view(at, at + length);
    return at + length;
  };
  const wire::At done = wire::read_fields(
      begin, end, fault, {10, 18}, [&](std::uint32_t tag, wire::At at, wire::At to) {
        if (tag == 10) return bytes(at, to, event.type);
        if (tag != 18) return at;
        std::string_view extension;
        const wire::At behind = bytes(at, to, extension);
        if (behind == nullptr) return behind;
        const wire::At inner = wire::begin_of(extension);
        return wire::read_fields(inner, inner + extension.size(), fault, {10},
                                 [&](std::uint32_t raw_tag, wire::At from, wire::At until) {
                                   return raw_tag == 10 ? bytes(from, until, event.object) : from;
                                 }) == nullptr
                   ? nullptr
                   : behind;
      });
  if (done != nullptr) return event;
  return Error(ErrorCode::Decode, fault.message + " at offset " +
                                      std::to_string(static_cast<std::size_t>(fault.at - begin)))
      .with_context("read WatchEvent");
}

void write_watch_frame(const WatchEventView& event, std::string& out) {
  wire::Output head;
  const std::size_t object = event.object.size();
  head.varint(object);
  head.byte(10);
  head.varint(head.size() + object);
  head.byte(18);
  head.text_field(10, event.type);
  const std::size_t length = head.size() + object;
  for (unsigned shift = 0; shift < 32; shift += 8)
    head.byte(static_cast<unsigned>(length >> shift) & 0xff);
  out.reserve(out.size() + head.size() + object);
  out += head.text();
  out += event.object;
}

}  // namespace kube::meta

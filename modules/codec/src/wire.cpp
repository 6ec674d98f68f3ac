// SPDX-License-Identifier: Apache-2.0
#include <kube/codec/wire.hpp>

#include <kube/base/utf8.hpp>
#include <kube/codec/protobuf.hpp>
#include <kube/json/text.hpp>

#include "protobuf_scalars.hpp"

namespace kube::meta::wire {

std::string_view name_of(std::uint32_t wire_type) {
  switch (wire_type) {
    case Varint:
      return "a varint";
    case Fixed64:
      return "a 64-bit value";
    case Bytes:
      return "a length-delimited value";
    case Group:
      return "a group";
    case EndGroup:
      return "the end of a group";
    case Fixed32:
      return "a 32-bit value";
    default:
      return "an invalid wire type";
  }
}

At read_long_varint(At at, At end, std::uint64_t& out, Fault& fault) {
  const At begin = at;
  std::uint64_t value = 0;
  for (unsigned shift = 0; shift < 70; shift += 7, ++at) {
    if (at == end) return fault(begin, "the message ends within a varint");
    const std::uint64_t byte = *at;
    if (shift == 63 && byte > 1) break;
    value |= (byte & 0x7f) << shift;
    if (byte < 0x80) {
      out = value;
      return at + 1;
    }
  }
  return fault(begin, "a varint has more than 64 bits");
}

At bad_length(At at, std::uint64_t length, std::uint64_t available, Fault& fault) {
  return fault(at, "expected " + std::to_string(length) + " bytes, found " +
                       std::to_string(available) + " before the end of the message");
}

At bad_tag(At at, std::uint64_t tag, Fault& fault) {
  const std::uint64_t number = tag >> 3;
  return fault(at, "invalid field number " + std::to_string(number));
}

At bad_raw_json(At at, std::string_view raw, Fault& fault) {
  const auto syntax = json::find_syntax_error(raw).value_or(json::SyntaxError{0, "cannot be read"});
  return fault(at + syntax.offset, "expected one JSON value: " + syntax.message);
}

At wrong_wire_type(At at, std::uint32_t expected, std::uint32_t found, Fault& fault) {
  return fault(at, "expected " + std::string(name_of(expected & 7)) + ", found " +
                       std::string(name_of(found & 7)));
}

Field read_field(At at, At end, Fault& fault) {
  Field field;
  At value = read_tag(at, end, field.tag, fault);
  if (value == nullptr) return field;
  At after = nullptr;
  if (field.is_bytes()) {
    std::size_t length = 0;
    value = read_length(value, end, length, fault);
    if (value == nullptr) return field;
    after = value + length;
  } else {
    after = skip(value, end, field.tag, fault);
    if (after == nullptr) return field;
  }
  field.begin = at;
  field.value = view(value, after);
  return field;
}

Error Fields::error_in(At begin) const {
  return Error(ErrorCode::Decode,
               fault_.message + " at offset " + std::to_string(fault_.at - begin));
}

At skip_unknown(At start, At at, At end, std::uint32_t tag,
                std::initializer_list<std::uint32_t> known, Fault& fault) {
  for (const std::uint32_t expected : known) {
    if (expected >> 3 == tag >> 3) return wrong_wire_type(start, expected, tag, fault);
  }
  return skip(at, end, tag, fault);
}

At skip(At at, At end, std::uint32_t tag, Fault& fault, int depth) {
  const auto fixed = [&](std::ptrdiff_t size) {
    if (end - at < size)
      return fault(at, "the message ends within " + std::string(name_of(tag & 7)));
    return at + size;
  };
  switch (tag & 7) {
    case Varint: {
      std::uint64_t value = 0;
      return read_varint(at, end, value, fault);
    }
    case Fixed64:
      return fixed(8);
    case Fixed32:
      return fixed(4);
    case Bytes: {
      std::size_t length = 0;
      at = read_length(at, end, length, fault);
      return at == nullptr ? nullptr : at + length;
    }
    case Group: {
      if (depth == kMaxProtobufDepth) return fault(at, "exceeded max depth");
      const At begin = at;
      while (at != end) {
        std::uint32_t inner = 0;
        const At start = at;
        at = read_tag(at, end, inner, fault);
        if (at == nullptr) return nullptr;
        if ((inner & 7) == EndGroup) {
          if (inner >> 3 == tag >> 3) return at;
          return fault(start, "a group ends without a start");
        }
        at = skip(at, end, inner, fault, depth + 1);
        if (at == nullptr) return nullptr;
      }
      return fault(begin, "the message ends within a group");
    }
    case EndGroup:
      return fault(at, "a group ends without a start");
    default:
      return fault(at, "invalid wire type " + std::to_string(tag & 7));
  }
}

namespace {

bool is_utf8_from(std::string_view text, std::size_t place) {
  while (place < text.size()) {
    if (static_cast<unsigned char>(text[place]) < 0x80) {
      ++place;
      continue;
    }
    const std::size_t before = place;
    if (next_code_point(text, &place) == U'\ufffd' &&
        text.substr(before, place - before) != "\xef\xbf\xbd") {
      return false;
    }
  }
  return true;
}

}  // namespace

// Takes eight bytes at a time, and 32 in long texts.
bool is_utf8_of_any_length(std::string_view text) {
  constexpr std::uint64_t kHighBits = 0x8080808080808080;
  const char* at = text.data();
  std::size_t rest = text.size();
  for (; rest >= 32; at += 32, rest -= 32) {
    std::uint64_t words[4];
    std::memcpy(words, at, sizeof words);
    if (((words[0] | words[1] | words[2] | words[3]) & kHighBits) != 0)
      return is_utf8_from(text, text.size() - rest);
  }
  std::uint64_t high = 0;
  for (std::uint64_t word = 0; rest >= 8; at += 8, rest -= 8) {
    std::memcpy(&word, at, sizeof word);
    high |= word;
  }
  if (text.size() >= 8) {
    // The last eight bytes; some of them are checked twice.
    std::uint64_t word = 0;
    std::memcpy(&word, at + rest - 8, sizeof word);
    if (((high | word) & kHighBits) == 0) return true;
  }
  return is_utf8_from(text, 0);
}

}  // namespace kube::meta::wire

// SPDX-License-Identifier: Apache-2.0
#include "spdy_frames.hpp"

#include <algorithm>
#include <array>
#include <new>

#include <zlib.h>

namespace kube::portforward {
namespace {

constexpr std::uint32_t kVersion = 3;
constexpr std::size_t kFrameHead = 8;
constexpr std::size_t kMaxControlFrame = std::size_t{1} << 20;
constexpr std::size_t kMaxHeaders = std::size_t{1} << 20;
constexpr std::uint8_t kFin = 1;

using ControlType = std::uint16_t;
constexpr ControlType kSynStream = 1;
constexpr ControlType kSynReply = 2;
constexpr ControlType kRstStream = 3;
constexpr ControlType kPing = 6;
constexpr ControlType kGoAway = 7;

// The dictionary of SPDY/3 (draft 3, 2.6.10.1): words with their lengths, then a text.
constexpr std::string_view kWords[] = {"options",
                                       "head",
                                       "post",
                                       "put",
                                       "delete",
                                       "trace",
                                       "accept",
                                       "accept-charset",
                                       "accept-encoding",
                                       "accept-language",
                                       "accept-ranges",
                                       "age",
                                       "allow",
                                       "authorization",
                                       "cache-control",
                                       "connection",
                                       "content-base",
                                       "content-encoding",
                                       "content-language",
                                       "content-length",
                                       "content-location",
                                       "content-md5",
                                       "content-range",
                                       "content-type",
                                       "date",
                                       "etag",
                                       "expect",
                                       "expires",
                                       "from",
                                       "host",
                                       "if-match",
                                       "if-modified-since",
                                       "if-none-match",
                                       "if-range",
                                       "if-unmodified-since",
                                       "last-modified",
                                       "location",
                                       "max-forwards",
                                       "pragma",
                                       "proxy-authenticate",
                                       "proxy-authorization",
                                       "range",
                                       "referer",
                                       "retry-after",
                                       "server",
                                       "te",
                                       "trailer",
                                       "transfer-encoding",
                                       "upgrade",
                                       "user-agent",
                                       "vary",
                                       "via",
                                       "warning",
                                       "www-authenticate",
                                       "method",
                                       "get",
                                       "status",
                                       "200 OK",
                                       "version",
                                       "HTTP/1.1",
                                       "url",
                                       "public",
                                       "set-cookie",
                                       "keep-alive",
                                       "origin"};
constexpr std::string_view kText =
    "100101201202205206300302303304305306307402405406407408409410411412413414415416417502504505"
    "203 Non-Authoritative Information204 No Content301 Moved Permanently400 Bad Request401 Una"
    "uthorized403 Forbidden404 Not Found500 Internal Server Error501 Not Implemented503 Service"
    " UnavailableJan Feb Mar Apr May Jun Jul Aug Sept Oct Nov Dec 00:00:00 Mon, Tue, Wed, Thu, "
    "Fri, Sat, Sun, GMTchunked,text/html,image/png,image/jpg,image/gif,application/xml,applicat"
    "ion/xhtml+xml,text/plain,text/javascript,publicprivatemax-age=gzip,deflate,sdchcharset=utf"
    "-8charset=iso-8859-1,utf-,*,enq=0.";

void append_u32(std::string& out, std::uint32_t value) {
  for (const int shift : {24, 16, 8, 0}) out.push_back(static_cast<char>(value >> shift & 0xff));
}

std::uint32_t u32_at(std::string_view bytes, std::size_t at) {
  std::uint32_t value = 0;
  for (const char c : bytes.substr(at, 4)) value = value << 8 | static_cast<unsigned char>(c);
  return value;
}

const std::string& dictionary() {
  static const std::string bytes = [] {
    std::string all;
    for (const std::string_view word : kWords) {
      append_u32(all, static_cast<std::uint32_t>(word.size()));
      all.append(word);
    }
    return all.append(kText);
  }();
  return bytes;
}

Bytef* zlib_bytes(std::string_view bytes) {
  // zlib does not write to its input. NOLINTNEXTLINE(cppcoreguidelines-pro-type-const-cast)
  return reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
}

std::string control_frame(ControlType type, std::string_view body) {
  std::string frame;
  append_u32(frame, 0x80000000U | kVersion << 16 | type);
  append_u32(frame, static_cast<std::uint32_t>(body.size()));  // no flags
  return frame.append(body);
}

Error broken(const std::string& what) {
  return {ErrorCode::Decode, "SPDY: " + what};
}

}  // namespace

SpdyEncoder::SpdyEncoder() : deflate_(std::make_unique<z_stream>()) {
  *deflate_ = {};
  const std::string& words = dictionary();
  if (deflateInit(deflate_.get(), Z_BEST_COMPRESSION) != Z_OK ||
      deflateSetDictionary(deflate_.get(), zlib_bytes(words), static_cast<uInt>(words.size())) !=
          Z_OK) {
    throw std::bad_alloc();
  }
}

SpdyEncoder::~SpdyEncoder() {
  deflateEnd(deflate_.get());
}

std::string SpdyEncoder::compressed(const SpdyHeaders& headers) {
  std::string block;
  append_u32(block, static_cast<std::uint32_t>(headers.size()));
  for (const auto& [name, value] : headers) {
    for (const std::string& text : {name, value}) {
      append_u32(block, static_cast<std::uint32_t>(text.size()));
      block.append(text);
    }
  }
  std::string out(deflateBound(deflate_.get(), block.size()) + 16, '\0');  // and the flush
  deflate_->next_in = zlib_bytes(block);
  deflate_->avail_in = static_cast<uInt>(block.size());
  deflate_->next_out = reinterpret_cast<Bytef*>(out.data());
  deflate_->avail_out = static_cast<uInt>(out.size());
  deflate(deflate_.get(), Z_SYNC_FLUSH);
  return out.substr(0, out.size() - deflate_->avail_out);
}

std::string SpdyEncoder::syn_stream(std::uint32_t stream, const SpdyHeaders& headers) {
  std::string body;
  append_u32(body, stream);
  append_u32(body, 0);                       // associated with no other
  body.append(std::string_view("\0\0", 2));  // priority and slot
  return control_frame(kSynStream, body.append(compressed(headers)));
}

std::string SpdyEncoder::syn_reply(std::uint32_t stream, const SpdyHeaders& headers) {
  std::string body;
  append_u32(body, stream);
  return control_frame(kSynReply, body.append(compressed(headers)));
}

std::string SpdyEncoder::data(std::uint32_t stream, std::string_view bytes, bool fin) {
  std::string frame;
  append_u32(frame, stream);
  append_u32(frame,
             (fin ? std::uint32_t{kFin} << 24 : 0U) | static_cast<std::uint32_t>(bytes.size()));
  return frame.append(bytes);
}

std::string SpdyEncoder::rst_stream(std::uint32_t stream, std::uint32_t status) {
  std::string body;
  append_u32(body, stream);
  append_u32(body, status);
  return control_frame(kRstStream, body);
}

std::string SpdyEncoder::ping(std::uint32_t id) {
  std::string body;
  append_u32(body, id);
  return control_frame(kPing, body);
}

std::string SpdyEncoder::go_away(std::uint32_t last_stream) {
  std::string body;
  append_u32(body, last_stream);
  append_u32(body, 0);
  return control_frame(kGoAway, body);
}

SpdyDecoder::SpdyDecoder() : inflate_(std::make_unique<z_stream>()) {
  *inflate_ = {};
  if (inflateInit(inflate_.get()) != Z_OK) throw std::bad_alloc();
}

SpdyDecoder::~SpdyDecoder() {
  inflateEnd(inflate_.get());
}

Result<std::vector<SpdyFrame>> SpdyDecoder::receive(std::string_view bytes) {
  input_.append(bytes);
  std::vector<SpdyFrame> frames;
  std::string_view rest = input_;
  while (rest.size() >= kFrameHead) {
    const bool is_control = (static_cast<unsigned char>(rest[0]) & 0x80U) != 0;
    const std::size_t length = u32_at(rest, 4) & 0xffffffU;
    if (is_control && length > kMaxControlFrame) {
      return broken("a control frame of " + std::to_string(length) + " bytes");
    }
    if (rest.size() < kFrameHead + length) break;
    const std::string_view frame = rest.substr(0, kFrameHead + length);
    rest.remove_prefix(frame.size());
    if (is_control) {
      Result<SpdyFrame> control = control_frame(frame);
      if (!control) return control.error();
      frames.push_back(*std::move(control));
    } else {
      frames.push_back({.type = SpdyFrame::Type::Data,
                        .stream = u32_at(frame, 0),
                        .fin = (static_cast<std::uint8_t>(frame[4]) & kFin) != 0,
                        .data = std::string(frame.substr(kFrameHead))});
    }
  }
  input_.erase(0, input_.size() - rest.size());
  return frames;
}

Result<SpdyFrame> SpdyDecoder::control_frame(std::string_view frame) {
  const std::uint32_t version = u32_at(frame, 0) >> 16 & 0x7fffU;
  if (version != kVersion) return broken("version " + std::to_string(version) + ", expected 3");
  const auto type = static_cast<std::uint16_t>(u32_at(frame, 0) & 0xffffU);
  const std::string_view body = frame.substr(kFrameHead);
  const std::size_t fixed = type == kSynStream ? 10 : type == kSynReply || type == kPing ? 4 : 8;
  const bool known = type == kSynStream || type == kSynReply || type == kRstStream ||
                     type == kPing || type == kGoAway;
  if (known && body.size() < fixed) return broken("a frame that is too short");
  SpdyFrame result;
  result.fin = (static_cast<std::uint8_t>(frame[4]) & kFin) != 0;
  if (known) result.stream = u32_at(body, 0) & 0x7fffffffU;
  switch (type) {
    case kSynStream:
    case kSynReply: {
      result.type = type == kSynStream ? SpdyFrame::Type::SynStream : SpdyFrame::Type::SynReply;
      Result<SpdyHeaders> headers = headers_of(body.substr(fixed));
      if (!headers) return headers.error();
      result.headers = *std::move(headers);
      break;
    }
    case kRstStream:
      result.type = SpdyFrame::Type::RstStream;
      result.value = u32_at(body, 4);
      break;
    case kPing:
      result.type = SpdyFrame::Type::Ping;
      result.value = u32_at(body, 0);
      break;
    case kGoAway:
      result.type = SpdyFrame::Type::GoAway;
      break;
    default:
      // HEADERS frames would advance the zlib stream of headers, but no server sends them here.
      break;
  }
  return result;
}

Result<SpdyHeaders> SpdyDecoder::headers_of(std::string_view block) {
  const Result<std::string> plain = inflated(block);
  if (!plain) return plain.error();
  std::string_view rest = *plain;
  const auto take = [&rest](std::string& out) {
    if (rest.size() < 4 || u32_at(rest, 0) > rest.size() - 4) return false;
    out = rest.substr(4, u32_at(rest, 0));
    rest.remove_prefix(4 + out.size());
    return true;
  };
  if (rest.size() < 4) return broken("headers that are cut off");
  const std::uint32_t count = u32_at(rest, 0);
  rest.remove_prefix(4);
  SpdyHeaders headers;
  for (std::uint32_t i = 0; i < count; ++i) {
    std::pair<std::string, std::string> header;
    if (!take(header.first) || !take(header.second)) return broken("headers that are cut off");
    headers.push_back(std::move(header));
  }
  return headers;
}

Result<std::string> SpdyDecoder::inflated(std::string_view block) {
  std::string out;
  std::array<char, 4096> part{};
  inflate_->next_in = zlib_bytes(block);
  inflate_->avail_in = static_cast<uInt>(block.size());
  for (;;) {
    inflate_->next_out = reinterpret_cast<Bytef*>(part.data());
    inflate_->avail_out = part.size();
    const int result = inflate(inflate_.get(), Z_SYNC_FLUSH);
    if (result == Z_NEED_DICT) {
      const std::string& words = dictionary();
      if (inflateSetDictionary(inflate_.get(), zlib_bytes(words),
                               static_cast<uInt>(words.size())) != Z_OK) {
        return broken("headers that are compressed with another dictionary");
      }
      continue;
    }
    if (result != Z_OK && result != Z_BUF_ERROR) return broken("headers that can't be inflated");
    const std::size_t count = part.size() - inflate_->avail_out;
    out.append(part.data(), count);
    if (out.size() > kMaxHeaders) return broken("headers that are too long");
    if (count < part.size()) return out;
  }
}

}  // namespace kube::portforward

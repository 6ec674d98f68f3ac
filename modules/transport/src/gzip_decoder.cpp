// SPDX-License-Identifier: Apache-2.0
#include "gzip_decoder.hpp"

#include <algorithm>
#include <limits>
#include <string>

#include <zlib.h>

#include <kube/base/ascii.hpp>

namespace kube::transport {
namespace {

constexpr int kGzipOnly = 16;  // added to the size of the window: neither zlib's own format nor raw

}  // namespace

bool take_gzip_coding(Headers& headers) {
  const auto is_coding = [](const Headers::Field& field) {
    return ascii::equal_ignoring_case(field.first, "Content-Encoding");
  };
  if (std::ranges::count_if(headers, is_coding) != 1) return false;
  const std::string_view name =
      ascii::trim_blanks(std::ranges::find_if(headers, is_coding)->second);
  if (!ascii::equal_ignoring_case(name, "gzip") && !ascii::equal_ignoring_case(name, "x-gzip")) {
    return false;
  }
  headers.remove("Content-Encoding");
  headers.remove("Content-Length");
  return true;
}

void GzipDecoder::End::operator()(z_stream_s* stream) const {
  inflateEnd(stream);
  delete stream;
}

GzipDecoder::GzipDecoder() = default;
GzipDecoder::~GzipDecoder() = default;

Result<std::string_view> GzipDecoder::decode(std::string_view& bytes, std::span<char> room) {
  std::size_t decoded = 0;
  while (decoded < room.size() && (stream_ || !bytes.empty())) {
    if (!stream_) {
      stream_.reset(new z_stream{});
      if (inflateInit2(stream_.get(), kGzipOnly + MAX_WBITS) != Z_OK) {
        return Error(ErrorCode::Internal, "there is no memory to decode gzip");
      }
    }
    constexpr std::size_t kMost = std::numeric_limits<uInt>::max();
    const auto given = static_cast<uInt>(std::min(bytes.size(), kMost));
    const auto left = static_cast<uInt>(std::min(room.size() - decoded, kMost));
    // zlib does not write to it. NOLINTNEXTLINE(cppcoreguidelines-pro-type-const-cast)
    stream_->next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
    stream_->avail_in = given;
    stream_->next_out = reinterpret_cast<Bytef*>(room.data() + decoded);
    stream_->avail_out = left;
    const int result = inflate(stream_.get(), Z_SYNC_FLUSH);
    bytes.remove_prefix(given - stream_->avail_in);
    decoded += left - stream_->avail_out;
    if (result == Z_STREAM_END) {
      stream_.reset();
    } else if (result == Z_BUF_ERROR) {
      break;  // nothing was left to decode
    } else if (result != Z_OK) {
      const char* why = stream_->msg != nullptr ? stream_->msg : zError(result);
      return Error(ErrorCode::Decode, std::string("the body is not gzip: ") + why);
    }
  }
  return std::string_view(room.data(), decoded);
}

}  // namespace kube::transport

// SPDX-License-Identifier: Apache-2.0
//
// HTTP answers of an API server, as bytes.
#pragma once

#include <string>
#include <string_view>

#include "wire_texts.hpp"

namespace faults {

using kube::cache::testing::status_text;

inline constexpr std::string_view kWatchHead =
    "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n";
inline constexpr std::string_view kLastChunk = "0\r\n\r\n";

/// `headers`: whole lines, each with its end.
std::string http_answer(int status, std::string_view body, std::string_view headers = {});
std::string http_answer_of(std::string_view type, int status, std::string_view body,
                           std::string_view headers = {});
/// The head alone, of a body that ends with the connection or by what `headers` say.
std::string http_head(int status, std::string_view headers = {});
/// A Status as JSON. `more` is put behind the code.
std::string http_status(int status, std::string_view reason, std::string_view message,
                        std::string_view more = {}, std::string_view headers = {});

/// A gzip stream of `size` bytes: `begin`, then so many times `filler` as it takes. 160 times as
/// long as it looks; its check sum is wrong, which matters at its end.
std::string gzip_bomb(std::string_view begin, char filler, std::size_t size);

}  // namespace faults

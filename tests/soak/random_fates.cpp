// SPDX-License-Identifier: Apache-2.0
#include "random_fates.hpp"

#include <cstddef>
#include <random>

namespace soak {

using faulty_front::Fate;
using faulty_front::http_response;
using faulty_front::status_response;

namespace {

Fate draw(std::mt19937_64& random) {
  const std::uint64_t dice = random() % 100;
  // Most answers of a list and a second of a watch are shorter than this.
  const std::size_t bytes = random() % 200'000;
  if (dice < 4) {
    return {.name = "429",
            .answer = status_response("429 Too Many Requests", "TooManyRequests", 429,
                                      "Retry-After: 1\r\n")};
  }
  if (dice < 8) {
    return {.name = "500",
            .answer = status_response("500 Internal Server Error", "InternalError", 500)};
  }
  if (dice < 12) {
    return {.name = "503",
            .answer = http_response("503 Service Unavailable", "Content-Type: text/plain\r\n",
                                    "starting")};
  }
  if (dice < 15) return {.name = "410", .answer = status_response("410 Gone", "Expired", 410)};
  if (dice < 18) {
    return {.name = "page of a proxy",
            .answer = http_response("502 Bad Gateway", "Content-Type: text/html\r\n",
                                    "<html><title>Bad gateway</title></html>")};
  }
  if (dice < 21) return {.name = "no answer", .bytes = 0};
  if (dice < 24) return {.name = "silent at once", .bytes = 0, .silent = true};
  if (dice < 40) return {.name = "cut off", .bytes = bytes};
  if (dice < 46) return {.name = "silent", .bytes = bytes, .silent = true};
  return {};
}

}  // namespace

faulty_front::Fates random_fates(std::uint64_t seed) {
  return [random = std::mt19937_64(seed)](const faulty_front::Request&) mutable {
    return draw(random);
  };
}

}  // namespace soak

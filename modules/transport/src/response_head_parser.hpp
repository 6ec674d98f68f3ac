// SPDX-License-Identifier: Apache-2.0
//
// Parses header lines, one at a time, into a ResponseHead.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <kube/transport/http.hpp>

namespace kube::transport {

class ResponseHeadParser {
 public:
  /// Takes one line from curl; returns true when it completed the head of the final response. Skips
  /// interim responses (1xx) and trailers.
  bool add_line(std::string_view line);

  /// Call once, after add_line() returned true.
  ResponseHead take();

  bool complete() const { return complete_; }
  bool http2() const { return http2_; }
  int status() const { return status_; }

 private:
  void add_field(std::string_view line);

  int status_ = 0;
  std::vector<Headers::Field> fields_;
  bool complete_ = false;
  bool http2_ = false;
};

}  // namespace kube::transport

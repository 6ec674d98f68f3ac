// SPDX-License-Identifier: Apache-2.0
//
// kube::bench::Line: one result, printed as a line of JSON.
#pragma once

#include <cstdio>
#include <string>
#include <string_view>

#include <kube/json/writer.hpp>

namespace kube::bench {

/// @par Thread safety   Belongs to one thread.
class Line {
 public:
  explicit Line(std::string_view bench) {
    add("bench", bench);
    add("client", "kube-cpp");
  }
  Line& add(std::string_view name, std::string_view value) {
    json::write_string(value, member(name));
    return *this;
  }
  Line& add(std::string_view name, double value) {
    json::write_double(value, member(name));
    return *this;
  }
  /// Prints it to the standard output.
  void print() const {
    std::printf("%s}\n", text_.c_str());
    std::fflush(stdout);
  }

 private:
  std::string& member(std::string_view name) {
    text_ += text_.empty() ? '{' : ',';
    json::write_string(name, text_);
    text_ += ':';
    return text_;
  }
  std::string text_;
};

}  // namespace kube::bench

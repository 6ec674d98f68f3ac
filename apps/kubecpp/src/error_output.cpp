// SPDX-License-Identifier: Apache-2.0
#include "error_output.hpp"

#include <algorithm>
#include <cstdio>
#include <utility>

namespace kubecpp {
namespace {

std::string& stored_program_name() {
  static std::string name = "kubecpp";
  return name;
}

}  // namespace

void set_program_name(std::string name) {
  stored_program_name() = std::move(name);
}

const std::string& program_name() {
  return stored_program_name();
}

void print_error(std::string_view text) {
  std::fprintf(stderr, "kubecpp: %s\n", printable(text).c_str());
}

void print_note(std::string_view text) {
  std::fprintf(stderr, "%s\n", printable(text).c_str());
}

void print_error_lines(std::string_view text) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    print_error(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

void print_error_text(std::string_view text) {
  std::size_t end = text.find('\n');
  print_error(text.substr(0, end));
  while (end != std::string_view::npos) {
    text.remove_prefix(end + 1);
    end = text.find('\n');
    print_note(text.substr(0, end));
  }
}

}  // namespace kubecpp

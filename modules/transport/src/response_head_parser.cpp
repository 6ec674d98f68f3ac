// SPDX-License-Identifier: Apache-2.0
#include "response_head_parser.hpp"

#include <charconv>
#include <utility>

#include <kube/base/ascii.hpp>

namespace kube::transport {

bool ResponseHeadParser::add_line(std::string_view line) {
  if (complete_) return false;
  if (line.starts_with("HTTP/")) {
    fields_.clear();
    status_ = 0;
    http2_ = line.starts_with("HTTP/2");
    const std::size_t space = line.find(' ');
    if (space != std::string_view::npos) {
      // curl has checked the line; a status that it accepted but that can't be read here remains 0.
      std::from_chars(line.data() + space + 1, line.data() + line.size(), status_);
    }
    return false;
  }
  line = line.substr(0, line.find_last_not_of("\r\n") + 1);
  if (!ascii::trim_blanks(line).empty()) {
    add_field(line);
    return false;
  }
  const bool interim = status_ >= 100 && status_ < 200 && status_ != 101;
  complete_ = !interim;
  return complete_;
}

void ResponseHeadParser::add_field(std::string_view line) {
  const bool continued = line.front() == ' ' || line.front() == '\t';
  if (continued && !fields_.empty()) {
    std::string& value = fields_.back().second;
    if (!value.empty()) value += ' ';
    value += ascii::trim_blanks(line);
    return;
  }
  const std::size_t colon = line.find(':');
  if (colon == std::string_view::npos) return;
  fields_.emplace_back(ascii::trim_blanks(line.substr(0, colon)),
                       ascii::trim_blanks(line.substr(colon + 1)));
}

ResponseHead ResponseHeadParser::take() {
  ResponseHead head;
  head.status = status_;
  for (Headers::Field& field : std::exchange(fields_, {})) {
    head.headers.add(std::move(field.first), std::move(field.second));
  }
  return head;
}

}  // namespace kube::transport

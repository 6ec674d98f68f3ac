// SPDX-License-Identifier: Apache-2.0
//
// The head of an answer, from the lines that libcurl hands out: a second reading of the same lines
// agrees, and a head that is written again reads back the same; a head of gzip loses what describes
// the coded body.
//
// Input: whether the body is decoded (one byte), the lines.
#include <algorithm>
#include <cctype>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gzip_decoder.hpp"
#include "response_head_parser.hpp"

namespace {

using kube::transport::ResponseHead;
using kube::transport::ResponseHeadParser;
using Fields = std::vector<std::pair<std::string, std::string>>;

void expect(bool holds, int line = __builtin_LINE()) {
  if (holds) return;
  std::fprintf(stderr, "line %d: does not hold\n", line);
  std::abort();
}

std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size() - 1) + 1;
    lines.emplace_back(text.substr(0, end));
    text.remove_prefix(end);
  }
  return lines;
}

std::string trimmed(std::string text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.erase(0, 1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.pop_back();
  return text;
}

std::string lower(std::string text) {
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

struct Head {
  int status = 0;
  Fields fields;
  bool complete = false;
};

// What of the lines is the head of the real answer, block after block.
Head second_reading(const std::vector<std::string>& lines) {
  Head head;
  for (std::string line : lines) {
    if (line.rfind("HTTP/", 0) == 0) {
      head = {};
      const std::size_t space = line.find(' ');
      if (space == std::string::npos) continue;
      std::size_t at = space + 1;
      const bool negative = at < line.size() && line[at] == '-';
      if (negative) ++at;
      long long number = 0;
      while (at < line.size() && line[at] >= '0' && line[at] <= '9' && number < 10'000'000'000LL) {
        number = number * 10 + (line[at++] - '0');
      }
      if (negative) number = -number;
      if (number >= -2147483648LL && number <= 2147483647LL) head.status = static_cast<int>(number);
      continue;
    }
    while (!line.empty() && (line.back() == '\r' || line.back() == '\n')) line.pop_back();
    if (trimmed(line).empty()) {
      if (head.status >= 100 && head.status < 200 && head.status != 101) continue;
      head.complete = true;
      return head;
    }
    if ((line[0] == ' ' || line[0] == '\t') && !head.fields.empty()) {
      std::string& value = head.fields.back().second;
      value = trimmed(value + ' ' + trimmed(line));
    } else if (const std::size_t colon = line.find(':'); colon != std::string::npos) {
      head.fields.emplace_back(trimmed(line.substr(0, colon)), trimmed(line.substr(colon + 1)));
    }
  }
  return head;
}

ResponseHead parsed(const std::vector<std::string>& lines, bool* complete) {
  ResponseHeadParser parser;
  *complete = false;
  for (const std::string& line : lines) {
    // Trailers after the head, and whatever comes with them, change nothing.
    const bool completes = parser.add_line(line);
    expect(!completes || !*complete);
    *complete = *complete || completes;
    expect(parser.complete() == *complete);
  }
  return parser.take();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const bool decoded = data[0] % 2 == 1;
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  const std::vector<std::string> lines = lines_of(text);
  bool complete = false;
  ResponseHead head = parsed(lines, &complete);
  Head other = second_reading(lines);
  expect(other.complete == complete);
  if (!complete) return 0;

  expect(head.status == other.status);
  expect(Fields(head.headers.begin(), head.headers.end()) == other.fields);
  if (decoded && kube::transport::take_gzip_coding(head.headers)) {
    const auto coding =
        std::find_if(other.fields.begin(), other.fields.end(),
                     [](const auto& field) { return lower(field.first) == "content-encoding"; });
    expect(coding != other.fields.end());
    const std::string value = lower(coding->second);
    expect(value == "gzip" || value == "x-gzip");
    expect(std::count_if(other.fields.begin(), other.fields.end(), [](const auto& field) {
             return lower(field.first) == "content-encoding";
           }) == 1);
    std::erase_if(other.fields, [](const auto& field) {
      const std::string name = lower(field.first);
      return name == "content-encoding" || name == "content-length";
    });
  }
  expect(Fields(head.headers.begin(), head.headers.end()) == other.fields);
  expect(head.headers.size() <= lines.size());

  // Written again. (A field without a name, or one that begins a line with a blank, is none.)
  std::vector<std::string> written = {"HTTP/1.1 " + std::to_string(head.status) + " OK\r\n"};
  Fields kept;
  for (const auto& [name, value] : head.headers) {
    expect(name.find(':') == std::string::npos);
    if (name.empty() || name.rfind("HTTP/", 0) == 0 || value.find('\r') != value.npos) continue;
    expect(head.headers.find(name).has_value() && head.headers.find(lower(name)).has_value());
    kept.emplace_back(name, value);
    written.push_back(name + ": " + value + "\r\n");
  }
  written.emplace_back("\r\n");
  const ResponseHead again = parsed(written, &complete);
  expect(complete && again.status == head.status);
  expect(Fields(again.headers.begin(), again.headers.end()) == kept);
  return 0;
}

// SPDX-License-Identifier: Apache-2.0
//
// yaml::parse_all: cuts a manifest into documents, reads JSON ones as JSON and the others as YAML.
#include <kube/json/yaml.hpp>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <kube/base/ascii.hpp>
#include <kube/base/utf8.hpp>
#include <kube/json/text.hpp>

#include "members.hpp"
#include "yaml_events.hpp"
#include "yaml_scalar.hpp"
#include "yaml_source.hpp"

namespace kube::yaml {
namespace {

using json::Value;

// Returns `part` up to the end of the JSON object that begins at `first`, if only comments and the
// end of the document follow.
std::string_view without_end(std::string_view part, std::size_t first) {
  const auto length = json::end_of_value(part.substr(first));
  if (!length) return part;
  std::string_view rest = part.substr(first + *length);
  const std::size_t next = first_line_with_content(rest);
  if (next > 0 && rest.substr(next).starts_with("...")) {
    const std::size_t line = std::min(rest.find('\n', next), rest.size());
    if (has_end_marker(std::string(rest.substr(next, line - next)) + '\n'))
      rest.remove_prefix(line);
  }
  return first_line_with_content(rest) == rest.size() ? part.substr(0, first + *length) : part;
}

class ManifestReader {
 public:
  ManifestReader(std::string_view text, const RepeatedKeys& repeated)
      : text_(text), repeated_(repeated), options_{repeated.matter() && repeated.in_json} {
    if (text_.starts_with("\xef\xbb\xbf")) text_.remove_prefix(3);
  }

  Result<std::vector<Value>> read() {
    if (auto done = read_json_row(); !done) return done.error();
    while (at_ < text_.size()) {
      if (auto done = read_yaml_part(); !done) return done.error();
    }
    return std::move(documents_);
  }
  // The JSON texts of the first documents, or of all of them; an empty text for YAML.
  std::vector<std::string_view> json_texts() && { return std::move(texts_); }
  const std::vector<DocumentPlace>& places() const { return places_; }

 private:
  void add_json(std::size_t begin, Value value, std::string_view text) {
    texts_.resize(documents_.size());
    texts_.push_back(text);
    places_.push_back({line_of(begin), repeated_.report == nullptr ? 0 : repeated_.report->size()});
    documents_.push_back(std::move(value));
  }

  // Reads JSON objects one after the other, as long as the text starts with one. Like kubectl, the
  // reader switches to YAML when anything else follows at most one object, and never switches back.
  Result<void> read_json_row() {
    for (int count = 0;; ++count) {
      const std::size_t begin = text_.find_first_not_of(" \t\r\n", at_);
      if (begin == std::string_view::npos) {
        at_ = text_.size();
        return {};
      }
      const bool is_json = is_json_object(text_.substr(begin));
      if (!is_json && count < 2) return {};
      const auto length = json::end_of_value(text_.substr(begin));
      if (!is_json || !length) {
        auto error = json::find_syntax_error(text_.substr(begin));
        if (!error) error = json::SyntaxError{0, "expected a JSON object"};
        error->offset += begin;
        return error->to_error();
      }
      const std::string_view document = text_.substr(begin, *length);
      auto value = json::parse_at(document, options_, begin);
      if (value) {
        add_json(begin, *std::move(value), document);
      } else if (repeated_.report == nullptr) {
        return value.error();
      } else if (auto done = build_repeated(begin, document); !done) {
        return done;
      }
      at_ = begin + *length;
    }
  }

  Result<void> read_yaml_part() {
    const std::size_t begin = at_;
    if (begin >= checked_) {
      for (checked_ = begin; checked_ < text_.size();) {
        const std::size_t length = utf8_length(text_, checked_);
        if (length == 0) return yaml_error(line_of(checked_), "invalid leading UTF-8 octet");
        if (is_control(text_.substr(checked_, length)))
          return yaml_error(line_of(checked_), "control characters are not allowed");
        checked_ += length;
      }
    }
    std::size_t end = text_.size();
    for (std::size_t line = begin; line < text_.size();) {
      std::size_t line_end = text_.find('\n', line);
      line_end = line_end == std::string_view::npos ? text_.size() : line_end;
      const std::string_view content = text_.substr(line, line_end - line);
      // The rest of a line on which a JSON object ended is not a line of its own.
      const bool starts_line = line == 0 || text_[line - 1] == '\n';
      if (starts_line && content.starts_with("---")) {
        const std::string_view rest = ascii::trim_space(content.substr(3));
        if (!rest.empty() && rest.front() != '#') {
          return yaml_error(line_of(line),
                            "invalid Yaml document separator: expected nothing after ---");
        }
        end = line;
        at_ = std::min(line_end + 1, text_.size());
        break;
      }
      line = line_end + 1;
    }
    if (end == text_.size()) at_ = end;
    return read_part(begin, text_.substr(begin, end - begin));
  }

  Result<void> read_part(std::size_t begin, std::string_view part) {
    constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
    if (part.starts_with(kByteOrderMark)) {
      part.remove_prefix(kByteOrderMark.size());
      begin += kByteOrderMark.size();
    }
    const std::size_t first = part.find_first_not_of(" \t\r\n");
    if (first == std::string_view::npos) return {};
    const bool is_object = is_json_object(part.substr(first));
    if (is_object) part = without_end(part, first);
    if (part[first] == '{' || part[first] == '[') {  // reading JSON is much faster
      auto value = json::parse_at(part, options_, begin);
      if (value) {
        add_json(begin + first, *std::move(value), part.substr(first));
        return {};
      }
      if (is_object) {
        return repeated_.report == nullptr ? Result<void>(value.error())
                                           : build_repeated(begin + first, part.substr(first));
      }
    }
    // Directives need the "---" that was cut off; yaml-cpp skips unknown ones.
    if (const std::size_t line = first_line_with_content(part); part.substr(line).starts_with('%'))
      return yaml_error(line_of(begin + line), "did not find expected <document start>");
    const std::optional<std::string> mended = with_line_feeds(part);
    return build(begin, mended ? *mended : part);
  }

  // Reads JSON with duplicate keys as YAML, whose reader reports all of them with their lines.
  Result<void> build_repeated(std::size_t begin, std::string_view document) {
    if (auto value = json::parse_at(document, {}, begin); !value) return value.error();
    std::string text(document);
    std::replace(text.begin(), text.end(), '\r', ' ');  // yaml-cpp takes a lone one for text
    return build(begin, text);
  }

  // yaml-cpp accepts a quoted text that is not closed when its input ends on a blank line inside it
  // or right after the opening quote, but not when a document ends there: so the end of a document
  // is added to the part.
  Result<void> build(std::size_t begin, std::string_view part) {
    const int first_line = line_of(begin);
    const std::size_t size = part.size();
    // yaml-cpp would read a "%" line after a document as a directive and skip it.
    if (part.find("\n%") != std::string_view::npos) {
      std::string marked(part);
      for (std::size_t at = 0; (at = marked.find("\n%", at)) != std::string::npos;)
        marked[at + 1] = '@';
      std::vector<Value> ignored;
      if (auto whole = build_documents(marked, size, first_line, {}, ignored); !whole) return whole;
    }
    const std::size_t last_line = part.find_last_of('\n') + 1;
    const bool ends_blank = part.find_last_not_of(" \t") + 1 == last_line;
    if (!ends_blank && !part.ends_with('"') && !part.ends_with('\''))
      return build_documents(std::string(part), size, first_line, repeated_, documents_, &places_);
    const std::string ended = ends_blank ? std::string(part.substr(0, last_line)) + "...\n"
                                         : std::string(part) + "\n...\n";
    if (last_line == size)
      return build_documents(ended, size, first_line, repeated_, documents_, &places_);
    // The part may end with the end of a block text, after which nothing may be added.
    std::vector<Value> ignored;
    auto whole = build_documents(ended, ends_blank ? last_line : size, first_line, {}, ignored);
    return whole ? build_documents(std::string(part), size, first_line, repeated_, documents_,
                                   &places_)
                 : whole;
  }

  // Lines count from 1. Offsets must ascend, so that all calls together are linear.
  int line_of(std::size_t offset) {
    const auto from = text_.begin() + static_cast<std::ptrdiff_t>(counted_);
    line_ += static_cast<int>(
        std::count(from, text_.begin() + static_cast<std::ptrdiff_t>(offset), '\n'));
    counted_ = offset;
    return line_;
  }

  std::string_view text_;
  const RepeatedKeys repeated_;
  const json::ParseOptions options_;  // for documents in JSON
  std::size_t at_ = 0;
  std::size_t counted_ = 0;
  std::size_t checked_ = 0;  // up to here the text is UTF-8
  int line_ = 1;
  std::vector<Value> documents_;
  std::vector<std::string_view> texts_;
  std::vector<DocumentPlace> places_;
};

Result<Value> only(Result<std::vector<Value>> documents) {
  if (!documents) return documents.error();
  if (documents->size() != 1) {
    return Error(ErrorCode::Decode,
                 "yaml: expected one document, found " + std::to_string(documents->size()));
  }
  return std::move(documents->front());
}

}  // namespace

Result<std::vector<Value>> parse_all(std::string_view text, const json::ParseOptions& options) {
  return ManifestReader(text, {.reject = options.reject_duplicate_keys}).read();
}
Result<std::vector<Value>> parse_all(std::string_view text,
                                     std::vector<std::string>& repeated_keys) {
  repeated_keys.clear();
  return ManifestReader(text, {.report = &repeated_keys}).read();
}
Result<std::vector<Document>> read_documents(std::string_view text) {
  std::vector<std::string> repeated;
  ManifestReader reader(text, {.report = &repeated, .in_json = false});
  auto values = reader.read();
  if (!values) return values.error();
  const std::vector<DocumentPlace> places = reader.places();
  const std::vector<std::string_view> texts = std::move(reader).json_texts();
  std::vector<Document> documents;
  auto next = repeated.begin();
  for (std::size_t i = 0; i < values->size(); ++i) {
    const auto end = repeated.begin() + static_cast<std::ptrdiff_t>(places[i].repeated_keys);
    documents.push_back({.value = std::move((*values)[i]),
                         .json = i < texts.size() ? texts[i] : std::string_view(),
                         .line = places[i].line,
                         .repeated_keys = {next, end}});
    next = end;
  }
  return documents;
}

Result<Value> parse(std::string_view text, const json::ParseOptions& options) {
  return only(parse_all(text, options));
}
Result<Value> parse(std::string_view text, std::vector<std::string>& repeated_keys) {
  return only(parse_all(text, repeated_keys));
}

}  // namespace kube::yaml

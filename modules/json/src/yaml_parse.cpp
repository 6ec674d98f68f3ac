// SPDX-License-Identifier: Apache-2.0
//
// yaml::parse_all: cuts a manifest into documents, reads JSON ones as JSON and builds values from
// the events of yaml-cpp for the others.
#include <kube/json/yaml.hpp>

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <kube/json/text.hpp>

#include "members.hpp"
#include "yaml_scalar.hpp"

namespace kube::yaml {
namespace {

using json::Array;
using json::Object;
using json::Value;

// A failure inside yaml-cpp's callbacks, which can only be left by an exception.
struct BuildError {
  int line;
  std::string message;
};

// What a copy of a value costs (about its bytes), and how deep it is.
struct Measure {
  std::size_t cost = 0;
  int depth = 0;
};

// Stops adding once the cost is above `limit`.
void measure(const Value& value, int depth, std::size_t limit, Measure& total) {
  constexpr std::size_t each = 32;
  total.cost += each;
  total.depth = std::max(total.depth, depth);
  if (const std::string* text = value.if_string()) {
    total.cost += text->size();
  } else if (const Array* array = value.if_array()) {
    for (const Value& element : *array) {
      if (total.cost > limit) return;
      measure(element, depth + 1, limit, total);
    }
  } else if (const Object* object = value.if_object()) {
    for (const auto& [key, member] : *object) {
      if (total.cost > limit) return;
      total.cost += each + key.size();
      measure(member, depth + 1, limit, total);
    }
  }
}

// Builds the documents of one part of the manifest. `first_line` is the part's place in it;
// `budget` is what all copies that aliases make may cost, so that a small text can't become a large
// value.
class Builder : public YAML::EventHandler {
 public:
  Builder(const json::ParseOptions& options, int first_line, std::size_t budget,
          std::vector<Value>& out)
      : options_(options), first_line_(first_line), budget_(budget), out_(out) {}

  void OnDocumentStart(const YAML::Mark&) override {
    anchors_.clear();
    root_.reset();
  }
  void OnDocumentEnd() override {
    if (root_ && !root_->is_null()) out_.push_back(*std::move(root_));
    root_.reset();
  }
  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    place(Value(), mark.line, anchor);
  }
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& text) override {
    if (expects_key() && tag == "?" && text == "<<") {
      stack_.back().key = Key{"<<", true, mark.line};
      return;
    }
    std::optional<Value> value;
    if (tag == "!") {
      value = Value(text);
    } else if (tag == "?") {
      value = resolve_plain(text);
    } else {
      value = resolve_tagged(tag, text);
    }
    if (!value)
      fail(mark.line,
           "cannot read `" + text + "` as " + (tag == "?" ? "a JSON value" : "a " + tag));
    place(*std::move(value), mark.line, anchor);
  }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    const auto found = anchors_.find(anchor);
    if (found == anchors_.end()) fail(mark.line, "anchor value contains itself");
    charge(found->second, mark.line);
    place(found->second, mark.line, YAML::NullAnchor);
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    open(Frame{.is_map = false, .line = mark.line, .anchor = anchor});
  }
  void OnSequenceEnd() override {
    Frame frame = close();
    place(Value(std::move(frame.elements)), frame.line, frame.anchor);
  }
  void OnMapStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    open(Frame{.is_map = true, .line = mark.line, .anchor = anchor});
  }
  void OnMapEnd() override {
    Frame frame = close();
    if (const auto repeated = json::drop_repeated_keys(frame.members);
        repeated && options_.reject_duplicate_keys) {
      fail(frame.key_lines[repeated->index], "key \"" + repeated->key + "\" already set in map");
    }
    merge(frame);
    place(Value(Object(std::move(frame.members))), frame.line, frame.anchor);
  }

 private:
  struct Key {
    std::string text;
    bool merge;
    int line;
  };
  // A list or map whose end has not come.
  struct Frame {
    bool is_map;
    int line;
    YAML::anchor_t anchor;
    Array elements{};
    std::vector<Object::Member> members{};
    std::vector<int> key_lines{};
    std::optional<Key> key{};
    std::vector<Value> merges{};  // the values of "<<"
  };

  [[noreturn]] void fail(int line, std::string message) const {
    throw BuildError{first_line_ + line, std::move(message)};
  }

  bool expects_key() const { return !stack_.empty() && stack_.back().is_map && !stack_.back().key; }

  void open(Frame frame) {
    if (expects_key()) fail(frame.line, "a map key must be a scalar");
    if (stack_.size() >= static_cast<std::size_t>(json::max_depth))
      fail(frame.line, "exceeded max depth");
    stack_.push_back(std::move(frame));
  }
  Frame close() {
    Frame frame = std::move(stack_.back());
    stack_.pop_back();
    return frame;
  }

  // Accounts for a copy of `value` at the current place.
  void charge(const Value& value, int line) {
    Measure total;
    measure(value, 1, budget_, total);
    if (total.cost > budget_) fail(line, "document contains excessive aliasing");
    budget_ -= total.cost;
    if (stack_.size() + static_cast<std::size_t>(total.depth) >
        static_cast<std::size_t>(json::max_depth)) {
      fail(line, "exceeded max depth");
    }
  }

  void place(Value value, int line, YAML::anchor_t anchor) {
    if (anchor != YAML::NullAnchor) {
      charge(value, line);
      anchors_.insert_or_assign(anchor, value);
    }
    if (stack_.empty()) {
      root_ = std::move(value);
      return;
    }
    Frame& frame = stack_.back();
    if (!frame.is_map) {
      frame.elements.push_back(std::move(value));
    } else if (!frame.key) {
      frame.key = Key{key_text(value, line), false, line};
    } else if (frame.key->merge) {
      frame.merges.push_back(std::move(value));
      frame.key.reset();
    } else {
      frame.members.emplace_back(std::move(frame.key->text), std::move(value));
      frame.key_lines.push_back(frame.key->line);
      frame.key.reset();
    }
  }

  std::string key_text(const Value& value, int line) const {
    if (const std::string* text = value.if_string()) return *text;
    if (value.is_number() || value.if_bool() != nullptr) return json::dump(value);
    fail(line,
         "a map key must be a string, number or boolean, not " + std::string(value.type_name()));
  }

  // Members of merged maps that the map itself doesn't have; the first map that has one wins.
  void merge(Frame& frame) {
    if (frame.merges.empty()) return;
    std::set<std::string, std::less<>> present;
    for (const auto& [key, value] : frame.members) present.insert(key);
    const auto add = [&](Value& source) {
      Object* object = source.if_object();
      if (object == nullptr)
        fail(frame.line, "map merge requires map or sequence of maps as the value");
      for (auto& [key, value] : *object) {
        if (present.insert(key).second) frame.members.emplace_back(key, std::move(value));
      }
    };
    for (Value& source : frame.merges) {
      if (Array* sources = source.if_array()) {
        for (Value& each : *sources) add(each);
      } else {
        add(source);
      }
    }
  }

  const json::ParseOptions& options_;
  int first_line_;
  std::size_t budget_;
  std::vector<Value>& out_;
  std::vector<Frame> stack_;
  std::map<YAML::anchor_t, Value> anchors_;
  std::optional<Value> root_;
};

// A brace and a quote, or an empty object: meant as JSON, though {a: b} and even {"a": b} are YAML.
bool is_json_object(std::string_view text) {
  if (!text.starts_with('{')) return false;
  const std::size_t next = text.find_first_not_of(" \t\r\n", 1);
  return next != std::string_view::npos && (text[next] == '"' || text[next] == '}');
}

Error yaml_error(int line, const std::string& message) {
  return Error(ErrorCode::Decode, "yaml: line " + std::to_string(line) + ": " + message);
}

// Reads a manifest from front to back.
class ManifestReader {
 public:
  ManifestReader(std::string_view text, const json::ParseOptions& options)
      : text_(text), options_(options) {
    if (text_.starts_with("\xef\xbb\xbf")) text_.remove_prefix(3);
  }

  Result<std::vector<Value>> read() {
    if (auto done = read_json_row(); !done) return done.error();
    while (at_ < text_.size()) {
      if (auto done = read_yaml_part(); !done) return done.error();
    }
    return std::move(documents_);
  }

 private:
  // JSON objects one after the other, as long as the text starts with one. Like kubectl, reading
  // turns to YAML when something else comes after at most one object, and never back.
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
      auto value = json::parse_at(text_.substr(begin, *length), options_, begin);
      if (!value) return value.error();
      documents_.push_back(*std::move(value));
      at_ = begin + *length;
    }
  }

  // The text up to the next separator.
  Result<void> read_yaml_part() {
    const std::size_t begin = at_;
    std::size_t end = text_.size();
    for (std::size_t line = begin; line < text_.size();) {
      std::size_t line_end = text_.find('\n', line);
      line_end = line_end == std::string_view::npos ? text_.size() : line_end;
      const std::string_view content = text_.substr(line, line_end - line);
      // The rest of a line that a JSON object ended on isn't a line of its own.
      const bool starts_line = line == 0 || text_[line - 1] == '\n';
      if (starts_line && content.starts_with("---")) {
        std::string_view rest = content.substr(3);
        const std::size_t first = rest.find_first_not_of(" \t\r");
        if (first != std::string_view::npos && rest[first] != '#') {
          rest = rest.substr(first, rest.find_last_not_of(" \t\r") + 1 - first);
          return yaml_error(line_of(line), "invalid Yaml document separator: " + std::string(rest));
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
    const std::size_t first = part.find_first_not_of(" \t\r\n");
    if (first == std::string_view::npos) return {};
    if (part[first] == '{' || part[first] == '[') {  // much faster to read as such
      auto value = json::parse_at(part, options_, begin);
      if (value) {
        documents_.push_back(*std::move(value));
        return {};
      }
      if (is_json_object(part.substr(first))) return value.error();
    }
    return build(begin, part);
  }

  Result<void> build(std::size_t begin, std::string_view part) {
    const int first_line = line_of(begin);
    try {
      std::istringstream stream{std::string(part)};
      YAML::Parser parser(stream);
      Builder builder(options_, first_line, (std::size_t{10} << 20) + 64 * part.size(), documents_);
      while (parser.HandleNextDocument(builder)) {
      }
      return {};
    } catch (const BuildError& error) {
      return yaml_error(error.line, error.message);
    } catch (const YAML::Exception& error) {
      return yaml_error(first_line + std::max(error.mark.line, 0), error.msg);
    }
  }

  // Lines count from 1. Called with ascending offsets, so that counting is linear in all.
  int line_of(std::size_t offset) {
    const auto from = text_.begin() + static_cast<std::ptrdiff_t>(counted_);
    line_ += static_cast<int>(
        std::count(from, text_.begin() + static_cast<std::ptrdiff_t>(offset), '\n'));
    counted_ = offset;
    return line_;
  }

  std::string_view text_;
  const json::ParseOptions& options_;
  std::size_t at_ = 0;
  std::size_t counted_ = 0;
  int line_ = 1;
  std::vector<Value> documents_;
};

}  // namespace

Result<std::vector<Value>> parse_all(std::string_view text, const json::ParseOptions& options) {
  return ManifestReader(text, options).read();
}

Result<Value> parse(std::string_view text, const json::ParseOptions& options) {
  auto documents = parse_all(text, options);
  if (!documents) return documents.error();
  if (documents->size() != 1) {
    return Error(ErrorCode::Decode,
                 "yaml: expected one document, found " + std::to_string(documents->size()));
  }
  return std::move(documents->front());
}

}  // namespace kube::yaml

// SPDX-License-Identifier: Apache-2.0
//
// yaml::parse_all: cuts a manifest into documents, reads JSON ones as JSON and builds values from
// the events of yaml-cpp for the others.
#include <kube/json/yaml.hpp>

#include <yaml-cpp/depthguard.h>
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

#include <kube/base/ascii.hpp>
#include <kube/base/utf8.hpp>
#include <kube/json/text.hpp>

#include "members.hpp"
#include "yaml_scalar.hpp"
#include "yaml_source.hpp"

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

constexpr const char* kTooDeep = "exceeded max depth: lists and maps are nested too deeply";
constexpr const char* kNoColon = "could not find expected ':'";

// What a copy of a value costs (about its bytes), and how deep it is.
struct Measure {
  std::size_t cost = 0;
  int depth = 0;
};

// Stops adding once the cost is above `limit`.
void measure(const Value& value, int depth, std::size_t limit, Measure& total) {
  constexpr std::size_t kEach = 32;
  total.cost += kEach;
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
      total.cost += kEach + key.size();
      measure(member, depth + 1, limit, total);
    }
  }
}

// What to do about keys that come twice.
struct RepeatedKeys {
  bool reject = false;
  std::vector<std::string>* report = nullptr;
  bool in_json = true;  // documents in JSON as well

  bool matter() const { return reject || report != nullptr; }
};

// A key as Go's %#v shows it: keys of different types are different ones.
std::string literal_of(const Value& key) {
  const std::string* text = key.if_string();
  if (text == nullptr) return json::dump(key);
  std::string out = "\"";
  for (const char c : *text) {
    switch (c) {
      case '\n':
        out += "\\n";
        break;
      case '\r':
        out += "\\r";
        break;
      case '\t':
        out += "\\t";
        break;
      case '"':
      case '\\':
        out += '\\';
        [[fallthrough]];
      default:
        out += c;
    }
  }
  return out += '"';
}

// What kubectl makes of a key such as +.INF.
std::string not_finite_key(std::string_view text) {
  const char last = text.back();
  if (last == 'n' || last == 'N') return ".nan";
  return text.front() == '-' ? "-.inf" : ".inf";
}

// Builds the documents of one part of the manifest. `first_line` is the part's place in it;
// `budget` is what all copies that aliases make may cost, so that a small text can't become a large
// value.
//
// A map takes its members one after the other, those that "<<" brings at its place among them, and
// the last one counts: what kubectl's reader does, though YAML would have a member of the map
// itself win over a merged one wherever it stands.
class Builder : public YAML::EventHandler {
 public:
  Builder(std::string_view text, const RepeatedKeys& repeated, int first_line, std::size_t budget,
          std::vector<Value>& out)
      : text_(text), repeated_(repeated), first_line_(first_line), budget_(budget), out_(out) {}

  void OnDocumentStart(const YAML::Mark& mark) override {
    // In front of a token that begins nothing yaml-cpp finds one empty document after the other,
    // and behind a document it takes anything for the next one.
    const auto begin = std::min(static_cast<std::size_t>(std::max(mark.pos, 0)), text_.size());
    if (document_ == begin) fail(mark.line, "did not find expected node content");
    if (document_ && !has_end_marker(text_.substr(*document_, begin - *document_)))
      fail(mark.line, "did not find expected <document start>");
    document_ = begin;
    anchors_.clear();
    root_.reset();
  }
  void OnDocumentEnd() override {
    if (root_ && !root_->is_null()) out_.push_back(*std::move(root_));
    root_.reset();
  }
  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    // The mark of a value that isn't written is that of what comes next.
    const bool is_value = !stack_.empty() && stack_.back().key;
    if (is_value && stack_.back().is_block && mark.pos == scalar_begin_) fail_without_colon();
    if (!stack_.empty() && !stack_.back().is_map && text_.substr(offset(mark.pos)).starts_with(','))
      fail(mark.line, "did not find expected node content");
    place(Value(), is_value ? stack_.back().key->line : mark.line, anchor);
  }
  void OnAnchor(const YAML::Mark& mark, const std::string& name) override {
    if (!is_anchor(name)) fail(mark.line, "did not find expected alphabetic or numeric character");
  }
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& scalar) override {
    const std::string_view content = check_begin(mark);
    if (!content.starts_with('|') && !content.starts_with('>')) {
      check_column(mark);
    } else if (const auto line = tab_in_block_indentation(content)) {
      fail(mark.line + *line, "found a tab character where an indentation space is expected");
    }
    scalar_begin_ = mark.pos;
    std::optional<std::string> mended = with_escapes_as_utf8(scalar);
    if (const std::size_t breaks = breaks_at_end_of_quoted(content, scalar); breaks > 1) {
      if (!mended) mended = scalar;
      mended->erase(mended->find_last_not_of('\n') + 1);
      mended->append(breaks - 1, '\n');
    }
    const std::string& text = mended ? *mended : scalar;
    if (expects_key() && tag == "?" && text == "<<") {
      stack_.back().key = Key{"<<", {}, true, mark.line};
      return;
    }
    std::optional<Value> value;
    if (tag == "!") {
      value = Value(text);
    } else if (tag == "?") {
      value = resolve_plain(text);
      // A key is text in the end, and JSON has none but finite numbers.
      if (!value && expects_key()) value = Value(not_finite_key(text));
    } else {
      value = resolve_tagged(tag, text);
    }
    // Not what it is, but for infinities and "not a number": the text may be a password.
    if (!value) {
      fail(mark.line, tag == "?" ? "cannot read `" + text + "` as a JSON value"
                                 : "cannot read the value as a " + tag);
    }
    place(*std::move(value), mark.line, anchor);
  }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    (void)check_begin(mark);
    check_column(mark);
    scalar_begin_ = mark.pos;
    const auto found = anchors_.find(anchor);
    if (found == anchors_.end()) fail(mark.line, "anchor value contains itself");
    const Anchored& anchored = found->second;
    charge(anchored.value, mark.line);
    place(anchored.value, mark.line, YAML::NullAnchor, anchored.lines);
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value style) override {
    const bool is_block = style == YAML::EmitterStyle::Block;
    (void)check_begin(mark);
    if (!is_block) check_column(mark);
    open(Frame{.is_map = false, .line = mark.line, .anchor = anchor, .is_block = is_block});
  }
  void OnSequenceEnd() override {
    Frame frame = close();
    place(Value(std::move(frame.elements)), frame.line, frame.anchor);
  }
  void OnMapStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value style) override {
    (void)check_begin(mark);
    check_column(mark);
    open(Frame{.is_map = true,
               .line = mark.line,
               .anchor = anchor,
               .is_block = style == YAML::EmitterStyle::Block});
  }
  void OnMapEnd() override {
    Frame frame = close();
    const bool whole = !json::drop_repeated_keys(frame.members);
    // With a member gone the lines fit no more; it has been reported, which is what they are for.
    place(Value(Object(std::move(frame.members))), frame.line, frame.anchor,
          whole ? std::move(frame.lines) : std::vector<int>());
  }

 private:
  struct Key {
    std::string text;
    std::string literal;  // see literal_of(); when repeated keys matter
    bool merge;
    int line;
  };
  // `lines`: of a map the lines of its members' values; empty when they are of no interest.
  struct Anchored {
    Value value;
    std::vector<int> lines;
  };
  // A list or map whose end has not come.
  struct Frame {
    bool is_map;
    int line;
    YAML::anchor_t anchor;
    bool is_block;  // not one in braces or brackets
    Array elements{};
    std::vector<Object::Member> members{};
    std::vector<int> lines{};     // of the members' values, when repeated keys matter
    std::set<std::string> met{};  // their keys' literals, likewise
    std::optional<Key> key{};
  };

  [[noreturn]] void fail(int line, std::string message) const {
    throw BuildError{first_line_ + line, std::move(message)};
  }

  // yaml-cpp takes a text for a key until it knows better, and at the end of a document it never
  // gets to know: then the value that isn't there has the mark of the key, and not of the "?" in
  // front of it or of what comes next.
  [[noreturn]] void fail_without_colon() const {
    const std::size_t end = std::min(find_end_marker(text_, offset(scalar_begin_)), text_.size());
    const std::string_view before = text_.substr(0, end);
    const auto lines = std::count(before.begin(), before.end(), '\n');
    fail(static_cast<int>(lines) + (before.ends_with('\n') ? 0 : 1), kNoColon);
  }

  // The text from a node itself on, behind its tag and anchor.
  std::string_view check_begin(const YAML::Mark& mark) const {
    const bool in_block = stack_.empty() || stack_.back().is_block;
    const NodeBegin begin = node_at(text_, offset(mark.pos), in_block);
    if (begin.fault != nullptr) fail(mark.line, begin.fault);
    return begin.content;
  }

  // A value on a line of its own that begins where its key does is the next key for Go's reader.
  // A key with "?" in front may stand anywhere behind it.
  void check_column(const YAML::Mark& mark) const {
    if (stack_.empty() || !stack_.back().is_block || !stack_.back().key) return;
    const std::string_view before = line_before(text_, offset(mark.pos));
    if (!ascii::trim_blanks(before).empty()) return;
    const std::size_t key = offset(scalar_begin_);
    if (before.size() > line_before(text_, key).size()) return;
    const std::size_t last = text_.substr(0, key).find_last_not_of(" \t\n");
    if (last == std::string_view::npos || text_[last] != '?') fail(mark.line + 1, kNoColon);
  }

  std::size_t offset(int position) const {
    return std::min(static_cast<std::size_t>(std::max(position, 0)), text_.size());
  }

  bool expects_key() const { return !stack_.empty() && stack_.back().is_map && !stack_.back().key; }

  void open(Frame frame) {
    if (expects_key()) fail(frame.line, "a map key must be a scalar");
    if (stack_.size() >= static_cast<std::size_t>(json::kMaxDepth)) fail(frame.line, kTooDeep);
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
        static_cast<std::size_t>(json::kMaxDepth)) {
      fail(line, kTooDeep);
    }
  }

  void place(Value value, int line, YAML::anchor_t anchor, const std::vector<int>& lines = {}) {
    if (anchor != YAML::NullAnchor) {
      charge(value, line);
      anchors_.insert_or_assign(anchor, Anchored{value, lines});
    }
    if (stack_.empty()) {
      root_ = std::move(value);
      return;
    }
    Frame& frame = stack_.back();
    if (!frame.is_map) {
      frame.elements.push_back(std::move(value));
    } else if (!frame.key) {
      if (value.if_string() == nullptr && !value.is_number() && value.if_bool() == nullptr) {
        fail(line, "a map key must be a string, number or boolean, not " +
                       std::string(value.type_name()));
      }
      const std::string* text = value.if_string();
      frame.key = Key{text != nullptr ? *text : json::dump(value),
                      repeated_.matter() ? literal_of(value) : std::string(), false, line};
    } else if (frame.key->merge) {
      merge(frame, std::move(value), line, lines);
      frame.key.reset();
    } else {
      Key key = *std::exchange(frame.key, std::nullopt);
      add_member(frame, std::move(key.text), std::move(key.literal), std::move(value), line);
    }
  }

  void add_member(Frame& frame, std::string key, std::string literal, Value value, int line) {
    if (repeated_.matter()) {
      if (frame.met.count(literal) != 0) report_repeated(literal, line);
      frame.met.insert(std::move(literal));
      frame.lines.push_back(line);
    }
    frame.members.emplace_back(std::move(key), std::move(value));
  }

  void report_repeated(const std::string& literal, int line) {
    const std::string what = "key " + literal + " already set in map";
    if (repeated_.reject) fail(line, what);
    repeated_.report->push_back("line " + std::to_string(first_line_ + line) + ": " + what);
  }

  // Of several maps the first one that has a member counts.
  void merge(Frame& frame, Value source, int line, const std::vector<int>& lines) {
    const auto add = [&](Value& each, const std::vector<int>& member_lines) {
      Object* object = each.if_object();
      if (object == nullptr) fail(line, "map merge requires map or sequence of maps as the value");
      std::size_t at = 0;
      for (auto& [key, value] : *object) {
        add_member(frame, key, repeated_.matter() ? literal_of(Value(key)) : std::string(),
                   std::move(value), at < member_lines.size() ? member_lines[at] : line);
        ++at;
      }
    };
    Array* sources = source.if_array();
    if (sources == nullptr) return add(source, lines);
    for (std::size_t i = sources->size(); i-- > 0;) add((*sources)[i], {});
  }

  std::string_view text_;
  const RepeatedKeys& repeated_;
  int first_line_;
  std::size_t budget_;
  std::vector<Value>& out_;
  std::vector<Frame> stack_;
  std::map<YAML::anchor_t, Anchored> anchors_;
  std::optional<Value> root_;
  std::optional<std::size_t> document_;  // where it began
  int scalar_begin_ = -1;                // of the last scalar or alias, with its tag and anchor
};

// A brace and a quote, or an empty object: meant as JSON, though {a: b} and even {"a": b} are YAML.
bool is_json_object(std::string_view text) {
  if (!text.starts_with('{')) return false;
  const std::size_t next = text.find_first_not_of(" \t\r\n", 1);
  return next != std::string_view::npos && (text[next] == '"' || text[next] == '}');
}

// `part` up to the end of the JSON object that begins at `first`, if only comments and the end of
// the document follow.
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

Error yaml_error(int line, const std::string& message) {
  return Error(ErrorCode::Decode, "yaml: line " + std::to_string(line) + ": " + message);
}

// Reads a manifest from front to back.
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
  // Of the first of the documents that were read, or all; empty for YAML.
  std::vector<std::string_view> json_texts() && { return std::move(texts_); }

 private:
  void add_json(Value value, std::string_view text) {
    texts_.resize(documents_.size());
    texts_.push_back(text);
    documents_.push_back(std::move(value));
  }

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
      const std::string_view document = text_.substr(begin, *length);
      auto value = json::parse_at(document, options_, begin);
      if (value) {
        add_json(*std::move(value), document);
      } else if (repeated_.report == nullptr) {
        return value.error();
      } else if (auto done = build_repeated(begin, document); !done) {
        return done;
      }
      at_ = begin + *length;
    }
  }

  // The text up to the next separator.
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
      // The rest of a line that a JSON object ended on isn't a line of its own.
      const bool starts_line = line == 0 || text_[line - 1] == '\n';
      if (starts_line && content.starts_with("---")) {
        const std::string_view rest = ascii::trim_space(content.substr(3));
        if (!rest.empty() && rest.front() != '#') {
          return yaml_error(line_of(line),
                            "invalid Yaml document separator: expected nothing behind ---");
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
    if (part[first] == '{' || part[first] == '[') {  // much faster to read as such
      auto value = json::parse_at(part, options_, begin);
      if (value) {
        add_json(*std::move(value), part.substr(first));
        return {};
      }
      if (is_object) {
        return repeated_.report == nullptr ? Result<void>(value.error())
                                           : build_repeated(begin + first, part.substr(first));
      }
    }
    // Directives need the "---" that has been cut off; yaml-cpp skips those that it doesn't know.
    if (const std::size_t line = first_line_with_content(part); part.substr(line).starts_with('%'))
      return yaml_error(line_of(begin + line), "did not find expected <document start>");
    const std::optional<std::string> mended = with_line_feeds(part);
    return build(begin, mended ? *mended : part);
  }

  // JSON in which keys may come twice: as YAML, which tells all of them and where they are.
  Result<void> build_repeated(std::size_t begin, std::string_view document) {
    if (auto value = json::parse_at(document, {}, begin); !value) return value.error();
    std::string text(document);
    std::replace(text.begin(), text.end(), '\r', ' ');  // alone it is text for yaml-cpp
    return build(begin, text);
  }

  // yaml-cpp takes a quoted text for whole when its input ends on a blank line inside it or right
  // behind the quote that begins it, but never when it meets the end of a document there: so one is
  // put behind the part.
  Result<void> build(std::size_t begin, std::string_view part) {
    const int first_line = line_of(begin);
    const std::size_t size = part.size();
    // A line of "%" behind a document would be a directive without one, which yaml-cpp skips.
    if (part.find("\n%") != std::string_view::npos) {
      std::string marked(part);
      for (std::size_t at = 0; (at = marked.find("\n%", at)) != std::string::npos;)
        marked[at + 1] = '@';
      std::vector<Value> ignored;
      if (auto whole = run(marked, size, first_line, {}, ignored); !whole) return whole;
    }
    const std::size_t last_line = part.find_last_of('\n') + 1;
    const bool ends_blank = part.find_last_not_of(" \t") + 1 == last_line;
    if (!ends_blank && !part.ends_with('"') && !part.ends_with('\''))
      return run(std::string(part), size, first_line, repeated_, documents_);
    const std::string ended = ends_blank ? std::string(part.substr(0, last_line)) + "...\n"
                                         : std::string(part) + "\n...\n";
    if (last_line == size) return run(ended, size, first_line, repeated_, documents_);
    // The end of the part may be that of a block text, which must not be followed by anything.
    std::vector<Value> ignored;
    auto whole = run(ended, ends_blank ? last_line : size, first_line, {}, ignored);
    return whole ? run(std::string(part), size, first_line, repeated_, documents_) : whole;
  }

  // `size`: of `text` without what has been put behind it.
  static Result<void> run(const std::string& text, std::size_t size, int first_line,
                          const RepeatedKeys& repeated, std::vector<Value>& out) {
    try {
      std::istringstream stream(text);
      YAML::Parser parser(stream);
      Builder builder(text, repeated, first_line, (std::size_t{10} << 20) + 64 * size, out);
      while (parser.HandleNextDocument(builder)) {
      }
      return {};
    } catch (const BuildError& error) {
      return yaml_error(error.line, error.message);
    } catch (const YAML::DeepRecursion& error) {  // whose own words are "bad file"
      return yaml_error(first_line + std::max(error.mark.line, 0), kTooDeep);
    } catch (const YAML::Exception& error) {
      const bool at_end = error.msg == YAML::ErrorMsg::EOF_IN_SCALAR ||
                          (error.msg == YAML::ErrorMsg::DOC_IN_SCALAR && error.mark.pos >= 0 &&
                           static_cast<std::size_t>(error.mark.pos) >= size);
      return yaml_error(first_line + std::max(error.mark.line, 0),
                        at_end ? "found unexpected end of stream" : error.msg);
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
  const RepeatedKeys repeated_;
  const json::ParseOptions options_;  // of documents in JSON
  std::size_t at_ = 0;
  std::size_t counted_ = 0;
  std::size_t checked_ = 0;  // up to here the text is UTF-8
  int line_ = 1;
  std::vector<Value> documents_;
  std::vector<std::string_view> texts_;  // of the first of them
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
Result<std::vector<Document>> read_documents(std::string_view text,
                                             std::vector<std::string>& repeated_keys) {
  repeated_keys.clear();
  ManifestReader reader(text, {.report = &repeated_keys, .in_json = false});
  auto values = reader.read();
  if (!values) return values.error();
  const std::vector<std::string_view> texts = std::move(reader).json_texts();
  std::vector<Document> documents;
  for (std::size_t i = 0; i < values->size(); ++i) {
    documents.push_back(
        {std::move((*values)[i]), i < texts.size() ? texts[i] : std::string_view()});
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

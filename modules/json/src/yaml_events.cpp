// SPDX-License-Identifier: Apache-2.0
#include "yaml_events.hpp"

#include <yaml-cpp/depthguard.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <sstream>
#include <utility>

#include <kube/base/ascii.hpp>
#include <kube/json/text.hpp>

#include "members.hpp"
#include "yaml_scalar.hpp"
#include "yaml_source.hpp"

namespace kube::yaml {
namespace {

using json::Array;
using json::Object;
using json::Value;

// A failure inside yaml-cpp's callbacks, which only an exception can leave.
struct BuildError {
  int line;
  std::string message;
};

constexpr const char* kTooDeep = "exceeded max depth: lists and maps are nested too deeply";
constexpr const char* kNoColon = "could not find expected ':'";

// The cost of a copy of a value (about its bytes), and its depth.
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

// Builds the documents of one part of the manifest. `first_line` is the part's first line in it;
// `budget` limits the cost of all copies that aliases make, so that a small text can't become a
// large value.
//
// A map takes its members in order, those of a "<<" at its position, and for a duplicate name the
// last one wins, as in kubectl's reader. By YAML's own rule a member of the map would always win
// over a merged one.
class Builder : public YAML::EventHandler {
 public:
  Builder(std::string_view text, const RepeatedKeys& repeated, int first_line, std::size_t budget,
          std::vector<Value>& out, std::vector<DocumentPlace>* places)
      : text_(text),
        repeated_(repeated),
        first_line_(first_line),
        budget_(budget),
        out_(out),
        places_(places) {}

  void OnDocumentStart(const YAML::Mark& mark) override {
    // Before a token that begins nothing yaml-cpp finds one empty document after another, and after
    // a document it takes any text for the next document.
    const auto begin = std::min(static_cast<std::size_t>(std::max(mark.pos, 0)), text_.size());
    if (document_ == begin) fail(mark.line, "did not find expected node content");
    if (document_ && !has_end_marker(text_.substr(*document_, begin - *document_)))
      fail(mark.line, "did not find expected <document start>");
    document_ = begin;
    document_line_ = first_line_ + std::max(mark.line, 0);
    anchors_.clear();
    names_.clear();
    root_.reset();
  }
  void OnDocumentEnd() override {
    if (root_ && !root_->is_null()) {
      out_.push_back(*std::move(root_));
      if (places_ != nullptr) {
        places_->push_back(
            {document_line_, repeated_.report == nullptr ? 0 : repeated_.report->size()});
      }
    }
    root_.reset();
  }
  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    // A value that is missing has the mark of the next one.
    const bool is_value = !stack_.empty() && stack_.back().key;
    if (is_value && stack_.back().is_block && mark.pos == scalar_begin_) fail_without_colon();
    if (!stack_.empty() && !stack_.back().is_map && text_.substr(offset(mark.pos)).starts_with(','))
      fail(mark.line, "did not find expected node content");
    place(Value(), is_value ? stack_.back().key->line : mark.line, anchor);
  }
  void OnAnchor(const YAML::Mark& mark, const std::string& name) override {
    if (!is_anchor(name)) fail(mark.line, "did not find expected alphabetic or numeric character");
    names_.insert(name);
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
      // A key becomes text in the end, and JSON has only finite numbers.
      if (!value && expects_key()) value = Value(not_finite_key(text));
    } else {
      value = resolve_tagged(tag, text);
    }
    // Only infinities and NaN are shown: another text may be a password.
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
    // After a member was dropped the lines don't fit; they serve duplicates, which were reported.
    place(Value(Object(std::move(frame.members))), frame.line, frame.anchor,
          whole ? std::move(frame.lines) : std::vector<int>());
  }

  /// Returns the error for a place where yaml-cpp can't go on. `size`: where the text ends of which
  /// more may follow.
  Error syntax_error(const YAML::Mark& mark, std::size_t size) const {
    Expected expected = Expected::Node;
    if (!stack_.empty() && !stack_.back().is_block) {
      expected = stack_.back().is_map ? Expected::MapSeparator : Expected::ListSeparator;
    } else if (expects_key()) {
      expected = Expected::Key;
    }
    return yaml_error(first_line_ + std::max(mark.line, 0),
                      fault_at(text_.substr(0, size), offset(mark.pos), expected, names_));
  }

 private:
  struct Key {
    std::string text;
    std::string literal;  // see literal_of(); when repeated keys matter
    bool merge;
    int line;
  };
  // `lines`: the lines of a map's values; empty when they are not needed.
  struct Anchored {
    Value value;
    std::vector<int> lines;
  };
  // A list or map whose end has not been read.
  struct Frame {
    bool is_map;
    int line;
    YAML::anchor_t anchor;
    bool is_block;  // not one in braces or brackets
    Array elements{};
    std::vector<Object::Member> members{};
    std::vector<int> lines{};     // of the members' values, if duplicate keys are reported
    std::set<std::string> met{};  // the literals of their keys, if they are reported
    std::optional<Key> key{};
  };

  [[noreturn]] void fail(int line, std::string message) const {
    throw BuildError{first_line_ + line, std::move(message)};
  }

  // yaml-cpp treats a text as a key until it knows better, which it never does at the end of a
  // document: then the missing value has the mark of the key, instead of the mark of the "?" before
  // it or of the next token.
  [[noreturn]] void fail_without_colon() const {
    const std::size_t end = std::min(find_end_marker(text_, offset(scalar_begin_)), text_.size());
    const std::string_view before = text_.substr(0, end);
    const auto lines = std::count(before.begin(), before.end(), '\n');
    fail(static_cast<int>(lines) + (before.ends_with('\n') ? 0 : 1), kNoColon);
  }

  // Returns the text from a node on, after its tag and anchor.
  std::string_view check_begin(const YAML::Mark& mark) const {
    const bool in_block = stack_.empty() || stack_.back().is_block;
    const NodeBegin begin = node_at(text_, offset(mark.pos), in_block);
    if (begin.fault != nullptr) fail(mark.line, begin.fault);
    return begin.content;
  }

  // Go's reader takes a value on a line of its own that begins in the column of its key for the
  // next key. A key after "?" may begin in any column.
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

  // Accounts for a copy of `value` at the current position.
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

  // When several maps have a member, the first one wins.
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
  std::vector<DocumentPlace>* places_;
  int document_line_ = 0;
  std::vector<Frame> stack_;
  std::map<YAML::anchor_t, Anchored> anchors_;
  std::set<std::string, std::less<>> names_;  // of all anchors so far
  std::optional<Value> root_;
  std::optional<std::size_t> document_;  // where it begins
  int scalar_begin_ = -1;  // where the last scalar or alias begins, with its tag and anchor
};

}  // namespace

Error yaml_error(int line, const std::string& message) {
  return Error(ErrorCode::Decode, "yaml: line " + std::to_string(line) + ": " + message);
}

Result<void> build_documents(const std::string& text, std::size_t size, int first_line,
                             const RepeatedKeys& repeated, std::vector<Value>& out,
                             std::vector<DocumentPlace>* places) {
  Builder builder(text, repeated, first_line, (std::size_t{10} << 20) + 64 * size, out, places);
  try {
    std::istringstream stream(text);
    YAML::Parser parser(stream);
    while (parser.HandleNextDocument(builder)) {
    }
    return {};
  } catch (const BuildError& error) {
    return yaml_error(error.line, error.message);
  } catch (const YAML::DeepRecursion& error) {
    return yaml_error(first_line + std::max(error.mark.line, 0), kTooDeep);
  } catch (const YAML::Exception& error) {
    return builder.syntax_error(error.mark, size);
  }
}

}  // namespace kube::yaml

// SPDX-License-Identifier: Apache-2.0
#include <kube/json/json_path.hpp>

#include <charconv>
#include <utility>

namespace kube::json {

class JsonPathParser {
 public:
  explicit JsonPathParser(std::string_view text) : text_(text) {
    if (text_.starts_with('{') && text_.ends_with('}')) text_ = text_.substr(1, text_.size() - 2);
  }

  Result<JsonPath> parse() {
    JsonPath path;
    take('$');
    while (at_ < text_.size()) {
      if (take('.')) {
        if (at_ == text_.size()) return path;  // "." is the whole document
        if (peek() == '[') continue;
        if (take('*')) {
          path.steps_.push_back({.kind = JsonPath::Step::Kind::All});
          continue;
        }
        std::string name = member();
        if (name.empty()) return wrong("a name");
        path.steps_.push_back({.name = std::move(name)});
      } else if (take('[')) {
        auto step = bracket();
        if (!step) return step.error();
        path.steps_.push_back(*std::move(step));
      } else if (at_ == 0) {
        std::string name = member();
        if (name.empty()) return wrong("a name");
        path.steps_.push_back({.name = std::move(name)});
      } else {
        return wrong("'.' or '['");
      }
    }
    return path;
  }

 private:
  using Step = JsonPath::Step;

  char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  bool take(char c) {
    if (peek() != c || at_ == text_.size()) return false;
    ++at_;
    return true;
  }
  bool take(std::string_view word) {
    if (!text_.substr(at_).starts_with(word)) return false;
    at_ += word.size();
    return true;
  }
  void blanks() {
    while (take(' ')) {
    }
  }
  Error wrong(std::string_view expected) const {
    return Error(ErrorCode::InvalidArgument, "JSON path " + std::string(text_) + ", offset " +
                                                 std::to_string(at_) + ": expected " +
                                                 std::string(expected));
  }

  std::string member() {
    std::string name;
    while (at_ < text_.size() && peek() != '.' && peek() != '[' && peek() != '=' && peek() != '!' &&
           peek() != ' ' && peek() != ')') {
      if (peek() == '\\' && at_ + 1 < text_.size()) ++at_;
      name += text_[at_++];
    }
    return name;
  }

  std::string quoted() {
    const char quote = text_[at_++];
    std::string out;
    while (at_ < text_.size() && peek() != quote) {
      if (peek() == '\\' && at_ + 1 < text_.size()) ++at_;
      out += text_[at_++];
    }
    take(quote);
    return out;
  }

  Result<Step> bracket() {
    Step step;
    if (take('*')) {
      step.kind = Step::Kind::All;
    } else if (peek() == '\'' || peek() == '"') {
      step.name = quoted();
    } else if (take("?(")) {
      auto filtered = filter();
      if (!filtered) return filtered;
      step = *std::move(filtered);
    } else {
      step.kind = Step::Kind::Index;
      const char* const begin = text_.data() + at_;
      const auto read = std::from_chars(begin, text_.data() + text_.size(), step.index);
      if (read.ec != std::errc{}) return wrong("an index, '*', a quoted name or a filter");
      at_ += static_cast<std::size_t>(read.ptr - begin);
    }
    if (!take(']')) return wrong("']'");
    return step;
  }

  Result<Step> filter() {
    Step step;
    step.kind = Step::Kind::Filter;
    blanks();
    if (!take("@.")) return wrong("'@.'");
    step.name = member();
    blanks();
    if (take("!=")) {
      step.equal = false;
    } else if (!take("==")) {
      return wrong("'==' or '!='");
    }
    blanks();
    if (peek() == '\'' || peek() == '"') {
      step.wanted = quoted();
    } else {
      const std::size_t end = text_.find(')', at_);
      if (end == std::string_view::npos) return wrong("')'");
      auto value = json::parse(text_.substr(at_, end - at_));
      if (!value) return wrong("a string, a number or a boolean");
      step.wanted = *std::move(value);
      at_ = end;
    }
    blanks();
    if (!take(')')) return wrong("')'");
    return step;
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

Result<JsonPath> JsonPath::compile(std::string_view text) {
  return JsonPathParser(text).parse();
}

bool JsonPath::passes(const Step& step, const Value& value) {
  const Object* members = value.if_object();
  const Value* found = members == nullptr ? nullptr : members->find(step.name);
  return found != nullptr && (*found == step.wanted) == step.equal;
}

// Searches depth first, which is the order of the document; each step descends one level.
class JsonPath::Search {
 public:
  Search(const std::vector<Step>& steps, bool first_only) : steps_(steps), first_(first_only) {}

  void visit(const Value& value, std::size_t depth) {
    if (depth == steps_.size()) {
      if (!first_ || !value.is_null()) found_.push_back(&value);
      return;
    }
    const Step& step = steps_[depth];
    if (step.kind == Step::Kind::Member) {
      const Object* members = value.if_object();
      const Value* found = members == nullptr ? nullptr : members->find(step.name);
      if (found != nullptr) visit(*found, depth + 1);
      return;
    }
    if (const Object* members = value.if_object();
        members != nullptr && step.kind == Step::Kind::All) {
      for (const auto& [key, member] : *members) {
        if (!look()) return;
        visit(member, depth + 1);
      }
    }
    if (const Array* items = value.if_array()) visit_items(step, *items, depth);
  }

  std::vector<const Value*> take() { return std::move(found_); }

 private:
  void visit_items(const Step& step, const Array& items, std::size_t depth) {
    if (step.kind == Step::Kind::Index) {
      const auto size = static_cast<std::int64_t>(items.size());
      const std::int64_t at = step.index < 0 ? size + step.index : step.index;
      if (at >= 0 && at < size) visit(items[static_cast<std::size_t>(at)], depth + 1);
      return;
    }
    for (const Value& item : items) {
      if (!look()) return;
      if (step.kind == Step::Kind::All || passes(step, item)) visit(item, depth + 1);
    }
  }

  // Whether one more value may be visited.
  bool look() {
    if (looks_ == kMaxLooks || (first_ && !found_.empty())) return false;
    ++looks_;
    return true;
  }

  const std::vector<Step>& steps_;
  const bool first_;
  std::size_t looks_ = 0;
  std::vector<const Value*> found_;
};

std::vector<const Value*> JsonPath::find(const Value& root) const {
  Search search(steps_, false);
  search.visit(root, 0);
  return search.take();
}

const Value* JsonPath::find_first(const Value& root) const {
  Search search(steps_, true);
  search.visit(root, 0);
  const auto found = search.take();
  return found.empty() ? nullptr : found.front();
}

std::vector<std::string> JsonPath::leading_names() const {
  std::vector<std::string> names;
  for (const Step& step : steps_) {
    if (step.kind != Step::Kind::Member) break;
    names.push_back(step.name);
  }
  return names;
}

}  // namespace kube::json

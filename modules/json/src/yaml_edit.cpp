// SPDX-License-Identifier: Apache-2.0
//
// yaml::edit: compares the document with the wanted one and changes the lines of what differs. What
// has been changed is read again; if it is not what was wanted, the document is written anew.
#include <kube/json/yaml_edit.hpp>

#include <algorithm>
#include <cstddef>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include <kube/base/ascii.hpp>
#include <kube/json/text.hpp>
#include <kube/json/yaml.hpp>

#include "yaml_outline.hpp"
#include "yaml_source.hpp"

namespace kube::yaml {
namespace {

using json::Array;
using json::Object;
using json::Value;
using Kind = OutlineNode::Kind;

void collect_lines(const OutlineNode& node, const std::string& path, int depth, FieldLines& out) {
  if (depth == 0) return;
  std::size_t at = 0;
  for (const OutlineNode& child : node.children) {
    const std::string below = node.kind == Kind::List ? path + "[" + std::to_string(at++) + "]"
                              : path.empty()          ? child.key
                                                      : path + "." + child.key;
    out[below] = static_cast<int>(child.key_line) + 1;
    collect_lines(child, below, depth - 1, out);
  }
}

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    lines.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

// Whether a line has no content but a comment.
bool is_comment(std::string_view line) {
  line = ascii::trim_space(line);
  return line.empty() || line.front() == '#';
}

// Whether a line is "---" or "...", with nothing or a blank behind it.
bool is_marker(std::string_view line, std::string_view marker) {
  return line.starts_with(marker) &&
         (line.size() == marker.size() || json::is_space(line[marker.size()]));
}

const std::string* name_of(const Value& element) {
  const Object* object = element.if_object();
  const Value* name = object == nullptr ? nullptr : object->find("name");
  return name == nullptr ? nullptr : name->if_string();
}

const Value* find_named(const Array& array, std::string_view name) {
  for (const Value& each : array) {
    if (*name_of(each) == name) return &each;
  }
  return nullptr;
}

// The element whose name alone is another one than `old` has: it is `old`, renamed.
const Value* find_renamed(const Value& old, const Array& from, const Array& to) {
  Object wanted = *old.if_object();
  for (const Value& each : to) {
    if (find_named(from, *name_of(each)) != nullptr) continue;
    wanted.set("name", *name_of(each));
    if (wanted == *each.if_object()) return &each;
  }
  return nullptr;
}

// Whether all elements have a name of their own.
bool are_named(const Array& array) {
  for (const Value& each : array) {
    if (name_of(each) == nullptr) return false;
  }
  for (const Value& each : array) {
    if (find_named(array, *name_of(each)) != &each) return false;
  }
  return true;
}

// dump() with `prefix` before the first line and as many blanks before the others.
std::string dump_after(std::string_view prefix, const Value& value) {
  const std::string text = yaml::dump(value);
  std::string out;
  for (const std::string_view line : lines_of(text)) {
    if (out.empty()) {
      out.append(prefix);
    } else if (!line.empty()) {
      out.append(prefix.size(), ' ');
    }
    out.append(line).push_back('\n');
  }
  return out;
}

// The lines from `begin` to `end` become `text`.
struct Change {
  std::size_t begin = 0;
  std::size_t end = 0;
  std::string text{};
};

class Editor {
 public:
  explicit Editor(std::string_view text) : lines_(lines_of(text)) {
    for (std::string_view& line : lines_) {
      const bool is_crlf = line.ends_with('\r');
      if (is_crlf) line.remove_suffix(1);
      is_crlf_.push_back(is_crlf);
    }
  }

  // False when the text can't be changed in place.
  bool change(const OutlineNode& root, const Value& from, const Value& to) {
    std::size_t end = root.line;
    while (end < lines_.size() && !is_end(lines_[end])) ++end;
    return change_node(root, end, from, to);
  }

  std::string take() && {
    // What is inserted comes before the line that another change replaces.
    std::stable_sort(changes_.begin(), changes_.end(), [](const Change& a, const Change& b) {
      return std::pair(a.begin, a.end != a.begin) < std::pair(b.begin, b.end != b.begin);
    });
    std::string out;
    std::size_t at = 0;
    const auto copy_to = [&](std::size_t end) {
      for (; at < end; ++at) out.append(lines_[at]).append(is_crlf_[at] ? "\r\n" : "\n");
    };
    // New lines end as the first one does.
    const std::string_view line_end = !is_crlf_.empty() && is_crlf_.front() ? "\r\n" : "\n";
    for (const Change& each : changes_) {
      copy_to(each.begin);
      for (const std::string_view line : lines_of(each.text)) out.append(line).append(line_end);
      at = std::max(at, each.end);
    }
    copy_to(lines_.size());
    return out;
  }

 private:
  // A member or an element: the lines from its first to the one after its last line of content.
  struct Extent {
    std::size_t begin = 0;
    std::size_t end = 0;
  };

  static bool is_end(std::string_view line) {
    return line.starts_with("---") || line.starts_with("...");
  }

  Extent extent_of(const OutlineNode& parent, std::size_t at, std::size_t end) const {
    const auto& children = parent.children;
    Extent extent{children[at].key_line,
                  at + 1 < children.size() ? children[at + 1].key_line : end};
    while (extent.end > extent.begin + 1 && is_comment(lines_[extent.end - 1])) --extent.end;
    return extent;
  }
  std::string_view before(const OutlineNode& child) const {
    return lines_[child.key_line].substr(0, child.key_column);
  }

  bool change_node(const OutlineNode& node, std::size_t end, const Value& from, const Value& to) {
    if (!node.in_block) return false;
    if (from.is_object() && to.is_object() && node.kind == Kind::Map)
      return change_map(node, end, *from.if_object(), *to.if_object());
    if (from.is_array() && to.is_array() && node.kind == Kind::List)
      return change_list(node, end, *from.if_array(), *to.if_array());
    return false;
  }

  bool change_map(const OutlineNode& node, std::size_t end, const Object& from, const Object& to) {
    if (to.empty() || node.children.size() != from.size()) return false;
    const std::size_t before_changes = changes_.size();
    const bool done = change_members(node, end, from, to);
    if (!done) changes_.resize(before_changes);
    return done;
  }

  bool change_members(const OutlineNode& node, std::size_t end, const Object& from,
                      const Object& to) {
    for (std::size_t i = 0; i < node.children.size(); ++i) {
      const OutlineNode& child = node.children[i];
      const Value* const old = from.find(child.key);
      if (old == nullptr || child.key_line >= lines_.size()) return false;
      const Extent extent = extent_of(node, i, end);
      const Value* const wanted = to.find(child.key);
      if (wanted == nullptr) {
        if (!ascii::trim_space(before(child)).empty()) return false;  // it is behind a "- "
        changes_.push_back({extent.begin, extent.end, ""});
      } else if (!(*old == *wanted)) {
        change_member(child, extent, *old, *wanted);
      }
    }
    std::vector<const Object::Member*> added;
    for (const Object::Member& member : to) {
      if (!from.contains(member.first)) added.push_back(&member);
    }
    std::sort(added.begin(), added.end(),
              [](const auto* a, const auto* b) { return a->first < b->first; });
    for (const Object::Member* member : added) {
      insert_member(node, end, member->first, member->second);
    }
    return true;
  }

  void change_member(const OutlineNode& child, const Extent& extent, const Value& from,
                     const Value& to) {
    if (change_node(child, extent.end, from, to)) return;
    std::string text = dump_after(before(child), Value(Object{{child.key, to}}));
    const bool one_line = extent.end == extent.begin + 1 &&
                          std::count(text.begin(), text.end(), '\n') == 1 &&
                          child.kind == Kind::Scalar;
    if (one_line) text.insert(text.size() - 1, comment_after(child));
    changes_.push_back({extent.begin, extent.end, std::move(text)});
  }

  // Returns " # comment" after a scalar that ends in its line.
  std::string_view comment_after(const OutlineNode& scalar) const {
    std::string_view rest = lines_[scalar.line];
    if (scalar.column >= rest.size()) return {};
    rest.remove_prefix(scalar.column);
    const char quote = rest.front();
    if (quote == '"' || quote == '\'') {
      const std::size_t close = rest.find_last_of(quote);
      const std::size_t hash = rest.find('#', close);
      return hash == std::string_view::npos ? std::string_view() : rest.substr(close + 1);
    }
    const std::size_t hash = rest.find(" #");
    return hash == std::string_view::npos ? std::string_view()
                                          : rest.substr(rest.find_last_not_of(" \t", hash) + 1);
  }

  // Behind the last member with a smaller key when the keys are sorted, as kubectl writes them;
  // else at the end.
  void insert_member(const OutlineNode& node, std::size_t end, const std::string& key,
                     const Value& value) {
    const auto& children = node.children;
    const auto smaller = [](const auto& a, const auto& b) { return a.key < b.key; };
    std::size_t behind = children.size();
    if (std::is_sorted(children.begin(), children.end(), smaller)) {
      behind = 0;
      while (behind < children.size() && children[behind].key < key) ++behind;
    }
    if (behind == 0 && !ascii::trim_space(before(children.front())).empty()) behind = 1;
    const std::size_t at =
        behind == 0 ? children.front().key_line : extent_of(node, behind - 1, end).end;
    changes_.push_back(
        {at, at,
         dump_after(std::string(children.front().key_column, ' '), Value(Object{{key, value}}))});
  }

  bool change_list(const OutlineNode& node, std::size_t end, const Array& from, const Array& to) {
    if (to.empty() || node.children.size() != from.size() || !are_named(from) || !are_named(to))
      return false;
    const std::size_t before_changes = changes_.size();
    const bool done = change_elements(node, end, from, to);
    if (!done) changes_.resize(before_changes);
    return done;
  }

  bool change_elements(const OutlineNode& node, std::size_t end, const Array& from,
                       const Array& to) {
    std::size_t dash = 0;
    std::map<const Value*, std::size_t> renamed;  // The element as it is wanted, and its position.
    for (std::size_t i = 0; i < from.size(); ++i) {
      const OutlineNode& child = node.children[i];
      if (child.key_line >= lines_.size() || ascii::trim_space(before(child)) != "-") return false;
      dash = before(child).find('-');
      const Extent extent = extent_of(node, i, end);
      const Value* wanted = find_named(to, *name_of(from[i]));
      if (wanted == nullptr) {
        wanted = find_renamed(from[i], from, to);
        if (wanted != nullptr && !renamed.emplace(wanted, i).second) wanted = nullptr;
      }
      if (wanted == nullptr) {
        changes_.push_back({extent.begin, extent.end, ""});
      } else if (!(from[i] == *wanted) && !change_node(child, extent.end, from[i], *wanted)) {
        changes_.push_back({extent.begin, extent.end, dump_after(before(child), *wanted)});
      }
    }
    // A new element is written behind the one that it follows.
    std::size_t at = node.children.front().key_line;
    for (const Value& each : to) {
      const Value* const old = find_named(from, *name_of(each));
      if (const auto found = renamed.find(&each); found != renamed.end()) {
        at = extent_of(node, found->second, end).end;
      } else if (old != nullptr) {
        at = extent_of(node, static_cast<std::size_t>(old - from.data()), end).end;
      } else {
        changes_.push_back({at, at, dump_after(std::string(dash, ' ') + "- ", each)});
      }
    }
    return true;
  }

  std::vector<std::string_view> lines_;  // Without their ends.
  std::vector<bool> is_crlf_;
  std::vector<Change> changes_;
};

// yaml::edit() for a text with one document or none.
std::string edit_document(std::string_view text, const Value& wanted) {
  const Result<std::vector<Value>> documents = parse_all(text);
  if (documents && documents->empty()) {
    std::string out(text);
    if (!out.empty() && out.back() != '\n') out.push_back('\n');
    out += yaml::dump(wanted);
    const Result<Value> again = parse(out);
    return again && *again == wanted ? out : yaml::dump(wanted);
  }
  if (documents && documents->size() == 1) {
    if (documents->front() == wanted) return std::string(text);
    const std::optional<OutlineNode> root = outline_of(std::string(text));
    Editor editor(text);
    if (root && editor.change(*root, documents->front(), wanted)) {
      std::string out = std::move(editor).take();
      if (const Result<Value> again = parse(out); again && *again == wanted) return out;
    }
  }
  return yaml::dump(wanted);
}

}  // namespace

FieldLines field_lines(std::string_view text, int max_depth) {
  FieldLines lines;
  if (const auto root = outline_of(std::string(text))) collect_lines(*root, "", max_depth, lines);
  return lines;
}

int line_of(const FieldLines& lines, std::string_view path) {
  while (!path.empty()) {
    if (const auto found = lines.find(path); found != lines.end()) return found->second;
    const std::size_t cut = path.find_last_of(".[");
    path = path.substr(0, cut == std::string_view::npos ? 0 : cut);
  }
  return 1;
}

std::string_view first_document(std::string_view text) {
  bool has_begun = false;  // by its marker or its content
  bool has_content = false;
  for (std::size_t at = text.starts_with("\xef\xbb\xbf") ? 3 : 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view line = text.substr(at, end - at);
    if (is_marker(line, "---") || is_marker(line, "...")) {
      if (has_begun) return text.substr(0, at);
      has_begun = line.front() == '-';
    } else if (!has_content && !is_comment(line)) {
      has_begun = has_content = true;
      const std::size_t first = text.find_first_not_of(" \t", at);
      if (is_json_object(text.substr(first))) {
        if (const auto length = json::end_of_value(text.substr(first)))
          return text.substr(0, first + *length);
      }
    }
    at = std::min(end + 1, text.size());
  }
  return text;
}

std::string edit(std::string_view text, const Value& wanted) {
  const std::string_view first = first_document(text);
  std::string out = edit_document(first, wanted);
  if (out == first) return std::string(text);
  const std::string_view rest = text.substr(first.size());
  const std::string_view next = rest.substr(first_line_with_content(rest));
  if (next.empty()) return out;
  // Behind JSON the next document needs no marker.
  if (!next.starts_with("---") && !next.starts_with("...")) out += "---\n";
  return out.append(rest);
}

}  // namespace kube::yaml

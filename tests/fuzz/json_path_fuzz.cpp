// SPDX-License-Identifier: Apache-2.0
//
// JSON paths and templates. A line with a path, behind it a document: the path is an error, or is
// followed through any document; and the path that leads to a value of the document finds that
// value and no other. The same line as a template is an error, or prints text for any document.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <kube/json/json_path.hpp>
#include <kube/json/json_path_template.hpp>
#include <kube/json/value.hpp>

namespace {

using kube::json::JsonPath;
using kube::json::Value;

void expect(bool holds, int line = __builtin_LINE()) {
  if (holds) return;
  std::fprintf(stderr, "line %d: does not hold\n", line);
  std::abort();
}

// A name as a step: quoted, or after a dot with each character escaped.
std::string step_of(std::string_view name, bool quoted) {
  std::string step = quoted || name.empty() ? "['" : ".";
  for (const char c : name) step += {'\\', c};
  if (step.front() == '[') step += "']";
  return step;
}

// The path of each value of a document, `left` of them at most.
class Walk {
 public:
  explicit Walk(std::size_t left) : left_(left) {}

  void visit(const Value& value, const std::string& path) {
    if (left_ == 0) return;
    --left_;
    const auto compiled = JsonPath::compile(path);
    expect(compiled.has_value());
    if (root_ == nullptr) root_ = &value;
    const auto found = compiled->find(*root_);
    expect(found.size() == 1 && found[0] == &value);
    expect(compiled->find_first(*root_) == (value.is_null() ? nullptr : &value));
    const auto in_braces = JsonPath::compile('{' + path + '}');
    expect(in_braces.has_value() && in_braces->find(*root_) == found);
    if (const auto* members = value.if_object()) {
      for (const auto& [name, member] : *members) {
        if (members->find(name) != &member)
          continue;  // of a name that comes twice the first is found
        for (const bool quoted : {false, true}) {
          const auto step = JsonPath::compile(path + step_of(name, quoted));
          expect(step.has_value() &&
                 step->find_first(*root_) == (member.is_null() ? nullptr : &member));
        }
        visit(member, path + step_of(name, left_ % 2 == 0));
      }
    }
    if (const auto* items = value.if_array()) {
      const auto size = static_cast<std::int64_t>(items->size());
      for (std::int64_t i = 0; i < size; ++i) {
        const std::int64_t index = left_ % 2 == 0 ? i : i - size;
        visit((*items)[static_cast<std::size_t>(i)], path + '[' + std::to_string(index) + ']');
      }
    }
  }

 private:
  std::size_t left_;
  const Value* root_ = nullptr;
};

void collect(const Value& value, std::set<const Value*>& all) {
  all.insert(&value);
  if (const auto* members = value.if_object()) {
    for (const auto& [name, member] : *members) collect(member, all);
  }
  if (const auto* items = value.if_array()) {
    for (const Value& item : *items) collect(item, all);
  }
}

// What a template prints is what it finds, each expression with spaces between its values.
void check_template(std::string_view text, const Value& document) {
  const auto parsed = kube::json::JsonPathTemplate::parse(text);
  if (!parsed) {
    expect(parsed.error().code() == kube::ErrorCode::InvalidArgument);
    return;
  }
  for (const bool allow : {false, true}) {
    const kube::json::JsonPathOptions options{.allow_missing_keys = allow, .max_values = 2000};
    const auto printed = parsed->to_text(document, options);
    const auto found = parsed->find(document, options);
    expect(printed.has_value() == found.has_value());
    if (!printed) continue;
    std::string expected;
    for (const auto& values : *found) {
      for (std::size_t i = 0; i < values.size(); ++i) {
        if (i != 0) expected += ' ';
        expected += kube::json::json_path_text(*values[i]);
      }
    }
    expect(*printed == expected);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  const std::size_t end = std::min(input.find('\n'), size);
  const std::string_view text = input.substr(0, end);
  const auto document = kube::json::parse(input.substr(std::min(end + 1, size)));
  if (document) Walk(200).visit(*document, "$");
  check_template(text, document ? *document : Value());

  const auto path = JsonPath::compile(text);
  if (!path) {
    expect(path.error().code() == kube::ErrorCode::InvalidArgument);
    return 0;
  }
  const auto names = path->leading_names();
  if (!document) return 0;
  // What is found is of the document.
  std::set<const Value*> all;
  collect(*document, all);
  const auto found = path->find(*document);
  for (const Value* each : found) expect(all.contains(each));
  const auto first =
      std::find_if(found.begin(), found.end(), [](const Value* each) { return !each->is_null(); });
  expect(path->find_first(*document) == (first == found.end() ? nullptr : *first));
  // The names it begins with lead to what holds all that is found.
  const Value* holder = &*document;
  for (const std::string& name : names) {
    const auto* members = holder->if_object();
    const Value* next = members == nullptr ? nullptr : members->find(name);
    if (next == nullptr) {
      expect(found.empty());
      return 0;
    }
    holder = next;
  }
  std::set<const Value*> held;
  collect(*holder, held);
  for (const Value* each : found) expect(held.contains(each));
  return 0;
}

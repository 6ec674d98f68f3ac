// SPDX-License-Identifier: Apache-2.0
//
// JSONPath templates, as `kubectl get -o jsonpath=...` prints them: text with expressions in
// braces.
//
//   auto names = JsonPathTemplate::parse(R"({range .items[*]}{.metadata.name}{"\n"}{end})");
//   if (!names) return names.error();
//   auto text = names->to_text(document, {.allow_missing_keys = true});  // "front\nback\n"
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <kube/base/result.hpp>
#include <kube/base/text_argument.hpp>
#include <kube/json/value.hpp>

namespace kube::json {

struct JsonPathOptions {
  /// Whether a member that does not exist is nothing; if false, it is an error.
  bool allow_missing_keys = false;
  /// The maximum number of values that one call visits, repeated ones included.
  std::size_t max_values = 50'000'000;
};

/// A template that is parsed once and applied to many documents.
///
/// An expression consists of `.name`, `['name']` and `['a','b']`, where a dot begins the next name
/// (`\.` is a dot of the name), `..name` (at any depth), `.*`, `[n]`, `[begin:end:step]`, `[*]`,
/// `[?(left op right)]` with ==, !=, <, <=, >, >= or without an operator for existence, and
/// literals: quoted text with Go's escapes, numbers, true and false. `@` and `$` may begin an
/// expression and mean the current value: the document, the element of a range, or the element that
/// is filtered.
/// `{range ...}` repeats what follows, up to `{end}` or the end of the template, for each value.
///
/// @par Thread safety   Immutable.
class JsonPathTemplate {
 public:
  /// @par Errors   InvalidArgument, naming the offset, in kubectl's words: "unclosed action".
  static Result<JsonPathTemplate> parse(std::string_view text);

  /// Returns the text of the template. The values of one expression are separated by a space;
  /// strings are without quotes, objects and arrays are JSON with sorted members, null is "null".
  /// @par Errors   InvalidArgument where the document is not as the template expects: "name is not
  ///   found", "array index out of bounds: index 3, length 2", "string is not array or slice",
  ///   "incompatible types for comparison".
  /// @par Cost   Linear in the values that the expressions visit.
  Result<std::string> to_text(const Value& root, const JsonPathOptions& options = {}) const;
  template <AnyText T>
  Result<std::string> to_text(const T& root, const JsonPathOptions& options = {}) const =
      delete;  // parse() it first.

  /// Returns the values of each expression and the text between them, in order; an expression in a
  /// range has an element for each of its runs. The pointers are to the document and the template.
  /// @par Errors   As to_text().
  Result<std::vector<std::vector<const Value*>>> find(const Value& root,
                                                      const JsonPathOptions& options = {}) const&;
  Result<std::vector<std::vector<const Value*>>> find(const Value& root,
                                                      const JsonPathOptions& options = {}) const&& =
      delete;  // Name the template.
  Result<std::vector<std::vector<const Value*>>> find(const Value&& root,
                                                      const JsonPathOptions& options = {}) const =
      delete;  // Give the Value a name first.

 private:
  struct Parts;
  std::shared_ptr<const Parts> parts_;
};

/// Returns a value as a template prints it.
std::string json_path_text(const Value& value);

/// Returns the path of a custom column or of a sort order as a template: "{.metadata.name}" for
/// "metadata.name", ".metadata.name", "{metadata.name}" and "{.metadata.name}".
/// @par Errors   InvalidArgument, in kubectl's words: braces elsewhere, or no path.
Result<std::string> relaxed_json_path(std::string_view text);

}  // namespace kube::json

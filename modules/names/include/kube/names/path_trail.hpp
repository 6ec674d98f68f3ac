// SPDX-License-Identifier: Apache-2.0
//
// Where a walk over a document is.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include <kube/names/field_error.hpp>

namespace kube::meta {

/// A path that grows with each step into a document and shrinks when the step ends.
///
/// @par Thread safety   None.
/// @par Cost   A step: the name's length. (A text for each member would cost the length of all
///   names above it: one long name around many members would cost their product.)
class PathTrail {
 public:
  explicit PathTrail(std::string root = {}) : text_(std::move(root)) {}
  PathTrail(const PathTrail&) = delete;
  PathTrail& operator=(const PathTrail&) = delete;

  /// While it lives, the walk is below. Steps end in the reverse order of their beginning.
  class [[nodiscard]] Step {
   public:
    Step(std::string& text, std::size_t size) : text_(text), size_(size) {}
    ~Step() { text_.resize(size_); }
    Step(const Step&) = delete;
    Step& operator=(const Step&) = delete;

   private:
    std::string& text_;
    std::size_t size_;
  };

  /// "spec.name"; "name" at the root.
  Step child(std::string_view name) { return append(text_.empty() ? "" : ".", name, ""); }
  /// "spec[name]"
  Step key(std::string_view name) { return append("[", name, "]"); }
  /// "spec[0]"
  Step index(std::size_t at) { return key(std::to_string(at)); }
  Step append(std::string_view before, std::string_view name, std::string_view after) {
    const std::size_t size = text_.size();
    text_.append(before).append(name).append(after);
    return {text_, size};
  }

  /// Changes with each step, but is the same string.
  const std::string& text() const { return text_; }
  FieldPath path() const { return FieldPath(text_); }

 private:
  std::string text_;
};

}  // namespace kube::meta

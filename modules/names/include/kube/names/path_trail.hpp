// SPDX-License-Identifier: Apache-2.0
//
// Shared between modules: not promised to users.
//
// The path of a walk over a document, and the paths of the fields that it reports.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <kube/names/field_error.hpp>

namespace kube::meta {

/// A path that grows with each step into a document and shrinks when the step ends.
///
/// @par Thread safety   Not thread-safe.
/// @par Cost   A step costs the name's length. (A text for each member would cost the length of all
///   names above it.)
class PathTrail {
 public:
  explicit PathTrail(std::string root = {}) : text_(std::move(root)) {}
  PathTrail(const PathTrail&) = delete;
  PathTrail& operator=(const PathTrail&) = delete;

  /// The path has the step as long as this object lives. Steps end in reverse order.
  ///
  /// @par Thread safety   As its trail.
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

  /// One string, which changes with each step.
  const std::string& text() const { return text_; }
  FieldPath path() const { return FieldPath(text_); }

 private:
  std::string text_;
};

/// Collects the paths of fields that a kind does not have: the first 100, as many as the strict
/// reader of the API server reports, with at most 1 MiB of text.
///
/// @par Thread safety   None.
class UnknownPaths {
 public:
  void add(const std::string& path) {
    if (is_full()) return;
    bytes_ += path.size();
    paths_.push_back(path);
  }
  bool is_full() const { return paths_.size() >= kMaxPaths || bytes_ > kMaxBytes; }
  std::vector<std::string> take() && { return std::move(paths_); }

 private:
  static constexpr std::size_t kMaxPaths = 100;
  static constexpr std::size_t kMaxBytes = std::size_t{1} << 20U;

  std::vector<std::string> paths_;
  std::size_t bytes_ = 0;
};

}  // namespace kube::meta

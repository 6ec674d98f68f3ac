// SPDX-License-Identifier: Apache-2.0
//
// Regular expressions of schemas, in Go's syntax, with limits on their cost.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include <kube/base/result.hpp>

namespace kube::meta {

/// A regular expression that is searched for with RE2, whose syntax and meaning are Go's. Matching
/// takes time linear in the text for any expression. Immutable; may be used by several threads.
class Pattern {
 public:
  /// The maximum length: reading an expression can take 20 microseconds and 7 KiB a byte.
  static constexpr std::size_t kMaxBytes = 8192;
  /// The maximum memory of a pattern that needs more than the usual amount, including what it
  /// caches while it matches; a pattern that needs even more is rejected.
  static constexpr std::size_t kMaxMemory = std::size_t{1} << 20U;
  static constexpr std::size_t kUsualMemory = std::size_t{1} << 17U;

  /// `memory` limits its memory, in bytes; the limit is raised up to kMaxMemory if needed.
  /// @par Errors   Decode, in the words of Go's regexp.Compile; InvalidArgument for an expression
  ///   that is too large, for Go as well or for this class alone.
  static Result<Pattern> compile(std::string_view expression, std::size_t memory = kUsualMemory);

  bool is_in(std::string_view text) const;

  /// Returns the steps that a byte of text takes at worst, of 4 nanoseconds each.
  std::size_t steps() const;
  /// Returns the maximum memory of the pattern, in bytes.
  std::size_t memory() const;

 private:
  struct Impl;
  explicit Pattern(std::shared_ptr<const Impl> impl) : impl_(std::move(impl)) {}
  std::shared_ptr<const Impl> impl_;
};

}  // namespace kube::meta

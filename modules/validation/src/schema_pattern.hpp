// SPDX-License-Identifier: Apache-2.0
//
// Regular expressions of schemas, in Go's syntax, and what they may cost.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include <kube/base/result.hpp>

namespace kube::meta {

/// A regular expression that is searched for: RE2, whose syntax and meaning are Go's. Matching
/// takes time linear in the text for any expression. Immutable; may be used by several threads.
class Pattern {
 public:
  /// Longer ones are refused: reading an expression can take 20 microseconds and 7 KiB a byte.
  static constexpr std::size_t kMaxBytes = 8192;
  /// What one pattern may come to hold, what it remembers of texts included, if it needs more than
  /// is usual; those that need still more are refused.
  static constexpr std::size_t kMaxMemory = std::size_t{1} << 20U;
  static constexpr std::size_t kUsualMemory = std::size_t{1} << 17U;

  /// `memory` is what it may hold, in bytes; it gets up to kMaxMemory if it needs more.
  /// @par Errors   Decode, in the words of Go's regexp.Compile; InvalidArgument for an expression
  ///   that is too large, for Go as well or for here only.
  static Result<Pattern> compile(std::string_view expression, std::size_t memory = kUsualMemory);

  bool is_in(std::string_view text) const;

  /// Steps that a byte of text takes at worst, of 4 nanoseconds each.
  std::size_t steps() const;
  /// Bytes that it may come to hold.
  std::size_t memory() const;

 private:
  struct Impl;
  explicit Pattern(std::shared_ptr<const Impl> impl) : impl_(std::move(impl)) {}
  std::shared_ptr<const Impl> impl_;
};

}  // namespace kube::meta

// SPDX-License-Identifier: Apache-2.0
//
// kube::Result<T>: a T or an Error, with the member names of std::expected.
#pragma once

#include <concepts>
#include <iosfwd>
#include <optional>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>

#include <kube/base/detail/invoke.hpp>
#include <kube/base/error.hpp>
#include <kube/base/mistake.hpp>

namespace kube {

template <class T>
class Result;

namespace detail {
template <class T>
struct IsResult : std::false_type {};
template <class T>
struct IsResult<Result<T>> : std::true_type {};
[[noreturn]] void throw_api_exception(const Error& error);
// Becomes a T() where it initializes one, without a move. (std::variant's constructor checks
// whether T can be made, which Clang denies for types that contain themselves.)
template <class T>
struct NewValue {
  operator T() const { return T(); }
};
}  // namespace detail

/// A value or the reason why there is none. The compiler warns when a Result is ignored.
///
/// value() throws ApiException when there is no value; operator* and operator-> require one
/// (undefined otherwise, as for std::optional).
///
/// @par Thread safety   A value: distinct objects may be used from distinct threads.
/// @par Lifetimes   A temporary Result returns its value by move, so that references to the value
///   stay valid: `for (const Pod& pod : pods.list().value())` and
///   `const auto& spec = pods.get("a").value().spec` are safe. `pods.get("a")->spec` does not
///   compile.
/// @par Mistakes   The compiler says what to write for a Result that is looped over, printed,
///   compared with a value, or read with `.` as its value would be.
/// @par Cost   value() and operator* of a temporary, or of std::move(result), move the value; to
///   assign or push it, `std::move(*result)` saves one move.
template <class T>
class [[nodiscard]] Result {
 public:
  using value_type = T;
  using error_type = Error;

  Result(T value)
      : state_(std::in_place_index<0>, std::move(value)) {
  }  // implicit: a Result is made by returning the value
  Result(Error error)
      : state_(std::in_place_index<1>, std::move(error)) {}  // implicit: or the error
  template <class U>
  requires(std::constructible_from<T, U>&& std::convertible_to<U, T> &&
           !std::same_as<std::remove_cvref_t<U>, T> &&
           !std::same_as<std::remove_cvref_t<U>, Error> &&
           !detail::IsResult<std::remove_cvref_t<U>>::value) Result(U&& value)
      : state_(std::in_place_index<0>, std::forward<U>(value)) {}  // implicit: as above, converted

  /// Returns a Result that holds a T().
  /// @par Errors   None.
  static Result make() { return Result(detail::NewValue<T>()); }

  bool has_value() const noexcept { return state_.index() == 0; }
  explicit operator bool() const noexcept { return has_value(); }

  T& value() & { return check(), **this; }
  const T& value() const& { return check(), **this; }
  T value() && { return check(), std::move(**this); }
  T value() const&& { return check(), **this; }

  T& operator*() & noexcept { return *std::get_if<0>(&state_); }
  const T& operator*() const& noexcept { return *std::get_if<0>(&state_); }
  T operator*() && { return std::move(**this); }
  T operator*() const&& { return **this; }
  T* operator->() & noexcept { return std::get_if<0>(&state_); }
  const T* operator->() const& noexcept { return std::get_if<0>(&state_); }
  KUBE_MISTAKE("value().member, or give the Result a name and check it",
               const T*, operator->() const&&);

  /// Requires !has_value().
  const Error& error() const& noexcept { return *std::get_if<1>(&state_); }
  Error error() && noexcept { return std::move(*std::get_if<1>(&state_)); }
  Error error() const&& noexcept { return *std::get_if<1>(&state_); }

  template <class U>
  T value_or(U&& other) const& {
    return has_value() ? **this : static_cast<T>(std::forward<U>(other));
  }
  template <class U>
  T value_or(U&& other) && {
    return has_value() ? *std::move(*this) : static_cast<T>(std::forward<U>(other));
  }

  /// Calls f(value), which returns a Result<U>. Returns the error of this Result without calling f.
  template <class F>
  auto and_then(F&& f) const& -> std::remove_cvref_t<std::invoke_result_t<F, const T&>> {
    if (!has_value()) return error();
    return detail::invoke(std::forward<F>(f), **this);
  }
  template <class F>
  auto and_then(F&& f) && -> std::remove_cvref_t<std::invoke_result_t<F, T&&>> {
    if (!has_value()) return std::move(*this).error();
    return detail::invoke(std::forward<F>(f), std::move(**this));
  }

  /// Calls f(value) and wraps the U that it returns.
  /// @par Errors   The error of this Result, without a call of f.
  template <class F>
  auto transform(F&& f) && -> Result<std::remove_cvref_t<std::invoke_result_t<F, T&&>>> {
    using U = std::remove_cvref_t<std::invoke_result_t<F, T&&>>;
    if (!has_value()) return std::move(*this).error();
    if constexpr (std::is_void_v<U>) {
      detail::invoke(std::forward<F>(f), std::move(**this));
      return {};
    } else {
      return detail::invoke(std::forward<F>(f), std::move(**this));
    }
  }
  template <class F>
  auto transform(F&& f) const& -> Result<std::remove_cvref_t<std::invoke_result_t<F, const T&>>> {
    return Result(*this).transform(std::forward<F>(f));
  }

  /// f(error) -> Result<T>. A value is returned without a call of f.
  /// @par Errors   That of f.
  template <class F>
  Result or_else(F&& f) && {
    if (has_value()) return std::move(*this);
    return detail::invoke(std::forward<F>(f), std::move(*this).error());
  }
  template <class F>
  Result or_else(F&& f) const& {
    if (has_value()) return *this;
    return detail::invoke(std::forward<F>(f), error());
  }

  /// Adds context to the error, if there is one.
  /// @par Errors   The same, with the context.
  Result with_context(std::string_view doing) && {
    if (has_value()) return std::move(*this);
    return error().with_context(doing);
  }

  // What a Result is taken for when it is not checked first.
  KUBE_MISTAKE("if (!result) return result.error(); for (auto& item : *result)", T*, begin() const);
  KUBE_MISTAKE("if (!result) return result.error(); for (auto& item : *result)", T*, end() const);
  KUBE_MISTAKE("value(), which throws, or *result after if (!result)", T, unwrap() const);
  template <class... Arguments>
  KUBE_MISTAKE("if (!result) return result.error(); then result->get(...)", T,
               get(Arguments&&...) const);
  KUBE_MISTAKEN_NAME("if (!result) return result.error(); then result->metadata")
  static const Result metadata;
  KUBE_MISTAKEN_NAME("if (!result) return result.error(); then result->spec")
  static const Result spec;
  KUBE_MISTAKEN_NAME("if (!result) return result.error(); then result->status")
  static const Result status;
  KUBE_MISTAKEN_NAME("if (!result) return result.error(); then result->items")
  static const Result items;
  template <std::same_as<T> U>
  friend KUBE_MISTAKE("result && *result == value", bool, operator==(const Result&, const U&));
  template <std::same_as<T> U>
  friend KUBE_MISTAKE("result && *result == value", bool, operator==(const U&, const Result&));

 private:
  explicit Result(detail::NewValue<T> made) : state_(std::in_place_index<0>, made) {}
  void check() const {
    if (!has_value()) detail::throw_api_exception(error());
  }
  std::variant<T, Error> state_;
};

template <class T>
KUBE_MISTAKE("if (!result) out << result.error().to_string(), else *result",
             std::ostream&, operator<<(std::ostream& out, const Result<T>& result));

/// Success or the reason for failure; its members are those of Result<T>.
template <>
class [[nodiscard]] Result<void> {
 public:
  using value_type = void;
  using error_type = Error;

  Result() = default;
  Result(Error error) : error_(std::move(error)) {}  // implicit: made by returning the error

  bool has_value() const noexcept { return !error_; }
  explicit operator bool() const noexcept { return has_value(); }
  void value() const {
    if (error_) detail::throw_api_exception(*error_);
  }
  /// Requires !has_value().
  const Error& error() const& noexcept { return *error_; }
  Error error() && noexcept { return *std::move(error_); }
  Error error() const&& noexcept { return *error_; }

  template <class F>
  auto and_then(F&& f) const -> std::remove_cvref_t<std::invoke_result_t<F>> {
    if (error_) return *error_;
    return detail::invoke(std::forward<F>(f));
  }
  template <class F>
  auto transform(F&& f) const -> Result<std::remove_cvref_t<std::invoke_result_t<F>>> {
    using U = std::remove_cvref_t<std::invoke_result_t<F>>;
    if (error_) return *error_;
    if constexpr (std::is_void_v<U>) {
      detail::invoke(std::forward<F>(f));
      return {};
    } else {
      return detail::invoke(std::forward<F>(f));
    }
  }
  template <class F>
  Result or_else(F&& f) const {
    if (!error_) return *this;
    return detail::invoke(std::forward<F>(f), *error_);
  }
  Result with_context(std::string_view doing) const {
    if (!error_) return *this;
    return error_->with_context(doing);
  }

 private:
  std::optional<Error> error_;
};

}  // namespace kube

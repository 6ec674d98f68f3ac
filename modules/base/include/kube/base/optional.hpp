// SPDX-License-Identifier: Apache-2.0
//
// kube::Optional<T>: std::optional's interface, with the value out of line. A type's size does not
// grow with the optional messages in it: an unset one takes a pointer.
#pragma once

#include <optional>
#include <type_traits>
#include <utility>

#include <kube/base/detail/invoke.hpp>

namespace kube {

/// @par Lifetimes   As of Result: what a temporary holds is handed out by value, or not at all.
/// @par Cost   One allocation when engaged; a copy copies the value.
template <class T>
class Optional {
 public:
  using value_type = T;

  Optional() noexcept = default;
  Optional(std::nullopt_t) noexcept {}                  // implicit: as std::optional
  Optional(T value) : ptr_(new T(std::move(value))) {}  // implicit: as std::optional
  template <class... Args>
  explicit Optional(std::in_place_t, Args&&... args) : ptr_(new T(std::forward<Args>(args)...)) {}
  Optional(const Optional& other) : ptr_(other.ptr_ ? new T(*other.ptr_) : nullptr) {}
  Optional(Optional&& other) noexcept : ptr_(std::exchange(other.ptr_, nullptr)) {}
  Optional& operator=(const Optional& other) {
    if (this == &other) return *this;
    if (ptr_ && other.ptr_) {
      *ptr_ = *other.ptr_;
    } else {
      replace(other.ptr_ ? new T(*other.ptr_) : nullptr);
    }
    return *this;
  }
  Optional& operator=(Optional&& other) noexcept {
    replace(std::exchange(other.ptr_, nullptr));
    return *this;
  }
  Optional& operator=(std::nullopt_t) noexcept {
    reset();
    return *this;
  }
  ~Optional() { delete ptr_; }

  bool has_value() const noexcept { return ptr_ != nullptr; }
  explicit operator bool() const noexcept { return has_value(); }
  /// These two require has_value().
  T& operator*() & noexcept { return *ptr_; }
  const T& operator*() const& noexcept { return *ptr_; }
  T operator*() && { return std::move(*ptr_); }
  T operator*() const&& { return *ptr_; }
  T* operator->() & noexcept { return ptr_; }
  const T* operator->() const& noexcept { return ptr_; }
  const T* operator->() const&& = delete;  // Use value().member, or give what holds it a name.
  /// These throw std::bad_optional_access when there is no value.
  T& value() & { return check(), *ptr_; }
  const T& value() const& { return check(), *ptr_; }
  T value() && { return check(), std::move(*ptr_); }
  T value() const&& { return check(), *ptr_; }
  T value_or(T other) const& { return ptr_ ? *ptr_ : std::move(other); }
  T value_or(T other) && { return ptr_ ? std::move(*ptr_) : std::move(other); }

  /// f(value) -> an optional type; empty gives its empty value.
  template <class F>
  auto and_then(F&& f) const& -> std::remove_cvref_t<std::invoke_result_t<F, const T&>> {
    if (!ptr_) return std::nullopt;
    return detail::invoke(std::forward<F>(f), *ptr_);
  }
  template <class F>
  auto and_then(F&& f) && -> std::remove_cvref_t<std::invoke_result_t<F, T&&>> {
    if (!ptr_) return std::nullopt;
    return detail::invoke(std::forward<F>(f), std::move(*ptr_));
  }
  /// f(value) -> U, as std::optional<U>, in place: the result is for the caller, not for storing.
  template <class F>
  auto transform(
      F&& f) const& -> std::optional<std::remove_cvref_t<std::invoke_result_t<F, const T&>>> {
    if (!ptr_) return std::nullopt;
    return detail::invoke(std::forward<F>(f), *ptr_);
  }
  template <class F>
  auto transform(F&& f) && -> std::optional<std::remove_cvref_t<std::invoke_result_t<F, T&&>>> {
    if (!ptr_) return std::nullopt;
    return detail::invoke(std::forward<F>(f), std::move(*ptr_));
  }
  /// f() -> Optional<T>, asked when there is no value.
  template <class F>
  Optional or_else(F&& f) const& {
    return ptr_ ? *this : std::forward<F>(f)();
  }
  template <class F>
  Optional or_else(F&& f) && {
    return ptr_ ? std::move(*this) : std::forward<F>(f)();
  }

  template <class... Args>
  T& emplace(Args&&... args) & {
    replace(new T(std::forward<Args>(args)...));
    return *ptr_;
  }
  /// The value, made first if there is none: pod.spec.security_context.ensure().run_as_user = 1.
  T& ensure() & {
    if (!ptr_) ptr_ = new T();
    return *ptr_;
  }
  void reset() noexcept { replace(nullptr); }

  friend bool operator==(const Optional& a, const Optional& b) {
    return a.ptr_ && b.ptr_ ? *a.ptr_ == *b.ptr_ : a.ptr_ == b.ptr_;
  }
  friend bool operator==(const Optional& a, std::nullopt_t) { return !a.ptr_; }
  friend bool operator==(const Optional& a, const T& b) { return a.ptr_ && *a.ptr_ == b; }
  friend void swap(Optional& a, Optional& b) noexcept { std::swap(a.ptr_, b.ptr_); }

 private:
  void check() const {
    if (!ptr_) throw std::bad_optional_access();
  }
  // What goes may hold what comes, as a schema that is replaced by a part of itself.
  void replace(T* value) noexcept { delete std::exchange(ptr_, value); }

  // Not a std::unique_ptr, which would cost each of a Pod's eighty such members much of what the
  // compiler spends on it.
  T* ptr_ = nullptr;
};

}  // namespace kube

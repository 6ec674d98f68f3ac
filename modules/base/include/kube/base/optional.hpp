// SPDX-License-Identifier: Apache-2.0
//
// kube::Optional<T>: std::optional's interface with the value on the heap. The size of a type does
// not grow with its optional messages: an unset one takes a pointer.
#pragma once

#include <optional>
#include <type_traits>
#include <utility>

#include <kube/base/detail/invoke.hpp>

namespace kube {

namespace detail {
[[noreturn]] void throw_bad_optional_access();
}

/// A value or none.
/// @par Thread safety   A value: distinct objects may be used from distinct threads.
/// @par Lifetimes   Like Result: a temporary returns its value by copy or move, never by reference.
/// @par Cost   One allocation when there is a value; a copy copies it.
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
  const T* operator->() const&& = delete;  // Use value().member, or name the object that holds it.
  /// These throw std::bad_optional_access when there is no value.
  T& value() & { return check(), *ptr_; }
  const T& value() const& { return check(), *ptr_; }
  T value() && { return check(), std::move(*ptr_); }
  T value() const&& { return check(), *ptr_; }
  T value_or(T other) const& { return ptr_ ? *ptr_ : std::move(other); }
  T value_or(T other) && { return ptr_ ? std::move(*ptr_) : std::move(other); }

  /// Returns f(value), which must be an optional type; its empty value when this is empty.
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
  /// Calls f(value) and returns its result as a std::optional, which holds its value in place.
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
  /// Calls f(), which returns an Optional<T>, when there is no value.
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
  /// Returns the value, made first if needed: pod.spec.security_context.ensure().run_as_user = 1.
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
    if (!ptr_) detail::throw_bad_optional_access();
  }
  // The old value may own the new one, as when a schema is replaced by a part of itself.
  void replace(T* value) noexcept { delete std::exchange(ptr_, value); }

  // A std::unique_ptr for each of a Pod's eighty such members would add much to the time that the
  // compiler needs for it.
  T* ptr_ = nullptr;
};

}  // namespace kube

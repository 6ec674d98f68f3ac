// SPDX-License-Identifier: Apache-2.0
//
// kube::Optional<T>: std::optional's interface, with the value out of line. A type's size does not
// grow with the optional messages in it: an unset one takes a pointer.
#pragma once

#include <compare>
#include <memory>
#include <optional>
#include <utility>

namespace kube {

/// @par Cost   One allocation when engaged; a copy copies the value.
template <class T>
class Optional {
 public:
  using value_type = T;

  Optional() noexcept = default;
  Optional(std::nullopt_t) noexcept {}  // NOLINT(google-explicit-constructor): as std::optional
  Optional(T value) : ptr_(std::make_unique<T>(std::move(value))) {}  // NOLINT(google-explicit-constructor): as std::optional
  Optional(const Optional& other) : ptr_(other.ptr_ ? std::make_unique<T>(*other.ptr_) : nullptr) {}
  Optional(Optional&& other) noexcept = default;
  Optional& operator=(const Optional& other) {
    if (this == &other) return *this;
    if (!other.ptr_) {
      ptr_.reset();
    } else if (ptr_) {
      *ptr_ = *other.ptr_;
    } else {
      ptr_ = std::make_unique<T>(*other.ptr_);
    }
    return *this;
  }
  Optional& operator=(Optional&& other) noexcept = default;
  Optional& operator=(std::nullopt_t) noexcept {
    reset();
    return *this;
  }
  ~Optional() = default;

  bool has_value() const noexcept { return ptr_ != nullptr; }
  explicit operator bool() const noexcept { return has_value(); }
  T& operator*() noexcept { return *ptr_; }
  const T& operator*() const noexcept { return *ptr_; }
  T* operator->() noexcept { return ptr_.get(); }
  const T* operator->() const noexcept { return ptr_.get(); }
  T& value() {
    if (!ptr_) throw std::bad_optional_access();
    return *ptr_;
  }
  const T& value() const {
    if (!ptr_) throw std::bad_optional_access();
    return *ptr_;
  }
  T value_or(T other) const { return ptr_ ? *ptr_ : std::move(other); }

  template <class... Args>
  T& emplace(Args&&... args) {
    ptr_ = std::make_unique<T>(std::forward<Args>(args)...);
    return *ptr_;
  }
  /// The value, made first if there is none: pod.spec.security_context.ensure().run_as_user = 1.
  T& ensure() {
    if (!ptr_) ptr_ = std::make_unique<T>();
    return *ptr_;
  }
  void reset() noexcept { ptr_.reset(); }

  friend bool operator==(const Optional& a, const Optional& b) {
    return a.ptr_ && b.ptr_ ? *a.ptr_ == *b.ptr_ : a.ptr_ == b.ptr_;
  }
  friend bool operator==(const Optional& a, std::nullopt_t) { return !a.ptr_; }

 private:
  std::unique_ptr<T> ptr_;
};

}  // namespace kube

// SPDX-License-Identifier: Apache-2.0
//
// The C++ type of each kind of scalar, for the engines that read and write described types.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include <kube/codec/descriptor.hpp>
#include <kube/names/int_or_string.hpp>
#include <kube/names/nullable.hpp>
#include <kube/names/quantity.hpp>
#include <kube/names/raw_extension.hpp>
#include <kube/names/time.hpp>

namespace kube::meta {

template <ValueKind kind>
struct HeldAs;
template <>
struct HeldAs<ValueKind::Bool> : std::type_identity<bool> {};
template <>
struct HeldAs<ValueKind::Int32> : std::type_identity<std::int32_t> {};
template <>
struct HeldAs<ValueKind::Int64> : std::type_identity<std::int64_t> {};
template <>
struct HeldAs<ValueKind::Double> : std::type_identity<double> {};
template <>
struct HeldAs<ValueKind::String> : std::type_identity<std::string> {};
template <>
struct HeldAs<ValueKind::Bytes> : std::type_identity<std::string> {};
template <>
struct HeldAs<ValueKind::Time> : std::type_identity<Time> {};
template <>
struct HeldAs<ValueKind::MicroTime> : std::type_identity<MicroTime> {};
template <>
struct HeldAs<ValueKind::Duration> : std::type_identity<Duration> {};
template <>
struct HeldAs<ValueKind::Quantity> : std::type_identity<Quantity> {};
template <>
struct HeldAs<ValueKind::IntOrString> : std::type_identity<IntOrString> {};
template <>
struct HeldAs<ValueKind::RawJson> : std::type_identity<RawExtension> {};

template <ValueKind kind>
using Held = typename HeldAs<kind>::type;
template <ValueKind kind>
using HeldList = std::vector<Held<kind>>;
template <ValueKind kind>
using HeldMap = std::map<std::string, Held<kind>, std::less<>>;

/// Whether a value is its type's zero, which writers may leave out.
template <class T>
bool is_zero(const T& value) {
  if constexpr (requires { value.is_zero(); }) {
    return value.is_zero();
  } else if constexpr (requires { value.is_set(); }) {
    return !value.is_set();
  } else if constexpr (requires { value.empty(); }) {
    return value.empty();
  } else {
    return value == T();
  }
}

template <ValueKind kind>
using KindConstant = std::integral_constant<ValueKind, kind>;

/// Calls `f` with a KindConstant. @pre kind isn't Message
template <class F>
decltype(auto) with_kind(ValueKind kind, F&& f) {
  switch (kind) {
    case ValueKind::Bool:
      return f(KindConstant<ValueKind::Bool>());
    case ValueKind::Int32:
      return f(KindConstant<ValueKind::Int32>());
    case ValueKind::Int64:
      return f(KindConstant<ValueKind::Int64>());
    case ValueKind::Double:
      return f(KindConstant<ValueKind::Double>());
    case ValueKind::Bytes:
      return f(KindConstant<ValueKind::Bytes>());
    case ValueKind::Time:
      return f(KindConstant<ValueKind::Time>());
    case ValueKind::MicroTime:
      return f(KindConstant<ValueKind::MicroTime>());
    case ValueKind::Duration:
      return f(KindConstant<ValueKind::Duration>());
    case ValueKind::Quantity:
      return f(KindConstant<ValueKind::Quantity>());
    case ValueKind::IntOrString:
      return f(KindConstant<ValueKind::IntOrString>());
    case ValueKind::RawJson:
      return f(KindConstant<ValueKind::RawJson>());
    case ValueKind::String:
    case ValueKind::Message:
      break;
  }
  return f(KindConstant<ValueKind::String>());
}

}  // namespace kube::meta

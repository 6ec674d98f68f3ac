// SPDX-License-Identifier: Apache-2.0
//
// The parts of generated descriptor tables. For code that kube-gen writes.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <new>
#include <string>
#include <string_view>
#include <vector>

#include <kube/base/optional.hpp>
#include <kube/codec/descriptor.hpp>
#include <kube/names/nullable.hpp>

namespace kube::meta::detail {

template <class T>
void construct(void* at) {
  ::new (at) T();
}
template <class T>
void destroy(void* at) {
  static_cast<T*>(at)->~T();
}

template <class Container>
struct ContainerAccess;

template <class T>
struct ContainerAccess<Optional<T>> {
  using Container = Optional<T>;
  static void* make(void* container, std::string_view) {
    return &static_cast<Container*>(container)->ensure();
  }
  static Elements elements(const void* container) {
    const auto& optional = *static_cast<const Container*>(container);
    return {optional.operator->(), optional.has_value() ? std::size_t{1} : std::size_t{0}};
  }
  static void clear(void* container) { static_cast<Container*>(container)->reset(); }
  static bool is_unset(const void* container) {
    return !static_cast<const Container*>(container)->has_value();
  }
  static constexpr ContainerOps kOps{make,     nullptr,  clear,   nullptr,
                                     is_unset, elements, nullptr, nullptr};
};

template <class T>
struct ContainerAccess<std::vector<T>> {
  using Container = std::vector<T>;
  static void* make(void* container, std::string_view) {
    return &static_cast<Container*>(container)->emplace_back();
  }
  static void reserve(void* container, std::size_t count) {
    static_cast<Container*>(container)->reserve(count);
  }
  static Elements elements(const void* container) {
    const auto& list = *static_cast<const Container*>(container);
    return {list.data(), list.size()};
  }
  static void clear(void* container) { static_cast<Container*>(container)->clear(); }
  static bool is_unset(const void* container) {
    return static_cast<const Container*>(container)->empty();
  }
  static constexpr ContainerOps kOps{make,     reserve,  clear,   nullptr,
                                     is_unset, elements, nullptr, nullptr};
};

template <class T>
struct ContainerAccess<std::map<std::string, T, std::less<>>> {
  using Container = std::map<std::string, T, std::less<>>;
  static void* make(void* container, std::string_view key) {
    return &static_cast<Container*>(container)
                ->insert_or_assign(std::string(key), T())
                .first->second;
  }
  static void each(const void* container, void* context,
                   void (*visit)(void*, std::string_view, const void*)) {
    for (const auto& [key, value] : *static_cast<const Container*>(container))
      visit(context, key, &value);
  }
  static void each_backwards(const void* container, void* context,
                             void (*visit)(void*, std::string_view, const void*)) {
    const auto& map = *static_cast<const Container*>(container);
    for (auto at = map.rbegin(); at != map.rend(); ++at) visit(context, at->first, &at->second);
  }
  static void clear(void* container) { static_cast<Container*>(container)->clear(); }
  static bool is_unset(const void* container) {
    return static_cast<const Container*>(container)->empty();
  }
  static constexpr ContainerOps kOps{make,     nullptr, clear, nullptr,
                                     is_unset, nullptr, each,  each_backwards};
};

// A Nullable is its container first, so the container's functions work on it too.
template <class Container>
struct ContainerAccess<Nullable<Container>> {
  using Base = ContainerAccess<Container>;
  static void* as_base(void* nullable) {
    return static_cast<Container*>(static_cast<Nullable<Container>*>(nullable));
  }
  static const void* as_base(const void* nullable) {
    return static_cast<const Container*>(static_cast<const Nullable<Container>*>(nullable));
  }
  static void* make(void* nullable, std::string_view key) {
    return Base::make(as_base(nullable), key);
  }
  static void reserve(void* nullable, std::size_t count) {
    Base::kOps.reserve(as_base(nullable), count);
  }
  static Elements elements(const void* nullable) { return Base::kOps.elements(as_base(nullable)); }
  static void each(const void* nullable, void* context,
                   void (*visit)(void*, std::string_view, const void*)) {
    Base::kOps.each(as_base(nullable), context, visit);
  }
  static void each_backwards(const void* nullable, void* context,
                             void (*visit)(void*, std::string_view, const void*)) {
    Base::kOps.each_backwards(as_base(nullable), context, visit);
  }
  static void clear(void* nullable) { Base::clear(as_base(nullable)); }
  static void set_empty(void* nullable) {
    static_cast<Nullable<Container>*>(nullable)->set_empty();
  }
  static bool is_unset(const void* nullable) {
    return static_cast<const Nullable<Container>*>(nullable)->is_null();
  }
  static constexpr ContainerOps kOps{make,
                                     Base::kOps.reserve ? reserve : nullptr,
                                     clear,
                                     set_empty,
                                     is_unset,
                                     Base::kOps.elements ? elements : nullptr,
                                     Base::kOps.each ? each : nullptr,
                                     Base::kOps.each_backwards ? each_backwards : nullptr};
};

constexpr std::uint32_t wire_type(ValueKind kind, Cardinality cardinality) {
  if (cardinality == Cardinality::Map) return 2;
  switch (kind) {
    case ValueKind::Bool:
    case ValueKind::Int32:
    case ValueKind::Int64:
      return 0;
    case ValueKind::Double:
      return 1;
    default:
      return 2;
  }
}

/// The `count` fields that have a number, in its order.
template <std::size_t count, std::size_t size>
consteval std::array<WireField, count> wire_fields(const FieldDescriptor (&fields)[size]) {
  std::array<WireField, count> wire{};
  std::size_t made = 0;
  for (const FieldDescriptor& field : fields) {
    if (field.number == 0) continue;
    wire.at(made++) = {std::uint32_t{field.number} << 3 | wire_type(field.kind, field.cardinality),
                       field.offset,
                       wire_shape(field.kind, field.cardinality),
                       field.zero_proto,
                       field.message,
                       &field};
  }
  std::ranges::sort(wire, {}, &WireField::tag);
  return wire;
}

/// The access functions of a container of messages.
template <class Container>
inline constexpr const ContainerOps* kContainerOps = &ContainerAccess<Container>::kOps;

}  // namespace kube::meta::detail

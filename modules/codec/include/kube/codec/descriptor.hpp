// SPDX-License-Identifier: Apache-2.0
//
// Type descriptors: constant tables that describe a type in memory and on the wire. kube-gen makes
// them beside each struct; one engine (codec.hpp) reads and writes every type by them.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace kube::meta {

struct TypeDescriptor;

/// The value that a field, an element of a list or a value of a map holds.
enum class ValueKind : std::uint8_t {
  Bool,     ///< bool
  Int32,    ///< std::int32_t
  Int64,    ///< std::int64_t
  Double,   ///< double
  String,   ///< std::string
  Bytes,    ///< std::string of raw bytes; base64 in JSON
  Message,  ///< a described struct
  Time,     ///< meta::Time, and so on
  MicroTime,
  Duration,
  Quantity,
  IntOrString,
  RawJson,  ///< meta::RawExtension: unchanged JSON text
};

/// The container of the value.
enum class Cardinality : std::uint8_t {
  Plain,     ///< T
  Optional,  ///< std::optional<T> for scalars, kube::Optional<T> for messages
  List,      ///< std::vector<T>
  Map,       ///< std::map<std::string, T, std::less<>>
};

/// What JSON has for an unset or zero field.
enum class ZeroJson : std::uint8_t { Omit, Null, Value };

/// The form of a message in JSON.
enum class JsonForm : std::uint8_t {
  Object,         ///< the object of its fields
  List,           ///< the array of its one field
  SchemaOrArray,  ///< the array of the second field, if not empty, else the object of the first
  SchemaOrBool,  ///< the object of the second field, if there is one, else the boolean of the first
  SchemaOrStringArray,  ///< as SchemaOrArray
};

/// Consecutive elements.
struct Elements {
  const void* data;
  std::size_t count;
};

/// Untyped access to the container of messages in an Optional, List or Map field. (The engine knows
/// the types of containers of scalars.) codec/detail/descriptor_support.hpp defines the functions.
///
/// @par Thread safety   Immutable; the functions are as thread-safe as the container.
struct ContainerOps {
  /// Returns the message to read into: the value of an Optional, created if it is unset; a new last
  /// element of a List; a new value for `key` in a Map, which replaces the old one.
  void* (*make)(void* container, std::string_view key);
  /// Reserves room for `count` elements of a List; null for others.
  void (*reserve)(void* container, std::size_t count);
  void (*clear)(void* container);
  /// Makes a Nullable empty instead of null; null for others.
  void (*set_empty)(void* container);
  /// Whether the container is unset or, in a Nullable, null.
  bool (*is_unset)(const void* container);
  /// Returns the elements of a List, or the value of an Optional, if any.
  Elements (*elements)(const void* container);
  /// Calls `visit` for each member of a Map in the order of its keys; null for others.
  void (*each)(const void* container, void* context,
               void (*visit)(void* context, std::string_view key, const void* message));
  /// The same from the last key to the first.
  void (*each_backwards)(const void* container, void* context,
                         void (*visit)(void* context, std::string_view key, const void* message));
};

/// One field of a type.
struct FieldDescriptor {
  std::string_view json;  ///< Key; empty with `inline_`.
  std::uint32_t offset;   ///< The member's offset in the struct, in bytes.
  std::uint16_t number;   ///< Protobuf field number; 0: not in protobuf.
  ValueKind kind;
  Cardinality cardinality;
  ZeroJson zero_json;
  bool zero_proto;  ///< Protobuf writes the zero value.
  bool nullable;    ///< A List, Map or Bytes in a meta::Nullable.
  /// The message's keys are in the parent's JSON object, and its members in the parent's struct:
  /// `offset` is 0 and `message` describes members of the parent. Protobuf nests it as any other.
  bool inline_;
  bool patch_merge;                  ///< Strategic merge: patchStrategy contains "merge".
  bool patch_retain_keys;            ///< Strategic merge: patchStrategy contains "retainKeys".
  const TypeDescriptor* message;     ///< For Message.
  const ContainerOps* ops;           ///< For Message that is Optional, List or Map.
  std::string_view patch_merge_key;  ///< Strategic merge: list of objects merged by this key.
  /// Go's name for the type of the field, container included, where it is not that of the kind:
  /// "v1.PullPolicy", "[]v1.Capability"; else null.
  const char* go_type;
};

/// Finds the field of a JSON key: a hash without collisions among the type's own keys, except for a
/// few keys of types that have hundreds.
struct KeyTable {
  std::uint64_t seed;   ///< For json::key_hash.
  std::uint32_t shift;  ///< For json::key_hash.
  /// By hash: index in `fields` plus one; 0 if there is no field. After these, by key, the indexes
  /// of the fields whose slot another one has.
  std::span<const std::uint16_t> slots;
  std::span<const FieldDescriptor* const>
      fields;  ///< The fields with keys, also those of inlined messages, in JSON order.
};

/// The part of a field that protobuf's reader and writer need, in few bytes.
struct WireField {
  std::uint32_t tag;     ///< number << 3 | wire type, as it precedes the value.
  std::uint32_t offset;  ///< The member's offset in the struct, in bytes.
  std::uint8_t shape;    ///< wire_shape() of the field.
  bool zero_proto;
  const TypeDescriptor* message;
  const FieldDescriptor* field;
};

/// Kind and cardinality in one number, for a switch.
constexpr std::uint8_t wire_shape(ValueKind kind, Cardinality cardinality) {
  return static_cast<std::uint8_t>(static_cast<unsigned>(kind) * 4 +
                                   static_cast<unsigned>(cardinality));
}

/// The fields that protobuf has; empty for a type that exists in JSON only.
struct WireTable {
  std::span<const WireField> fields;       ///< By ascending number.
  std::span<const std::uint16_t> numbers;  ///< By number: index in `fields` plus one; 0 if absent.
};

/// A type: its names, its fields, how its values are made.
///
/// @par Thread safety   Immutable.
struct TypeDescriptor {
  std::string_view name;   ///< "core.v1.Pod"
  std::string_view group;  ///< The kind's; group, version and kind are empty for parts of kinds.
  std::string_view version;
  std::string_view kind;    ///< Empty: not a kind of its own.
  std::string_view plural;  ///< The resource; empty: not a resource.
  std::string_view singular;
  bool namespaced;
  JsonForm json_form;
  std::span<const FieldDescriptor> fields;  ///< In the order in which JSON is written.
  KeyTable keys;
  WireTable wire;
  std::size_t size;  ///< sizeof, for untyped construction; 0 for an inlined part.
  void (*construct)(void* at);
  void (*destroy)(void* at);
};

}  // namespace kube::meta

namespace kube {

/// A struct made by kube-gen: `static const meta::TypeDescriptor& T::descriptor()`.
template <class T>
concept Described = requires {
  { T::descriptor() } -> std::same_as<const meta::TypeDescriptor&>;
};

}  // namespace kube

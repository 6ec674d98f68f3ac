// SPDX-License-Identifier: Apache-2.0
//
// Type descriptors: constant tables, made by kube-gen beside each struct, that say what a type
// looks like in memory and on the wire. One engine (codec.hpp) reads and writes every type from
// them.
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
  RawJson,  ///< meta::RawExtension: JSON text kept as it came
};

/// How the value is held.
enum class Cardinality : std::uint8_t {
  Plain,     ///< T
  Optional,  ///< std::optional<T> for scalars, kube::Optional<T> for messages
  List,      ///< std::vector<T>
  Map,       ///< std::map<std::string, T, std::less<>>
};

/// What JSON shows for an unset or zero field.
enum class ZeroJson : std::uint8_t { Omit, Null, Value };

/// What stands for a message in JSON.
enum class JsonForm : std::uint8_t {
  Object,         ///< the object of its fields
  List,           ///< the array of its one field
  SchemaOrArray,  ///< the array of the second field, if not empty, else the object of the first
  SchemaOrBool,  ///< the object of the second field, if there is one, else the boolean of the first
  SchemaOrStringArray,  ///< as SchemaOrArray
};

/// Elements that lie one behind the other.
struct Elements {
  const void* data;
  std::size_t count;
};

/// Untyped access to the container of messages in an Optional, List or Map field. (Containers of
/// scalars have types that the engine knows.) Made by codec/detail/descriptor_support.hpp.
struct ContainerOps {
  /// The message to read into, made where there is none: of an Optional, a new last one of a List,
  /// that of `key` in a Map (what was there is gone).
  void* (*make)(void* container, std::string_view key);
  /// Room for `count` elements of a List; null for others.
  void (*reserve)(void* container, std::size_t count);
  void (*clear)(void* container);
  /// Makes a Nullable empty rather than null; null for others.
  void (*set_empty)(void* container);
  /// Whether the container is unset or, in a Nullable, null.
  bool (*is_unset)(const void* container);
  /// Of an Optional (none or one) and a List.
  Elements (*elements)(const void* container);
  /// Calls `visit` for each member of a Map in the order of its keys; null for others.
  void (*each)(const void* container, void* context,
               void (*visit)(void* context, std::string_view key, const void* message));
  /// The same from the last key to the first.
  void (*each_backwards)(const void* container, void* context,
                         void (*visit)(void* context, std::string_view key, const void* message));
};

struct FieldDescriptor {
  std::string_view json;  ///< Key; empty with `inline_`.
  std::uint32_t offset;   ///< Of the member in the struct, bytes.
  std::uint16_t number;   ///< Protobuf field number; 0: not in protobuf.
  ValueKind kind;
  Cardinality cardinality;
  ZeroJson zero_json;
  bool zero_proto;  ///< Protobuf writes the zero value.
  bool nullable;    ///< A List, Map or Bytes held as meta::Nullable.
  /// The message's keys stand in the parent's JSON object, and its members in the parent's struct:
  /// `offset` is 0 and `message` describes members of the parent. Protobuf nests it as any other.
  bool inline_;
  const TypeDescriptor* message;     ///< For Message.
  const ContainerOps* ops;           ///< For Message that is Optional, List or Map.
  std::string_view patch_merge_key;  ///< Strategic merge: list of objects merged by this key.
  bool patch_merge;                  ///< Strategic merge: patchStrategy contains "merge".
  bool patch_retain_keys;            ///< Strategic merge: patchStrategy contains "retainKeys".
};

/// Finds the field of a JSON key: a hash without collisions among the type's own keys, but for a
/// few of types that have hundreds.
struct KeyTable {
  std::uint64_t seed;   ///< Of json::key_hash.
  std::uint32_t shift;  ///< Likewise.
  /// By hash: place in `fields` plus one; 0 for none. Behind these, by key, the places of those
  /// whose slot another one has.
  std::span<const std::uint16_t> slots;
  std::span<const FieldDescriptor* const>
      fields;  ///< With keys, those of inlined messages too, in JSON order.
};

/// What protobuf's reader and writer look at of a field, close together.
struct WireField {
  std::uint32_t tag;     ///< number << 3 | wire type, as it stands in front of the value.
  std::uint32_t offset;  ///< Of the member in the struct.
  std::uint8_t shape;    ///< wire_shape() of the field.
  bool zero_proto;
  const TypeDescriptor* message;
  const FieldDescriptor* field;
};

/// Kind and cardinality in one number, to switch over.
constexpr std::uint8_t wire_shape(ValueKind kind, Cardinality cardinality) {
  return static_cast<std::uint8_t>(static_cast<unsigned>(kind) * 4 +
                                   static_cast<unsigned>(cardinality));
}

/// The fields that protobuf has; none for a type that exists in JSON only.
struct WireTable {
  std::span<const WireField> fields;       ///< By ascending number.
  std::span<const std::uint16_t> numbers;  ///< By number: place in `fields` plus one; 0 for none.
};

struct TypeDescriptor {
  std::string_view name;   ///< "core.v1.Pod"
  std::string_view group;  ///< Of a kind; with version and kind empty for parts of kinds.
  std::string_view version;
  std::string_view kind;    ///< Empty: not a kind of its own.
  std::string_view plural;  ///< Of the resource; empty: not a resource.
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

// SPDX-License-Identifier: Apache-2.0
//
// Type descriptors: constant tables, made by kube-gen beside each struct, that say what a type looks
// like in memory and on the wire. One engine (codec.hpp) reads and writes every type from them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace kube::meta {

struct TypeDescriptor;

/// The value that a field, an element of a list or a value of a map holds.
enum class ValueKind : std::uint8_t {
  Bool, Int32, Int64, Double, String,
  Bytes,        ///< std::string of raw bytes; base64 in JSON
  Message,      ///< a described struct
  Time, MicroTime, Duration, Quantity, IntOrString,
  RawJson,      ///< RawExtension, FieldsV1 and the like: JSON text kept as it came
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

/// Untyped access to the container of an Optional, List or Map field, or of a Message value.
struct ContainerOps;

struct FieldDescriptor {
  std::string_view json;       ///< Key; empty with `inline_`.
  std::uint32_t offset;        ///< Of the member in the struct, bytes.
  std::uint16_t number;        ///< Protobuf field number; 0: not in protobuf.
  ValueKind kind;
  Cardinality cardinality;
  ZeroJson zero_json;
  bool zero_proto;             ///< Protobuf writes the zero value.
  bool inline_;                ///< The message's keys stand in the parent's JSON object.
  const TypeDescriptor* message;  ///< For Message.
  const ContainerOps* ops;        ///< For Optional, List, Map and optional Messages.
  std::string_view patch_merge_key;  ///< Strategic merge: list of objects merged by this key.
  bool patch_merge;                  ///< Strategic merge: patchStrategy contains "merge".
  bool patch_retain_keys;            ///< Strategic merge: patchStrategy contains "retainKeys".
};

struct TypeDescriptor {
  std::string_view name;     ///< "core.v1.Pod"
  std::string_view group;    ///< Of a kind; with version and kind empty for parts of kinds.
  std::string_view version;
  std::string_view kind;     ///< Empty: not a kind of its own.
  std::string_view plural;   ///< Of the resource; empty: not a resource.
  std::string_view singular;
  bool namespaced;
  std::span<const FieldDescriptor> fields;  ///< In the order in which JSON is written.
  std::size_t size;          ///< sizeof, for untyped construction.
  void (*construct)(void* at);
  void (*destroy)(void* at);
};

}  // namespace kube::meta

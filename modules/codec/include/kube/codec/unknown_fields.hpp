// SPDX-License-Identifier: Apache-2.0
//
// Keeps the fields that a type doesn't know beside the value: an object of a newer API passes
// through an older program without loss. Code that does not use this pays nothing.
//
//   auto kept = from_json_with_unknown<Pod>(text);
//   if (!kept) return kept.error();
//   kept->value.metadata.labels["seen"] = "yes";
//   std::string out = to_json(*kept);  // with the fields that Pod has no member for
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <kube/base/result.hpp>
#include <kube/codec/codec.hpp>
#include <kube/codec/descriptor.hpp>
#include <kube/codec/object.hpp>
#include <kube/codec/protobuf.hpp>

namespace kube::meta {

/// The fields that a reader found and the type lacks, in messages at any depth, by their position
/// in the object. Writing the object in the encoding that it was read from writes them at the same
/// position, after the fields that the type has; the other encoding omits them.
///
/// The object may change in between. An unknown field belongs to
///  - a message: the one in the same field, with any content;
///  - a member of a map: the one under the same key;
///  - an element of a list with a merge key (containers by name, ports by containerPort): the
///    element with the same key, at any index; if several have the same key, the first belongs to
///    the first and so on;
///  - an element of any other list: the one at the same index, as long as the list has as many
///    elements as it had. If it has another number of them, the elements lose their unknown fields.
/// Fields whose parent is gone are not written.
///
/// @par Thread safety   A value.
/// @par Cost   Reading takes a second pass over the text, writing one over the written text along
///   the paths to unknown fields. Without unknown fields writing costs nothing more.
class UnknownFields {
 public:
  /// One field. JSON: its key, and its value without white space. Protobuf: its number, and all of
  /// its bytes, tag included.
  struct Field {
    std::string name{};
    std::string raw{};
    bool operator==(const Field&) const = default;
  };

  bool empty() const { return root_.fields.empty() && root_.children.empty(); }
  /// Drops all fields.
  void clear() { *this = UnknownFields(); }
  /// Returns the paths of the fields: `spec.foo`, `spec.containers[app].foo`, `metadata.#99` in
  /// protobuf; elements of lists without a merge key by index.
  std::vector<std::string> paths() const;

  bool operator==(const UnknownFields&) const = default;

  /// The fields of one message, list or map, for the readers and writers.
  ///
  /// @par Thread safety   A value.
  struct Node {
    std::vector<Field> fields{};
    std::map<std::string, Node, std::less<>> children{};  ///< By field, element or key.
    std::size_t count = 0;                                ///< The number of elements, for a list.
    bool empty() const { return fields.empty() && children.empty(); }
    bool operator==(const Node&) const = default;
  };

 private:
  friend Result<void> read_json(std::string_view, const TypeDescriptor&, void*, UnknownFields&,
                                const ReadOptions&);
  friend void write_json(const void*, const TypeDescriptor&, const UnknownFields&, std::string&);
  friend Result<void> read_protobuf(std::string_view, const TypeDescriptor&, void*, UnknownFields&);
  friend void write_protobuf(const void*, const TypeDescriptor&, const UnknownFields&,
                             std::string&);
  friend Result<void> read_enveloped(std::string_view, const TypeDescriptor&, void*,
                                     UnknownFields&);

  enum class Encoding : std::uint8_t { Json, Protobuf };
  Encoding encoding_ = Encoding::Json;
  Node root_;
};

/// read_json() of codec.hpp, which also replaces the content of `unknown` with the unknown fields.
/// They are an error nevertheless with strict reading.
/// @par Errors   As read_json(); Decode also for an unknown field whose value isn't JSON.
Result<void> read_json(std::string_view text, const TypeDescriptor& type, void* object,
                       UnknownFields& unknown, const ReadOptions& options = {});
/// Appends the JSON of a value with its unknown fields.
void write_json(const void* object, const TypeDescriptor& type, const UnknownFields& unknown,
                std::string& out);

/// The same for read_protobuf() of protobuf.hpp. It drops unknown fields of map entries, and of the
/// messages of Time, MicroTime, Duration, Quantity, IntOrString and RawExtension.
/// @par Errors   As read_protobuf(); for the functions with an envelope as read_enveloped() and
///   write_enveloped().
Result<void> read_protobuf(std::string_view message, const TypeDescriptor& type, void* object,
                           UnknownFields& unknown);
void write_protobuf(const void* object, const TypeDescriptor& type, const UnknownFields& unknown,
                    std::string& out);
/// The same with an envelope around the message.
Result<void> read_enveloped(std::string_view bytes, const TypeDescriptor& type, void* object,
                            UnknownFields& unknown);
Result<void> write_enveloped(const void* object, const TypeDescriptor& type,
                             const UnknownFields& unknown, std::string& out);

/// A value and its unknown fields.
template <Described T>
struct WithUnknown {
  T value{};
  UnknownFields unknown{};
  bool operator==(const WithUnknown&) const = default;
};

/// @par Errors   As read_json() above.
template <Described T>
Result<WithUnknown<T>> from_json_with_unknown(std::string_view text,
                                              const ReadOptions& options = {}) {
  auto kept = Result<WithUnknown<T>>::make();
  if (auto read = read_json(text, T::descriptor(), &kept->value, kept->unknown, options); !read)
    kept = read.error();
  return kept;
}
template <Described T>
std::string to_json(const WithUnknown<T>& kept) {
  std::string out;
  write_json(&kept.value, T::descriptor(), kept.unknown, out);
  return out;
}
/// @par Errors   As read_enveloped().
template <Described T>
Result<WithUnknown<T>> from_protobuf_with_unknown(std::string_view bytes) {
  auto kept = Result<WithUnknown<T>>::make();
  if (auto read = read_enveloped(bytes, T::descriptor(), &kept->value, kept->unknown); !read)
    kept = read.error();
  return kept;
}
/// @par Errors   As write_enveloped().
template <Described T>
Result<std::string> to_protobuf(const WithUnknown<T>& kept) {
  Result<std::string> out{std::string()};
  if (auto written = write_enveloped(&kept.value, T::descriptor(), kept.unknown, *out); !written)
    return written.error();
  return out;
}

}  // namespace kube::meta

// SPDX-License-Identifier: Apache-2.0
//
// Fields that a type doesn't know, kept beside the value: an object of a newer API goes through an
// older program without a loss. The structs stay as they are; code that does not use this pays
// nothing.
//
//   auto kept = from_json_with_unknown<Pod>(text);
//   if (!kept) return kept.error();
//   kept->value.metadata.labels["seen"] = "yes";
//   std::string out = to_json(*kept);  // with all that Pod has no member for
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

/// What a reader met and the type has no place for, in messages at any depth, told by its place in
/// the object.
/// It goes back to the same place when the object is written, behind the fields that the type has,
/// in the encoding that it was read from; the other encoding has no way to say it, and writes the
/// object without.
///
/// The object may be changed in between. What is kept belongs to
///  - a message: the one in the same field, whatever it says now;
///  - a member of a map: the one under the same key;
///  - an element of a list with a merge key (containers by name, ports by containerPort): the one
///    with the same key, wherever it stands; of several with one key, the first to the first and so
///    on;
///  - an element of any other list: the one at the same place, as long as the list has as many
///    elements as it had. With another number nobody can tell which was which, and the elements
///    lose what was kept of them.
/// What belongs to nothing that is still there is not written.
///
/// @par Cost   Reading takes a second pass over the text, writing one over what was written along
///   the paths to what is kept. Nothing when nothing is unknown but that first pass.
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
  /// Forgets all.
  void clear() { *this = UnknownFields(); }
  /// Where they are: `spec.foo`, `spec.containers[app].foo`, `metadata.#99` in protobuf; elements
  /// of lists without a merge key by their place.
  std::vector<std::string> paths() const;

  bool operator==(const UnknownFields&) const = default;

  /// Of one message, list or map. For the readers and writers.
  struct Node {
    std::vector<Field> fields{};
    std::map<std::string, Node, std::less<>> children{};  ///< By field, element or key.
    std::size_t count = 0;                                ///< Of a list: its elements.
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

/// read_json() of codec.hpp, with the unknown fields in `unknown`; what was in it is gone. With
/// strict reading they are an error nevertheless.
/// @par Errors   As read_json(); Decode too for the value of an unknown field that isn't JSON.
Result<void> read_json(std::string_view text, const TypeDescriptor& type, void* object,
                       UnknownFields& unknown, const ReadOptions& options = {});
/// Appends the JSON of a value and of what was kept of it.
void write_json(const void* object, const TypeDescriptor& type, const UnknownFields& unknown,
                std::string& out);

/// read_protobuf() of protobuf.hpp likewise. Dropped are fields of map entries beside key and
/// value, and those in the messages behind Time, MicroTime, Duration, Quantity, IntOrString and
/// RawExtension.
Result<void> read_protobuf(std::string_view message, const TypeDescriptor& type, void* object,
                           UnknownFields& unknown);
void write_protobuf(const void* object, const TypeDescriptor& type, const UnknownFields& unknown,
                    std::string& out);
/// The same with an envelope around the message.
Result<void> read_enveloped(std::string_view bytes, const TypeDescriptor& type, void* object,
                            UnknownFields& unknown);
Result<void> write_enveloped(const void* object, const TypeDescriptor& type,
                             const UnknownFields& unknown, std::string& out);

/// A value and what was kept of it.
template <Described T>
struct WithUnknown {
  T value{};
  UnknownFields unknown{};
  bool operator==(const WithUnknown&) const = default;
};

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
template <Described T>
Result<WithUnknown<T>> from_protobuf_with_unknown(std::string_view bytes) {
  auto kept = Result<WithUnknown<T>>::make();
  if (auto read = read_enveloped(bytes, T::descriptor(), &kept->value, kept->unknown); !read)
    kept = read.error();
  return kept;
}
template <Described T>
Result<std::string> to_protobuf(const WithUnknown<T>& kept) {
  Result<std::string> out{std::string()};
  if (auto written = write_enveloped(&kept.value, T::descriptor(), kept.unknown, *out); !written)
    return written.error();
  return out;
}

}  // namespace kube::meta

// SPDX-License-Identifier: Apache-2.0
//
// Reads one field or subtree of an object, by path, from the object's JSON or protobuf bytes
// without decoding the rest: for selectors, index functions and filters.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <kube/base/result.hpp>
#include <kube/base/text_argument.hpp>
#include <kube/codec/detail/descriptor_support.hpp>
#include <kube/codec/object.hpp>
#include <kube/names/int_or_string.hpp>
#include <kube/names/quantity.hpp>
#include <kube/names/raw_extension.hpp>
#include <kube/names/time.hpp>

namespace kube::meta {

namespace detail {

/// The C++ types that a field can be read as.
struct ReadAs {
  ValueKind kind;
  Cardinality cardinality = Cardinality::Plain;
  const TypeDescriptor* message = nullptr;
  const ContainerOps* ops = nullptr;
};

template <class T>
struct ReadAsOf {
  static ReadAs get() { return {ValueKind::Message, Cardinality::Plain, &T::descriptor()}; }
};
template <ValueKind kind>
struct ReadAsScalar {
  static ReadAs get() { return {kind}; }
};
template <>
struct ReadAsOf<bool> : ReadAsScalar<ValueKind::Bool> {};
template <>
struct ReadAsOf<std::int32_t> : ReadAsScalar<ValueKind::Int32> {};
template <>
struct ReadAsOf<std::int64_t> : ReadAsScalar<ValueKind::Int64> {};
template <>
struct ReadAsOf<double> : ReadAsScalar<ValueKind::Double> {};
template <>
struct ReadAsOf<std::string> : ReadAsScalar<ValueKind::String> {};
template <>
struct ReadAsOf<Time> : ReadAsScalar<ValueKind::Time> {};
template <>
struct ReadAsOf<MicroTime> : ReadAsScalar<ValueKind::MicroTime> {};
template <>
struct ReadAsOf<Duration> : ReadAsScalar<ValueKind::Duration> {};
template <>
struct ReadAsOf<Quantity> : ReadAsScalar<ValueKind::Quantity> {};
template <>
struct ReadAsOf<IntOrString> : ReadAsScalar<ValueKind::IntOrString> {};
template <>
struct ReadAsOf<RawExtension> : ReadAsScalar<ValueKind::RawJson> {};

template <class Container, class T>
ReadAs read_as_container(Cardinality cardinality) {
  ReadAs as = ReadAsOf<T>::get();
  as.cardinality = cardinality;
  if constexpr (Described<T>) as.ops = kContainerOps<Container>;
  return as;
}
template <class T>
struct ReadAsOf<std::vector<T>> {
  static ReadAs get() { return read_as_container<std::vector<T>, T>(Cardinality::List); }
};
template <class T>
struct ReadAsOf<std::map<std::string, T, std::less<>>> {
  using Map = std::map<std::string, T, std::less<>>;
  static ReadAs get() { return read_as_container<Map, T>(Cardinality::Map); }
};

}  // namespace detail

/// A field in the bytes of an object. The bytes and the type's descriptor must outlive it.
///
/// @par Thread safety   A value.
class FieldView {
 public:
  /// Whether the object has the field: in JSON its key with a value other than null. (Protobuf
  /// writes many fields with their zero value.)
  bool exists() const { return exists_; }
  explicit operator bool() const { return exists_; }

  /// Returns the value of a string field: a view into the bytes, or into `scratch` if JSON escapes
  /// it. Empty when the object has no such field.
  /// @par Errors   Decode for invalid bytes, InvalidArgument when it isn't a string field; names
  ///   the field.
  Result<std::string_view> text(std::string& scratch) const&;
  Result<std::string_view> text(std::string& scratch) const&& =
      delete;  // Name the FieldView first.

  /// Decodes this value alone. T is the type that the field has in its struct, without
  /// std::optional or kube::Optional: a scalar, a generated struct, std::vector or std::map of
  /// these. Value-initialised when the object has no such field.
  /// @par Errors   Decode for invalid bytes; offsets count from the beginning of the value.
  ///   InvalidArgument when the field is of another type.
  template <class T>
  Result<T> read() const {
    auto value = Result<T>::make();
    if (auto done = read_into(detail::ReadAsOf<T>::get(), &*value); !done) value = done.error();
    return value;
  }

  /// Calls `visit` with the elements of a list (with empty keys) or the members of a map, in the
  /// order of the bytes, until it returns false.
  /// @par Errors   As read(); InvalidArgument when the field is neither a list nor a map, and for
  ///   numbers in protobuf.
  Result<void> each(
      const std::function<bool(std::string_view key, const FieldView& value)>& visit) const;

 private:
  friend class FieldLocator;

  Result<void> read_into(const detail::ReadAs& as, void* value) const;
  Error error(ErrorCode code, const std::string& what) const;
  Result<void> each_in_json(
      const std::function<bool(std::string_view key, const FieldView& value)>& visit) const;
  Result<void> each_in_protobuf(
      const std::function<bool(std::string_view key, const FieldView& value)>& visit) const;
  Cardinality cardinality() const;

  bool exists_ = false;
  bool json_ = false;
  bool member_ = false;  // the view is of a member of the list or map `field_`
  std::uint32_t number_ = 0;
  std::string_view bytes_;  // the JSON value; in protobuf from its first tag to its last value
  const FieldDescriptor* field_ = nullptr;
  std::shared_ptr<const std::string> merged_;  // the bytes of a message that is in several pieces
};

/// A compiled path: "spec.nodeName", "metadata.labels",
/// "metadata.labels['app.kubernetes.io/name']", "spec.containers[0].image". In quotes a backslash
/// escapes a quote and itself.
///
/// @par Thread safety   Immutable.
/// @par Cost   To find a field reads what precedes it in JSON, and the fields beside and around it
///   in protobuf. It allocates only for a protobuf message in several pieces.
class FieldLocator {
 public:
  /// Looks a path up in a type.
  /// @par Errors   InvalidArgument, naming the part of the path that the type doesn't have.
  static Result<FieldLocator> compile(const TypeDescriptor& type, std::string_view path);
  template <Described T>
  static Result<FieldLocator> compile(std::string_view path) {
    return compile(T::descriptor(), path);
  }

  const std::string& text() const& { return text_; }
  std::string text() const&& { return text_; }

  /// Finds the field in an object's JSON, or in its protobuf with the envelope; the first bytes
  /// decide. For a duplicate key in JSON the first value wins.
  /// @par Errors   Decode, naming path, type and offset, when the bytes that are read are invalid.
  ///   Bytes after the field, and inside values that are skipped, are not checked.
  Result<FieldView> find(std::string_view object) const;
  template <TemporaryText T>
  Result<FieldView> find(T&& object) const = delete;  // Give the object's text a name first.
  /// The same in a protobuf message without an envelope.
  Result<FieldView> find_in_message(std::string_view message) const;
  template <TemporaryText T>
  Result<FieldView> find_in_message(T&& message) const = delete;  // Give the message a name first.

 private:
  friend class FieldDropper;
  class Compiler;
  class MessageSearch;
  /// What brackets after a list or a map select: one index or key; or, besides keys, all by [*].
  enum class Members : std::uint8_t { One, Every };
  struct Step {
    enum class Kind : std::uint8_t {
      Member,  ///< A field: `field` for its key in JSON, `number` in protobuf.
      Nested,  ///< A message that only protobuf has.
      Element,
      Key,
      EveryElement,  ///< Of a list. These two only with Members::Every, which find() does not know.
      EveryMember,   ///< Of a map.
    };
    Kind kind = Kind::Member;
    std::uint32_t number = 0;
    std::size_t index = 0;
    std::string key{};
    bool repeated = false;  ///< A Member that is a list or a map.
  };

  static Result<FieldLocator> compile(const TypeDescriptor& type, std::string_view path,
                                      Members members);
  FieldView start(bool json) const;
  Result<FieldView> find_in_json(std::string_view text) const;

  std::string text_;
  std::string_view type_;
  std::vector<Step> steps_;
  const FieldDescriptor* field_ = nullptr;
  bool member_ = false;
};

}  // namespace kube::meta

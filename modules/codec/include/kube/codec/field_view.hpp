// SPDX-License-Identifier: Apache-2.0
//
// Reading without decoding: one field or subtree of an object, by path, straight from the object's
// JSON or protobuf bytes. What selectors, index functions and filters use.
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
#include <kube/codec/detail/descriptor_support.hpp>
#include <kube/codec/object.hpp>
#include <kube/names/int_or_string.hpp>
#include <kube/names/quantity.hpp>
#include <kube/names/raw_extension.hpp>
#include <kube/names/time.hpp>

namespace kube::meta {

namespace detail {

/// What a C++ type can be read from.
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

/// A place in the bytes of an object. The bytes must outlive it.
///
/// @par Thread safety   A value.
class FieldView {
 public:
  /// Whether the object has the field: in JSON its key with anything but null. (Protobuf has many
  /// fields with their zero value.)
  bool exists() const { return exists_; }
  explicit operator bool() const { return exists_; }

  /// The value of a field of strings, without a copy where the bytes have it as it is; else in
  /// `scratch`. Empty when there is none.
  /// @par Errors   Decode for wrong bytes, InvalidArgument when it isn't a field of strings.
  Result<std::string_view> text(std::string& scratch) const&;
  Result<std::string_view> text(std::string& scratch) const&& =
      delete;  // Name the FieldView first.

  /// Decodes the value alone, as the type that the field has in its struct, optional ones as what
  /// they hold: a scalar, a generated struct, std::vector or std::map of these. Value-initialised
  /// when the field isn't there.
  /// @par Errors   Decode for wrong bytes; offsets count from where the value stands.
  /// InvalidArgument when the field is of another type.
  template <class T>
  Result<T> read() const {
    auto value = Result<T>::make();
    if (auto done = read_into(detail::ReadAsOf<T>::get(), &*value); !done) value = done.error();
    return value;
  }

  /// Calls `visit` with the elements of a list (their keys are empty) or the members of a map, in
  /// the order of the bytes, until it answers false.
  /// @par Errors   As read().
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
  bool member_ = false;  // of the list or map that `field_` is
  std::uint32_t number_ = 0;
  std::string_view bytes_;  // the JSON value; protobuf with its tag, and what is between for lists
  const FieldDescriptor* field_ = nullptr;
  std::shared_ptr<const std::string> merged_;  // when the bytes had to be put together
};

/// Where a field stands, looked up once: "spec.nodeName", "metadata.labels",
/// "metadata.labels['app.kubernetes.io/name']", "spec.containers[0].image". In quotes a backslash
/// stands before a quote and before itself.
///
/// @par Thread safety   Immutable.
/// @par Cost   Looking for a field reads over what stands before it in JSON, and over the fields
/// beside it and around it in protobuf. Nothing is allocated.
class FieldLocator {
 public:
  /// @par Errors   InvalidArgument, naming the part of the path that the type doesn't have.
  static Result<FieldLocator> compile(const TypeDescriptor& type, std::string_view path);
  template <Described T>
  static Result<FieldLocator> compile(std::string_view path) {
    return compile(T::descriptor(), path);
  }

  const std::string& text() const& { return text_; }
  std::string text() const&& { return text_; }

  /// In an object's JSON, or its protobuf with the envelope; recognised by the first bytes. A key
  /// that comes twice in JSON: the first one counts.
  /// @par Errors   Decode when the bytes that are read over are wrong. Those behind the field, and
  /// inside of what is skipped, aren't looked at.
  Result<FieldView> find(std::string_view object) const;
  /// In a bare message.
  Result<FieldView> find_in_message(std::string_view message) const;

 private:
  struct Step {
    enum class Kind : std::uint8_t {
      Member,  ///< A field: `field` for its key in JSON, `number` in protobuf.
      Nested,  ///< Only protobuf has a message here.
      Element,
      Key,
    };
    Kind kind = Kind::Member;
    std::uint32_t number = 0;
    std::size_t index = 0;
    std::string key{};
    bool repeated = false;  ///< A Member that isn't one value.
  };

  FieldView start(bool json) const;
  Result<FieldView> find_in_json(std::string_view text) const;

  std::string text_;
  std::string_view type_;
  std::vector<Step> steps_;
  const FieldDescriptor* field_ = nullptr;
  bool member_ = false;
};

}  // namespace kube::meta

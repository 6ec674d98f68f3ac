// SPDX-License-Identifier: Apache-2.0
//
// What the source says, before it is bytes: objects, lists, events and refusals in which any field
// may be missing, of another type or odd, and how they are written in JSON and in protobuf.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <kube/client/content.hpp>

namespace kube::lying {

/// What is said in a field.
struct Said {
  enum class As : std::uint8_t {
    Nothing,  ///< The field is not there.
    Text,     ///< A string.
    Other,    ///< `text` is JSON of another type; in protobuf, another wire type.
  };
  As as = As::Nothing;
  std::string text{};

  static Said words(std::string text) { return {As::Text, std::move(text)}; }
  static Said other(std::string json) { return {As::Other, std::move(json)}; }
  static Said nothing() { return {}; }
};

/// What is odd about the whole of an object.
enum class Shape : std::uint8_t {
  Whole,
  NoMetadata,
  NullMetadata,
  TextMetadata,
  ListMetadata,
  TwiceMetadata,
  Null,
  Number,
  Text,
  Array,
  Empty,
  Deep,     ///< Nested too deeply to be decoded.
  BadUtf8,  ///< A label's value is none.
  Labels,   ///< Labels are a list.
  OtherKind,
};
inline constexpr Shape kOddShapes[] = {
    Shape::NoMetadata,    Shape::NullMetadata, Shape::TextMetadata, Shape::ListMetadata,
    Shape::TwiceMetadata, Shape::Null,         Shape::Number,       Shape::Text,
    Shape::Array,         Shape::Empty,        Shape::Deep,         Shape::BadUtf8,
    Shape::Labels,        Shape::OtherKind};

struct ObjectStatement {
  Said namespace_{};
  Said name{};
  Said uid{};
  Said version{};
  std::string app{};
  std::string node{};
  Shape shape = Shape::Whole;
  std::size_t padding = 0;  ///< Bytes of an annotation.
  bool with_kind = true;    ///< Items of a list need not say it.
};

/// A Status, or what takes its place.
struct StatusStatement {
  int code = 500;
  std::string reason{};
  std::optional<std::string> message{"the source says no"};
  std::optional<std::int64_t> retry_after{};
  std::string cause{};    ///< A reason in its details.
  std::string instead{};  ///< JSON that takes its place; in protobuf, bytes.
};

struct ListStatement {
  std::vector<ObjectStatement> items{};
  Said version{};
  Said token{};
  std::string kind = "PodList";
  /// Unset: an array. JSON that takes its place; protobuf leaves the items out.
  std::optional<std::string> items_instead{};
  /// The same of the metadata.
  std::optional<std::string> metadata_instead{};
  bool items_twice = false;
  std::size_t envelope_padding = 0;
};

struct EventStatement {
  Said type{};
  std::optional<ObjectStatement> object{};
  std::optional<StatusStatement> status{};
  /// A bookmark's annotation that the initial state is complete; "": none.
  std::string initial_events_end{};
};

std::string write(const ListStatement& list, Encoding encoding);
/// A line, or a frame.
std::string write(const EventStatement& event, Encoding encoding);
std::string write(const StatusStatement& status, Encoding encoding);

}  // namespace kube::lying

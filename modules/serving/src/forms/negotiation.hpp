// SPDX-License-Identifier: Apache-2.0
//
// Media types: the form of a request body, and the form of a response that a client accepts.
//
// JSON and YAML are served for everything, protobuf for objects with a type, Table in JSON and
// YAML.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <kube/base/result.hpp>

namespace kube::serving {

enum class MediaType : std::uint8_t { Json, Yaml, Protobuf };

/// The transformation of an object before it is written.
enum class Transform : std::uint8_t {
  None,
  MetadataOnly,      ///< as=PartialObjectMetadata, of one object
  MetadataOnlyList,  ///< as=PartialObjectMetadataList
  Table,             ///< as=Table, of one object and of a list
};

struct Accepted {
  MediaType media = MediaType::Json;
  Transform transform = Transform::None;
  std::string_view meta_version = "v1";  ///< For a transformed response: "v1" or "v1beta1".
};

/// What a response contains, which decides the forms that can be offered.
enum class ResponseShape : std::uint8_t {
  Object,
  List,
  Watch,
  Part,   ///< A typed document that is not an object of a resource: a Status, a Scale, a review.
  Plain,  ///< A document without a protobuf form.
};

/// Returns the first clause of an Accept header, by quality and order, that can be satisfied; fails
/// with a 406 when there is none. `typed`: the resource's objects have a protobuf form. (Their
/// metadata always have one.)
Result<Accepted> negotiate(std::string_view accept, ResponseShape shape, bool typed);

/// Returns the version ("v2", "v2beta1") of aggregated discovery that the header asks for, or
/// empty.
std::string_view wanted_discovery(std::string_view accept);

std::string_view to_string(MediaType media);

/// Returns the type of a body of POST, PUT and DELETE; JSON when the header is missing. Fails with
/// a 415 for types other than JSON, YAML and, when `typed`, protobuf.
Result<MediaType> body_type(std::string_view content_type, bool typed);

/// Turns "Application/JSON; charset=utf-8" into "application/json".
std::string bare_media_type(std::string_view content_type);

}  // namespace kube::serving

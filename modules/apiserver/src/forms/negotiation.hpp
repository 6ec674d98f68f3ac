// SPDX-License-Identifier: Apache-2.0
//
// Media types: which form a request body has, and which form of an answer a client wants.
//
// JSON and YAML are spoken of everything, protobuf of what has a type, Table in JSON and YAML.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <kube/base/result.hpp>

namespace kube::apiserver {

enum class MediaType : std::uint8_t { Json, Yaml, Protobuf };

/// What is made of an object before it is written.
enum class Transform : std::uint8_t {
  None,
  MetadataOnly,      ///< as=PartialObjectMetadata, of one object
  MetadataOnlyList,  ///< as=PartialObjectMetadataList
  Table,             ///< as=Table, of one object and of a list
};

struct Accepted {
  MediaType media = MediaType::Json;
  Transform transform = Transform::None;
  std::string_view meta_version = "v1";  ///< Of a transformed answer: "v1" or "v1beta1".
};

/// What an answer is about, which decides what can be offered.
enum class AnswerShape : std::uint8_t {
  Object,
  List,
  Watch,
  Part,   ///< A typed document that is no resource's object: a Status, a Scale, a review.
  Plain,  ///< A document without a protobuf form.
};

/// The first clause of an Accept header, by quality and order, that can be satisfied; a 406 when
/// there is none. `typed`: the resource's objects have a protobuf form. (Their metadata alone has
/// one always.)
Result<Accepted> negotiate(std::string_view accept, AnswerShape shape, bool typed);

/// Whether the header asks for aggregated discovery, and its version ("v2", "v2beta1"); empty: no.
std::string_view wanted_discovery(std::string_view accept);

std::string_view to_string(MediaType media);

/// Of a body of POST, PUT and DELETE: a 415 for other types than JSON, YAML and, when `typed`,
/// protobuf; JSON when missing.
Result<MediaType> body_type(std::string_view content_type, bool typed);

/// "Application/JSON; charset=utf-8" to "application/json".
std::string bare_media_type(std::string_view content_type);

}  // namespace kube::apiserver

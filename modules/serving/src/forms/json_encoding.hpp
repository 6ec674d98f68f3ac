// SPDX-License-Identifier: Apache-2.0
//
// Responses in JSON, and in YAML converted from it: whole objects, or their metadata alone.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "forms/encoding.hpp"

namespace kube::serving {

/// For all transformations except Table.
EncodingPtr make_json_encoding(const Accepted& accepted);

/// Appends the whole object, shown at a revision.
void append_document(const Resource& resource, const StoredObject& given, std::uint64_t revision,
                     std::string& out);
/// Appends its PartialObjectMetadata; `api_version`: "meta.k8s.io/v1".
void append_partial_metadata(const Resource& resource, const StoredObject& given,
                             std::uint64_t revision, std::string_view api_version,
                             std::string& out);
/// Appends `"kind":...,"apiVersion":...`.
void append_type_meta(std::string_view kind, std::string_view api_version, std::string& out);
/// Appends a ListMeta.
void append_list_metadata(const ListFacts& facts, std::string& out, bool with_token = false);
/// Appends the metadata of a bookmark's object.
void append_bookmark_metadata(std::uint64_t revision, bool initial_end, std::string& out);

}  // namespace kube::serving

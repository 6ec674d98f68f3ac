// SPDX-License-Identifier: Apache-2.0
//
// Requests objects as their metadata.
#include <kube/client/content.hpp>
#include <kube/codec/codec.hpp>
#include <kube/json/object_members.hpp>
#include <kube/meta/partial_object_metadata.hpp>

#include "envelope.hpp"

namespace kube {

std::string accept_metadata(std::string_view accept, bool is_list) {
  const std::string form =
      std::string(";as=PartialObjectMetadata") + (is_list ? "List" : "") + ";g=meta.k8s.io;v=v1,";
  std::string out;
  if (accept.find(kProtobufMediaType) != std::string_view::npos) {
    out.append(kProtobufMediaType).append(form);
  }
  return out.append(kJsonMediaType).append(form).append(kJsonMediaType);
}

Result<void> read_metadata(std::string_view object, meta::PartialObjectMetadata& into) {
  Result<void> read;
  const auto visited = json::for_each_member(object, [&](const json::Member& member) {
    if (member.key != "metadata" || member.value == "null") return true;
    read = meta::read_json(member.value, meta::ObjectMeta::descriptor(), &into.metadata)
               .with_context("metadata");
    return read.has_value();
  });
  return visited ? read : visited;
}

Result<void> read_metadata_response(std::string_view object, meta::PartialObjectMetadata& into) {
  const Result<TypeNames> type = type_names(object);
  if (!type) return type.error();
  if (auto read = read_metadata(object, into); !read) return read;
  if (type->kind == "PartialObjectMetadata") return {};
  const meta::ObjectMeta& metadata = into.metadata;
  if (!metadata.uid.empty() || !metadata.name.empty() || !metadata.generate_name.empty() ||
      !metadata.creation_timestamp.is_zero()) {
    return {};
  }
  return Error(ErrorCode::Decode,
               "object does not appear to match the ObjectMeta schema: it has no uid, name, "
               "generateName or creationTimestamp");
}

}  // namespace kube

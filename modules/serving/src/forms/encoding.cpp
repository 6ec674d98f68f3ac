// SPDX-License-Identifier: Apache-2.0
#include "forms/encoding.hpp"

#include <map>
#include <tuple>
#include <utility>

#include <kube/json/yaml.hpp>

#include "forms/json_encoding.hpp"
#include "forms/protobuf_encoding.hpp"
#include "forms/table_encoding.hpp"

namespace kube::serving {

namespace {

using Form = std::tuple<MediaType, Transform, std::string_view>;

std::map<Form, EncodingPtr> make_forms() {
  std::map<Form, EncodingPtr> out;
  for (const auto transform :
       {Transform::None, Transform::MetadataOnly, Transform::MetadataOnlyList}) {
    for (const std::string_view version : {"v1", "v1beta1"}) {
      for (const auto media : {MediaType::Json, MediaType::Yaml}) {
        out[{media, transform, version}] = make_json_encoding({media, transform, version});
      }
      const Accepted protobuf{MediaType::Protobuf, transform, version};
      out[{protobuf.media, transform, version}] = make_protobuf_encoding(protobuf);
    }
  }
  return out;
}

}  // namespace

EncodingPtr make_encoding(const Accepted& accepted, IncludeObject include,
                          std::shared_ptr<Clock> clock) {
  if (accepted.transform == Transform::Table) {
    return make_table_encoding(accepted, include, std::move(clock));
  }
  static const std::map<Form, EncodingPtr> forms = make_forms();
  return forms.at({accepted.media, accepted.transform, accepted.meta_version});
}

std::string_view event_name(EventType type) {
  switch (type) {
    case EventType::Added:
      return "ADDED";
    case EventType::Modified:
      return "MODIFIED";
    case EventType::Deleted:
      return "DELETED";
  }
  return "ERROR";
}

std::string to_media(std::string json, MediaType media) {
  if (media == MediaType::Yaml) {
    if (auto value = json::parse(json)) return yaml::dump(json::sorted_members(*value));
  }
  if (!json.ends_with('\n')) json += '\n';
  return json;
}

}  // namespace kube::serving

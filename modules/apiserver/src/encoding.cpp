// SPDX-License-Identifier: Apache-2.0
#include "encoding.hpp"

#include <utility>

#include <kube/json/yaml.hpp>

#include "json_encoding.hpp"
#include "protobuf_encoding.hpp"
#include "table_encoding.hpp"

namespace kube::apiserver {

EncodingPtr make_encoding(const Accepted& accepted, IncludeObject include,
                          std::shared_ptr<Clock> clock) {
  if (accepted.transform == Transform::Table) {
    return make_table_encoding(accepted, include, std::move(clock));
  }
  return accepted.media == MediaType::Protobuf ? make_protobuf_encoding(accepted)
                                               : make_json_encoding(accepted);
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
    if (auto value = json::parse(json)) return yaml::dump(*value);
  }
  if (!json.ends_with('\n')) json += '\n';
  return json;
}

}  // namespace kube::apiserver

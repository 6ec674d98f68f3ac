// SPDX-License-Identifier: Apache-2.0
#include "result_printer.hpp"

#include <utility>

#include "document_printer.hpp"

namespace kubecpp {

ResultOutput result_output(const std::string& word) {
  return word == "json"   ? ResultOutput::Json
         : word == "yaml" ? ResultOutput::Yaml
         : word == "name" ? ResultOutput::Name
                          : ResultOutput::Words;
}

kube::json::Value shown(kube::Unstructured object, const kube::meta::ResourceInfo& resource) {
  if (object.kind().empty()) object.set_gvk(resource.gvk());
  object.set_managed_fields({});
  return std::move(object.content);
}

bool is_whole(ResultOutput output) {
  return output == ResultOutput::Json || output == ResultOutput::Yaml;
}

std::string objects_text(kube::json::Array objects, ResultOutput output) {
  if (objects.size() == 1) return object_text(objects.front(), output);
  return object_text(kube::json::Object{{"apiVersion", "v1"},
                                        {"items", std::move(objects)},
                                        {"kind", "List"},
                                        {"metadata", kube::json::Object{}}},
                     output);
}

std::string object_text(const kube::json::Value& value, ResultOutput output) {
  return output == ResultOutput::Yaml ? yaml_text(value) : json_text(value);
}

}  // namespace kubecpp

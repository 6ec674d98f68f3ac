// SPDX-License-Identifier: Apache-2.0
#include "result_printer.hpp"

#include <utility>

#include "cluster.hpp"
#include "document_printer.hpp"

namespace kubecpp {

ResultOutput result_output(const std::string& word) {
  return word == "json"   ? ResultOutput::Json
         : word == "yaml" ? ResultOutput::Yaml
         : word == "name" ? ResultOutput::Name
                          : ResultOutput::Words;
}

kube::json::Value shown(kube::Unstructured object, const kube::meta::ResourceInfo& resource,
                        bool managed_fields) {
  if (object.kind().empty()) object.set_gvk(resource.gvk());
  if (!managed_fields) object.set_managed_fields({});
  return std::move(object.content);
}

bool is_whole(ResultOutput output) {
  return output == ResultOutput::Json || output == ResultOutput::Yaml;
}

std::string objects_text(kube::json::Array objects, ResultOutput output) {
  if (objects.size() == 1) return object_text(objects.front(), output);
  for (kube::json::Value& each : objects) each = kube::json::sorted_members(each);
  // The order that the members have in Go's type, which kubectl's JSON shows.
  const kube::json::Value list = kube::json::Object{{"kind", "List"},
                                                    {"apiVersion", "v1"},
                                                    {"metadata", kube::json::Object{}},
                                                    {"items", std::move(objects)}};
  return output == ResultOutput::Yaml ? yaml_text(list) : json_text_in_order(list);
}

std::string object_text(const kube::json::Value& value, ResultOutput output) {
  return output == ResultOutput::Yaml ? yaml_text(value) : json_text(value);
}

void ResultPrinter::print(const kube::meta::ResourceInfo& resource,
                          const kube::Unstructured& object, const std::string& operation) {
  if (is_whole(output_)) {
    const bool separated = printed_ && output_ == ResultOutput::Yaml;
    out_.write((separated ? "---\n" : "") +
               object_text(shown(object, resource, managed_fields_), output_));
  } else {
    const bool words = output_ == ResultOutput::Words;
    out_.write(object_word(resource, object.name()) + (words ? " " + operation + suffix_ : "") +
               "\n");
  }
  printed_ = true;
}

}  // namespace kubecpp

// SPDX-License-Identifier: Apache-2.0
//
// The defaults of containers and pods.
#include "kinds/pod_template.hpp"

#include <string_view>

#include "documents/metadata.hpp"
#include "kinds/fields.hpp"

namespace kube::serving {
namespace {

// Returns true for the tag ":latest" or no tag, without a digest: such an image is always pulled.
bool has_moving_tag(std::string_view image) {
  if (image.find('@') != std::string_view::npos) return false;
  const std::size_t slash = image.rfind('/');
  const std::string_view last = slash == std::string_view::npos ? image : image.substr(slash + 1);
  const std::size_t colon = last.find(':');
  return colon == std::string_view::npos || last.substr(colon + 1) == "latest";
}

void default_container(json::Object& container) {
  const json::Value* image = container.find("image");
  const bool moving = image != nullptr && has_moving_tag(image->string_or_empty());
  set_default(container, "resources", json::Object{});
  set_default(container, "terminationMessagePath", "/dev/termination-log");
  set_default(container, "terminationMessagePolicy", "File");
  set_default(container, "imagePullPolicy", moving ? "Always" : "IfNotPresent");
  for_each_object(container, "ports",
                  [](json::Object& port) { set_default(port, "protocol", "TCP"); });
}

}  // namespace

void default_pod_spec(json::Object& spec) {
  for_each_object(spec, "containers", default_container);
  for_each_object(spec, "initContainers", default_container);
  set_default(spec, "restartPolicy", "Always");
  set_default(spec, "terminationGracePeriodSeconds", 30);
  set_default(spec, "dnsPolicy", "ClusterFirst");
  set_default(spec, "securityContext", json::Object{});
  set_default(spec, "schedulerName", "default-scheduler");
  if (const json::Value* account = spec.find("serviceAccountName"); account != nullptr) {
    set_default(spec, "serviceAccount", *account);
  }
}

void default_template(json::Object& spec) {
  json::Value* pod = spec.find("template");
  if (pod == nullptr || !pod->is_object()) return;
  default_pod_spec(child(*pod->if_object(), "spec"));
}

}  // namespace kube::serving

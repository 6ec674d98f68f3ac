// SPDX-License-Identifier: Apache-2.0
//
// Requests scales, and converts them between their versions.
#include <kube/client/scale_client.hpp>

#include <algorithm>
#include <utility>

#include <kube/api/apps/v1beta1/scale.hpp>
#include <kube/api/apps/v1beta2/scale.hpp>
#include <kube/api/extensions/v1beta1/scale.hpp>
#include <kube/codec/codec.hpp>
#include <kube/names/label_selector.hpp>
#include <kube/names/labels.hpp>

#include "envelope.hpp"

namespace kube {
namespace {

using Scale = autoscaling::v1::Scale;

template <class Legacy>
Result<Scale> read_legacy_scale(std::string_view object) {
  Result<Legacy> read = meta::from_json<Legacy>(object);
  if (!read) return read.error();
  Scale scale;
  scale.metadata = std::move(read->metadata);
  scale.spec.replicas = read->spec.replicas;
  scale.status.replicas = read->status.replicas;
  scale.status.selector = read->status.target_selector.empty()
                              ? labels::to_string(read->status.selector)
                              : read->status.target_selector;
  return scale;
}

template <class Legacy>
Result<std::string> write_legacy_scale(const Scale& scale) {
  Legacy legacy;
  legacy.metadata = scale.metadata;
  legacy.spec.replicas = scale.spec.replicas;
  legacy.status.replicas = scale.status.replicas;
  if (!scale.status.selector.empty()) {
    const auto selector = labels::parse_to_label_selector(scale.status.selector);
    if (!selector) return selector.error().with_context("status.selector");
    const auto conditions = labels::from_label_selector(*selector);
    if (!conditions) return conditions.error().with_context("status.selector");
    legacy.status.target_selector = conditions->to_string();
    const json::Value* expressions = selector->at_path({"matchExpressions"});
    if (expressions == nullptr || expressions->is_null()) {
      auto as_set = labels::label_selector_as_set(*selector);
      if (!as_set) return as_set.error().with_context("status.selector");
      legacy.status.selector = *std::move(as_set);
    }
  }
  return meta::to_json(legacy);
}

struct ScaleForm {
  std::string_view api_version;
  Result<Scale> (*read)(std::string_view object);
  Result<std::string> (*write)(const Scale& scale);
};

constexpr ScaleForm kScaleForms[] = {
    {"autoscaling/v1", [](std::string_view object) { return meta::from_json<Scale>(object); },
     [](const Scale& scale) { return Result<std::string>(meta::to_json(scale)); }},
    {"extensions/v1beta1", &read_legacy_scale<extensions::v1beta1::Scale>,
     &write_legacy_scale<extensions::v1beta1::Scale>},
    {"apps/v1beta1", &read_legacy_scale<apps::v1beta1::Scale>,
     &write_legacy_scale<apps::v1beta1::Scale>},
    {"apps/v1beta2", &read_legacy_scale<apps::v1beta2::Scale>,
     &write_legacy_scale<apps::v1beta2::Scale>},
};

const ScaleForm* form_of(std::string_view api_version) {
  const auto* found = std::ranges::find(kScaleForms, api_version, &ScaleForm::api_version);
  return found == std::end(kScaleForms) ? nullptr : found;
}

Result<Scale> converted(const Result<std::string>& answer) {
  if (!answer) return answer.error();
  return read_scale(*answer);
}

}  // namespace

Result<Scale> read_scale(std::string_view object) {
  const std::string wrong =
      "received an object from a /scale endpoint which was not convertible to autoscaling Scale: ";
  const Result<TypeNames> type = type_names(object);
  if (!type) return Error(ErrorCode::Decode, wrong + type.error().message());
  const ScaleForm* form = type->kind == "Scale" ? form_of(type->api_version) : nullptr;
  if (form == nullptr) {
    return Error(ErrorCode::Decode,
                 wrong + "found kind \"" + type->kind + "\" of \"" + type->api_version + "\"");
  }
  Result<Scale> scale = form->read(object);
  if (!scale) return Error(ErrorCode::Decode, wrong + scale.error().to_string());
  return scale;
}

Result<std::string> write_scale(const Scale& scale, const meta::GroupVersion& version) {
  const ScaleForm* form = form_of(version.to_string());
  if (form == nullptr) {
    return Error(ErrorCode::InvalidArgument,
                 "expected a version that has a Scale, such as autoscaling/v1, got \"" +
                     version.to_string() + "\"");
  }
  return form->write(scale);
}

ScaleClient::ScaleClient(RestClient client, std::shared_ptr<CachedDiscovery> discovery)
    : client_(std::move(client)),
      discovery_(std::move(discovery)),
      mapper_(std::make_shared<const DeferredRestMapper>(discovery_)) {}

Result<meta::ResourceInfo> ScaleClient::preferred(const meta::GroupResource& resource,
                                                  const std::stop_token& stop) const {
  Result<meta::ResourceInfo> found = mapper_->resolve(resource.to_string(), stop);
  if (found || !is_no_match(found.error())) return found;
  return Error(ErrorCode::InvalidArgument,
               "unable to get full preferred group-version-resource for " + resource.to_string() +
                   ": " + found.error().message());
}

Result<meta::GroupVersion> ScaleClient::version_of_scale(const meta::ResourceInfo& resource,
                                                         const std::stop_token& stop) const {
  const auto list = discovery_->server_resources_for_group_version(resource.group_version(), stop);
  if (!list) return list.error();
  const auto found =
      std::ranges::find(list->resources, resource.plural + "/scale", &ApiResource::name);
  if (found != list->resources.end()) return found->kind.group_version();
  return Error(ErrorCode::InvalidArgument, "could not find scale subresource for " +
                                               resource.gvr().to_string() +
                                               " in discovery information");
}

Result<Scale> ScaleClient::get(const meta::GroupResource& resource, const std::string& namespace_,
                               std::string_view name, const GetOptions& options,
                               std::stop_token stop) const {
  const auto info = preferred(resource, stop);
  if (!info) return info.error();
  return converted(RawApi(client_, *info, namespace_).get(name, "scale", options, std::move(stop)));
}

Result<Scale> ScaleClient::update(const meta::GroupResource& resource,
                                  const std::string& namespace_, const Scale& scale,
                                  const UpdateOptions& options, std::stop_token stop) const {
  const auto info = preferred(resource, stop);
  if (!info) return info.error();
  const auto version = version_of_scale(*info, stop);
  if (!version) return version.error();
  auto body = write_scale(scale, *version);
  if (!body) return body.error().with_context("update the scale of " + resource.to_string());
  return converted(
      RawApi(client_, *info, namespace_)
          .update(scale.metadata.name, "scale", *std::move(body) + "\n", options, std::move(stop)));
}

Result<Scale> ScaleClient::patch(const meta::GroupVersionResource& resource,
                                 const std::string& namespace_, std::string_view name,
                                 const Patch& patch, const PatchOptions& options,
                                 std::stop_token stop) const {
  meta::ResourceInfo info{.group = resource.group,
                          .version = resource.version,
                          .plural = resource.resource,
                          .namespaced = !namespace_.empty()};
  return converted(RawApi(client_, std::move(info), namespace_)
                       .patch(name, "scale", patch, options, std::move(stop)));
}

}  // namespace kube

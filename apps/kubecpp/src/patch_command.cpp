// SPDX-License-Identifier: Apache-2.0
#include "patch_command.hpp"

#include <utility>

#include <kube/json/yaml.hpp>
#include <kube/meta/patch.hpp>

#include "cluster.hpp"
#include "object_check.hpp"
#include "stop_signal.hpp"

namespace kubecpp {
namespace {

using kube::Error;
using kube::ErrorCode;
using kube::Patch;
using kube::Result;

Result<Patch> patch_of(const PatchCommandOptions& options) {
  const bool operations = options.type == "json";
  const auto wrong = [&](const std::string& why) {
    return Error(ErrorCode::InvalidArgument, "unable to parse --patch: " + why);
  };
  auto document = kube::yaml::parse(options.patch);
  if (!document) return wrong(document.error().to_string());
  if (operations ? !document->is_array() : !document->is_object()) {
    return wrong(std::string("expected ") + (operations ? "an array of operations" : "an object") +
                 ", found " + described(*document));
  }
  return operations                ? Patch::json(*std::move(document))
         : options.type == "merge" ? Patch::merge(*std::move(document))
                                   : Patch::strategic_merge(*std::move(document));
}

}  // namespace

int run_patch(const PatchCommandOptions& options, Output& out) {
  const example::StopSignal signal;
  const auto target = parse_target(options.resource, options.name);
  if (!target) return report(target.error());
  if (target->name.empty()) {
    return report(Error(ErrorCode::InvalidArgument, "expected the name of the object to patch"));
  }
  const auto patch = patch_of(options);
  if (!patch) return report(patch.error());
  const auto cluster = Cluster::open(options.connection, options.namespace_, signal.token());
  if (!cluster) return report(cluster.error());
  const auto resource = cluster->resolve(target->resource);
  if (!resource) return report_server(resource.error());
  const auto api = cluster->api(*resource, cluster->namespace_of(*resource));
  const auto before = api.get(target->name, {}, signal.token());
  if (!before) return report_server(before.error());
  const auto after = api.patch(target->name, *patch, {.field_manager = "kubecpp"}, signal.token());
  if (!after) return report_server(after.error());
  const bool same = before->resource_version() == after->resource_version();
  out.write(object_word(*resource, target->name) + " patched" + (same ? " (no change)" : "") +
            "\n");
  return out.exit_status(0);
}

}  // namespace kubecpp

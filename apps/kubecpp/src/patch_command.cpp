// SPDX-License-Identifier: Apache-2.0
#include "patch_command.hpp"

#include <utility>

#include <kube/base/stop_signal.hpp>
#include <kube/json/yaml.hpp>
#include <kube/patch/patch.hpp>

#include "object_check.hpp"
#include "targets.hpp"

namespace kubecpp {
namespace {

using kube::Error;
using kube::ErrorCode;
using kube::Patch;
using kube::Result;
namespace json = kube::json;

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

struct Patched {
  std::string line;
  json::Value object;
};

Result<Patched> patch_one(const Cluster& cluster, const ResolvedTarget& target, const Patch& patch,
                          ResultOutput output, const std::stop_token& stop) {
  const auto api = cluster.api(target.resource, cluster.namespace_of(target.resource));
  const auto before = api.get(target.name, {}, stop);
  if (!before) return before.error();
  auto after = api.patch(target.name, patch, {.field_manager = "kubecpp"}, stop);
  if (!after) return after.error();
  const bool same = before->resource_version() == after->resource_version();
  const std::string word = object_word(target.resource, target.name);
  const std::string done = output == ResultOutput::Name ? "" : " patched";
  return Patched{word + done + (same && !done.empty() ? " (no change)" : "") + "\n",
                 shown(*std::move(after), target.resource)};
}

}  // namespace

int run_patch(const PatchCommandOptions& options, Output& out) {
  const kube::StopSignal signal;
  const auto targets = parse_targets(options.targets);
  if (!targets) return report(targets.error());
  if (!all_named(*targets)) {
    return report(Error(ErrorCode::InvalidArgument, "expected the name of the object to patch"));
  }
  const auto patch = patch_of(options);
  if (!patch) return report(patch.error());
  const auto cluster = Cluster::open(options.connection, options.namespace_, signal.token());
  if (!cluster) return report(cluster.error());
  const auto resolved = resolve(*cluster, *targets);
  if (!resolved) return report(resolved.error());
  int status = 0;
  json::Array objects;
  for (const ResolvedTarget& target : *resolved) {
    auto patched = patch_one(*cluster, target, *patch, options.output, signal.token());
    if (!patched) {
      status = report_server(patched.error());
      if (signal.token().stop_requested()) return status;
    } else if (is_whole(options.output)) {
      objects.push_back(std::move(patched->object));
    } else {
      out.write(patched->line);
    }
  }
  if (!objects.empty()) out.write(objects_text(std::move(objects), options.output));
  return out.exit_status(status);
}

}  // namespace kubecpp

// SPDX-License-Identifier: Apache-2.0
#include "delete_command.hpp"

#include <kube/base/stop_signal.hpp>
#include <kube/meta/errors.hpp>

#include "manifest.hpp"
#include "targets.hpp"

namespace kubecpp {
namespace {

using kube::Error;
using kube::ErrorCode;
using kube::Result;
using kube::meta::ResourceInfo;

Result<void> delete_object(const Cluster& cluster, const ResourceInfo& resource,
                           const std::string& namespace_, const std::string& name,
                           const DeleteCommandOptions& options, std::stop_token stop, Output& out) {
  kube::DeleteOptions how;
  how.propagation_policy = "Background";
  const auto deleted = cluster.api(resource, namespace_).delete_(name, how, std::move(stop));
  if (!deleted) {
    if (options.ignore_not_found && kube::is_not_found(deleted.error())) return {};
    return deleted.error();
  }
  const std::string where =
      namespace_.empty() ? "" : " from " + printable(namespace_) + " namespace";
  out.write(options.names_only
                ? object_word(resource, name) + "\n"
                : kind_word(resource) + " \"" + printable(name) + "\" deleted" + where + "\n");
  return {};
}

int delete_files(Cluster& cluster, const std::vector<Manifest>& manifests,
                 const DeleteCommandOptions& options, const std::stop_token& stop, Output& out) {
  int status = 0;
  for (const Manifest& manifest : manifests) {
    const kube::Unstructured& object = manifest.object;
    const auto delete_one = [&]() -> Result<void> {
      const auto resource = cluster.resource_of(object.gvk(), stop);
      if (!resource) return resource.error();
      const auto namespace_ = cluster.namespace_of(*resource, object.namespace_());
      if (!namespace_) return namespace_.error();
      return delete_object(cluster, *resource, *namespace_, std::string(object.name()), options,
                           stop, out);
    };
    if (auto deleted = delete_one(); !deleted) {
      status = report_server(deleted.error(), "error when deleting \"" + manifest.file + "\"");
      if (stop.stop_requested()) return status;
    }
  }
  return out.exit_status(status);
}

int delete_targets(const Cluster& cluster, const std::vector<ResolvedTarget>& targets,
                   const DeleteCommandOptions& options, const std::stop_token& stop, Output& out) {
  int status = 0;
  for (const auto& [resource, name] : targets) {
    const auto deleted =
        delete_object(cluster, resource, cluster.namespace_of(resource), name, options, stop, out);
    if (deleted) continue;
    status = report_server(deleted.error());
    if (stop.stop_requested()) return status;
  }
  return out.exit_status(status);
}

}  // namespace

int run_delete(const DeleteCommandOptions& options, Output& out) {
  const kube::StopSignal signal;
  const auto wrong = [](const char* text) {
    return report(Error(ErrorCode::InvalidArgument, text));
  };
  if (!options.files.empty()) {
    if (!options.targets.empty()) return wrong("expected a resource or -f, not both");
    const auto manifests = read_manifests(options.files, signal.token());
    if (!manifests) return report(manifests.error());
    auto cluster = Cluster::open(options.connection, options.namespace_, signal.token());
    if (!cluster) return report(cluster.error());
    return delete_files(*cluster, *manifests, options, signal.token(), out);
  }
  if (options.targets.empty()) return wrong("expected a resource and a name, or files with -f");
  const auto targets = parse_targets(options.targets);
  if (!targets) return report(targets.error());
  if (!all_named(*targets)) return wrong("resource(s) were provided, but no name was specified");
  const auto cluster = Cluster::open(options.connection, options.namespace_, signal.token());
  if (!cluster) return report(cluster.error());
  const auto resolved = resolve(*cluster, *targets);
  if (!resolved) return report(resolved.error());
  return delete_targets(*cluster, *resolved, options, signal.token(), out);
}

}  // namespace kubecpp

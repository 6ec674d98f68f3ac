// SPDX-License-Identifier: Apache-2.0
#include "serve_command.hpp"

#include <algorithm>
#include <cstdio>
#include <memory>
#include <optional>
#include <set>
#include <utility>

#include <kube/base/join.hpp>
#include <kube/base/stop.hpp>
#include <kube/base/stop_signal.hpp>
#include <kube/cacheserver/cache_server.hpp>
#include <kube/names/time.hpp>
#include <kube/names/validation.hpp>

#include "cluster.hpp"
#include "error_output.hpp"
#include "flags.hpp"
#include "state_folder.hpp"
#include "targets.hpp"
#include "warning_printer.hpp"

namespace kubecpp {
namespace {

using kube::CacheServer;
using kube::Error;
using kube::ErrorCode;
using kube::Result;
using kube::Unstructured;
using Informer = kube::SharedInformer<Unstructured>;

const kube::meta::GroupResource kSecrets{"", "secrets"};

void warn(std::string_view text) {
  WarningPrinter().handle_warning_header(kMiscellaneousWarning, "", text);
}

Result<void> check_namespaces(const ServeOptions& options) {
  for (const std::string& name : options.namespaces) {
    const auto problems = kube::meta::validate_dns1123_label(name);
    if (problems.empty()) continue;
    return Error(ErrorCode::InvalidArgument, "--namespace \"" + name + "\": " + problems.front());
  }
  return {};
}

// A watch of a resource to which nothing happens brings a bookmark a minute, and nothing else.
Result<void> check_max_age(const ServeOptions& options) {
  if (options.max_age >= std::chrono::minutes(2)) return {};
  return Error(ErrorCode::InvalidArgument,
               "--max-age " + kube::meta::Duration{options.max_age}.to_string() +
                   ": expected at least 2m, because a cluster to which nothing happens is heard of "
                   "once a minute");
}

/// Returns the first verb that a cache needs and a resource does not have; empty when it has all.
template <class T>
std::string missing_verb(const T& verbs, const kube::meta::ResourceInfo& resource) {
  for (const char* verb : {"list", "watch"}) {
    if (!verbs.has_verb(resource, verb)) return verb;
  }
  return {};
}

/// Resolves the words of the command line.
/// @par Errors   Config: unknown, or it can't be listed and watched. InvalidArgument.
Result<std::vector<kube::meta::ResourceInfo>> named_resources(const Cluster& cluster,
                                                              const std::vector<Target>& targets) {
  const auto resolved = resolve(cluster, targets);
  if (!resolved) return resolved.error();
  std::vector<kube::meta::ResourceInfo> out;
  for (const ResolvedTarget& target : *resolved) {
    if (const std::string verb = missing_verb(cluster, target.resource); !verb.empty()) {
      return Error(ErrorCode::Config,
                   "the server can't " + verb + " " + target.resource.group_resource().to_string());
    }
    out.push_back(target.resource);
  }
  return out;
}

/// Adds all that discovery lists and that can be listed and watched, in its preferred version; not
/// Secrets, which a user has to name. Warns of groups whose servers are down.
/// @par Errors   Config: there is nothing. Those of discovery.
Result<void> add_all_resources(const Cluster& cluster, std::stop_token stop,
                               std::vector<kube::meta::ResourceInfo>& out) {
  // A file of it may be older than a definition.
  cluster.discovery()->invalidate();
  auto found = cluster.discovery()->server_groups_and_resources(std::move(stop));
  if (!found) return found.error();
  if (const auto down = found->failure()) {
    warn("not served: " + down->message());
  }
  std::set<kube::meta::GroupResource> known = {kSecrets};
  for (const auto& each : out) known.insert(each.group_resource());
  const kube::RestMapper mapper(*std::move(found));
  for (const kube::meta::ResourceInfo& each : mapper.resources()) {
    if (!missing_verb(mapper, each).empty()) continue;
    if (known.insert(each.group_resource()).second) out.push_back(each);
  }
  if (!out.empty()) return {};
  return Error(ErrorCode::Config, "--all: discovery lists nothing that can be listed and watched");
}

/// Returns the definition of a custom resource, for the columns of its tables; empty when it has
/// none or may not be read.
std::optional<Unstructured> definition_of(const Cluster& cluster,
                                          const kube::meta::ResourceInfo& resource,
                                          std::stop_token stop) {
  if (resource.group.find('.') == std::string::npos) return std::nullopt;
  static const kube::meta::ResourceInfo kDefinitions{
      "apiextensions.k8s.io",     "v1", "CustomResourceDefinition", "customresourcedefinitions",
      "customresourcedefinition", false};
  auto found = cluster.api(kDefinitions, {}).get(resource.group_resource().to_string(), {}, stop);
  if (!found) return std::nullopt;
  return *std::move(found);
}

/// Warns of who else gets the values of Secrets, when they are served.
void warn_of_secrets(const ServeOptions& options,
                     const std::vector<kube::meta::ResourceInfo>& resources) {
  if (std::ranges::find(resources, kSecrets, &kube::meta::ResourceInfo::group_resource) ==
      resources.end()) {
    return;
  }
  if (!options.state_dir.empty()) {
    warn("the values of Secrets are saved in the folder \"" + options.state_dir +
         "\", in files for this user alone");
  }
  if (options.token_auth_file.empty() && !options.listen.starts_with("unix:")) {
    warn(
        "every user of this machine can read the Secrets that are served: give a file of tokens, "
        "or listen on a unix socket, which is for this user alone");
  }
}

/// The informers of a served cluster; they stop before the server that serves them is destroyed.
class Serving {
 public:
  Serving(const Cluster& cluster, CacheServer& server) : cluster_(cluster), server_(server) {}
  ~Serving() {
    for (const auto& informer : informers_) informer->stop_and_wait();
  }
  Serving(const Serving&) = delete;
  Serving& operator=(const Serving&) = delete;

  /// @par Errors   InvalidArgument: the resource is named twice.
  Result<void> add(const kube::meta::ResourceInfo& resource, const ServeOptions& serve,
                   std::stop_token stop) {
    const auto definition = definition_of(cluster_, resource, stop);
    const bool all = serve.namespaces.empty() || !resource.namespaced;
    for (const std::string& name : all ? std::vector<std::string>{""} : serve.namespaces) {
      kube::InformerOptions options;
      options.namespace_ = name;
      options.state_dir = serve.state_dir;
      informers_.push_back(std::make_unique<Informer>(cluster_.client().rest(), resource, options));
      Informer& informer = *informers_.back();
      if (auto added = server_.add(informer, definition ? &*definition : nullptr); !added) {
        return added;
      }
      if (auto started = informer.start(); !started) return started;
    }
    return {};
  }

 private:
  const Cluster& cluster_;
  CacheServer& server_;
  std::vector<std::unique_ptr<Informer>> informers_;
};

CacheServer::Options server_options(const ServeOptions& options, const Cluster& cluster) {
  CacheServer::Options out;
  out.listen = options.listen;
  out.tls_cert_file = options.tls_cert_file;
  out.tls_key_file = options.tls_key_file;
  out.token_auth_file = options.token_auth_file;
  out.authorization_rules_file = options.authorization_rules_file;
  out.host_names = options.host_names;
  out.max_age = options.max_age;
  out.stop_timeout = options.shutdown_timeout;
  out.openapi_from = cluster.client().rest();
  if (options.allow_writes) out.writes_to = cluster.client().rest().config();
  out.runtime = cluster.client().runtime();
  out.runtime.executor = nullptr;  // timers run on the server's own threads
  return out;
}

// What lasts beyond a request: the saved caches, the age that they may have, and the stop.
void add_times(CLI::App& command, ServeOptions& serve) {
  command
      .add_option("--state-dir", serve.state_dir,
                  "Folder in which the caches, with the values of Secrets that are served, are "
                  "saved at the end and every few minutes, in files for this user alone; the next "
                  "start resumes from it without listing. One process uses it at a time")
      ->check(kNotEmpty);
  add_duration(
      command, "--max-age", serve.max_age,
      "When nothing was heard of the cluster for longer, /readyz fails and answers have a "
      "warning; at least 2m, because an idle cluster is heard of once a minute; 5m by default");
  add_duration(command, "--shutdown-timeout", serve.shutdown_timeout,
               "How long SIGTERM or SIGINT waits for the answers under way, before their "
               "connections are closed and the caches are saved, such as 10s; 30s by default; a "
               "second signal ends the program at once");
}

}  // namespace

int run_serve(const ServeOptions& options, Output& out) {
  const kube::StopSignal signal;
  if (auto valid = check_namespaces(options); !valid) return report(valid.error());
  if (auto valid = check_max_age(options); !valid) return report(valid.error());
  if (options.resources.empty() && !options.all) {
    return report(Error(ErrorCode::InvalidArgument, "expected resources, such as pods, or --all"));
  }
  // All words are resources: "pods deploy" is "pods,deploy".
  std::vector<std::string> words;
  if (!options.resources.empty()) words.push_back(kube::join(options.resources, ","));
  auto targets = parse_targets(words);
  if (!targets) return report(targets.error());
  const auto named =
      std::ranges::find_if(*targets, [](const Target& t) { return !t.name.empty(); });
  if (named != targets->end()) {
    return report(Error(
        ErrorCode::InvalidArgument,
        "expected resources, such as pods,services; \"" + named->name + "\" names an object"));
  }
  std::optional<StateFolder> state_folder;
  if (!options.state_dir.empty()) {
    auto opened = StateFolder::open(options.state_dir);
    if (!opened) return report(opened.error());
    state_folder.emplace(*std::move(opened));
  }
  ConnectionOptions connection = options.connection;
  connection.logs_warnings = true;
  auto cluster = Cluster::open(connection, {}, signal.token());
  if (!cluster) return report(cluster.error());
  auto resources = named_resources(*cluster, *targets);
  if (!resources) return report_server(resources.error());
  if (options.all) {
    auto added = add_all_resources(*cluster, signal.token(), *resources);
    if (!added) return report_server(added.error());
  }

  warn_of_secrets(options, *resources);

  auto server = CacheServer::start(server_options(options, *cluster));
  if (!server) return report(server.error());
  Serving serving(*cluster, **server);
  for (const kube::meta::ResourceInfo& resource : *resources) {
    auto added = serving.add(resource, options, signal.token());
    if (!added) return report(added.error());
  }
  if (auto known = (*server)->check_rules(); !known) return report(known.error());
  out.write("serving " + (*server)->url() + "\n");
  // A server whose address was not printed is useless.
  if (out.good()) kube::wait_for_stop(signal.token());
  (*server)->stop();
  return out.exit_status(0);
}

Runner add_serve(CLI::App& command) {
  const auto options = std::make_shared<ServeOptions>();
  ServeOptions& serve = *options;
  command.add_option("resource", serve.resources,
                     "Resources, such as pods, deploy,svc or widgets.example.com; columns, "
                     "versions and selectable fields of custom ones are those at the start");
  command.add_flag(
      "--all", serve.all,
      "Serve all resources that discovery lists with the verbs list and watch; Secrets "
      "only when they are named, too");
  command
      .add_option("--listen", serve.listen,
                  "ADDRESS:PORT or unix:PATH; port 0 picks a free one. An address other than "
                  "loopback needs a certificate, its key, a token file and a rules file")
      ->check(kNotEmpty)
      ->capture_default_str();
  command
      .add_option("-n,--namespace", serve.namespaces,
                  "Namespace to cache, repeatable; defaults to all")
      ->check(kNotEmpty)
      ->allow_extra_args(false);
  command.add_flag("--allow-writes", serve.allow_writes,
                   "Pass writes of these resources, and requests for their subresources, on to the "
                   "cluster as their sender; with --token-auth-file by its header field "
                   "Cluster-Authorization, else by Authorization");
  command
      .add_option("--tls-cert-file", serve.tls_cert_file,
                  "File with the server's certificate (PEM), for HTTPS; read again when it changes")
      ->check(kNotEmpty);
  command
      .add_option("--tls-private-key-file", serve.tls_key_file,
                  "File with the certificate's key (PEM); read again when it changes")
      ->check(kNotEmpty);
  command
      .add_option("--token-auth-file", serve.token_auth_file,
                  "File with lines token,user,uid,\"groups\"; requests need one of the tokens; "
                  "read again when it changes")
      ->check(kNotEmpty);
  command
      .add_option(
          "--authorization-rules-file", serve.authorization_rules_file,
          "YAML file with rules of users, groups, resources and namespaces, which say whose "
          "tokens may read what; read again when it changes. Without it, each token may "
          "read all that is served")
      ->check(kNotEmpty);
  command
      .add_option("--host-name", serve.host_names,
                  "Host name with a dot that clients may use; other names get 403; * allows any")
      ->check(kNotEmpty);
  add_times(command, serve);
  add_connection(command, serve.connection);
  return [options](Output& out) { return run_serve(*options, out); };
}

}  // namespace kubecpp

// SPDX-License-Identifier: Apache-2.0
#include "flags.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <set>
#include <system_error>
#include <utility>

#include <kube/names/time.hpp>

#include "arguments.hpp"

namespace kubecpp {

const CLI::Validator kNotEmpty(
    [](const std::string& value) { return value.empty() ? "expected a value, got \"\"" : ""; }, "");

CLI::Validator or_empty(CLI::Validator other) {
  std::string description = other.get_description();
  return {[other = std::move(other)](const std::string& value) {
            return value.empty() ? std::string() : other(value);
          },
          std::move(description)};
}

CLI::Validator from_to(std::int64_t min, std::int64_t max) {
  const std::string range = std::to_string(min) + " to " + std::to_string(max);
  return {[=](const std::string& text) {
            std::int64_t value = 0;
            const char* end = text.data() + text.size();
            const auto read = std::from_chars(text.data(), end, value);
            const bool fits =
                read.ec == std::errc() && read.ptr == end && value >= min && value <= max;
            return fits ? "" : "expected a number from " + range + ", found \"" + text + "\"";
          },
          range};
}

namespace {

// Whether what was parsed makes the command read standard input: "-f -", or -i.
bool reads_stdin(const CLI::App& command) {
  if (const CLI::Option* files = command.get_option_no_throw("--filename")) {
    if (std::ranges::find(files->results(), "-") != files->results().end()) return true;
  }
  const CLI::Option* passed = command.get_option_no_throw("--stdin");
  return passed != nullptr && passed->count() > 0;
}

// The level from which on kubectl logs requests.
constexpr int kLevelOfRequests = 6;

// Adds kubectl's level and the switch of the same log.
void add_verbosity(CLI::App& command, ConnectionOptions& options) {
  command.add_option_function<std::string>(
      "-v,--v",
      [&options](const std::string& text) {
        int level = 0;
        const char* end = text.data() + text.size();
        const auto read = std::from_chars(text.data(), end, level);
        if (read.ec != std::errc() || read.ptr != end)
          throw CLI::ValidationError("--v", "expected a level such as 6, found \"" + text + "\"");
        options.level_logs = level >= kLevelOfRequests;
      },
      "Level of the log: from 6 on it is written to standard error, as with --verbose; below, "
      "nothing is");
  command.add_flag("--verbose", options.verbose, "Write the library's log to standard error");
}

}  // namespace

void add_connection(CLI::App& command, ConnectionOptions& options) {
  const auto own = command.get_options();
  const std::set<const CLI::Option*> before(own.begin(), own.end());
  kube::kubeconfig::ConfigOverrides& by = options.overrides;
  const auto text = [&](const std::string& name, std::string& value, const std::string& help) {
    command.add_option(name, value, help);
  };
  const auto secret = [&](const std::string& name, kube::SecretText& value,
                          const std::string& help) {
    command.add_option_function<std::string>(
        name, [&value](const std::string& given) { value = given; }, help);
  };
  text("-s,--server", by.cluster.server, "URL of the API server, such as http://127.0.0.1:8080");
  text("--kubeconfig", options.kubeconfig,
       "Kubeconfig file; defaults to $KUBECONFIG, ~/.kube/config or the pod's service account");
  text("--kuberc", options.kuberc,
       "File with the policy of credential plugins; defaults to $KUBERC or ~/.kube/kuberc");
  text("--context", by.current_context, "Name of the kubeconfig context to use");
  text("--cluster", by.context.cluster, "Name of the kubeconfig cluster to use");
  text("--user", by.context.user, "Name of the kubeconfig user to use");
  secret("--token", by.user.token, "Bearer token");
  text("--username", by.user.username, "Name for basic authentication");
  secret("--password", by.user.password, "Password for basic authentication");
  text("--client-certificate", by.user.client_certificate, "File with a client certificate");
  text("--client-key", by.user.client_key, "File with the key of the client certificate");
  text("--as", by.user.impersonate.user_name, "User to impersonate");
  text("--as-uid", by.user.impersonate.uid, "UID to impersonate");
  command
      .add_option("--as-group", by.user.impersonate.groups,
                  "Group to impersonate; may be given several times")
      ->allow_extra_args(false);
  command
      .add_option("--as-user-extra", options.as_user_extra,
                  "KEY=VALUE of the user to impersonate; may be given several times")
      ->allow_extra_args(false);
  text("--certificate-authority", by.cluster.certificate_authority, "File with the CA to trust");
  text("--tls-server-name", by.cluster.tls_server_name,
       "Name that the server's certificate is checked for");
  command.add_flag("--insecure-skip-tls-verify", by.cluster.insecure_skip_tls_verify,
                   "Do not check the server's certificate");
  text("--proxy-url", by.cluster.proxy_url, "Proxy to reach the server through");
  command.add_flag("--disable-compression", by.cluster.disable_compression,
                   "Do not ask for compressed responses");
  text("--request-timeout", by.timeout,
       "Maximum duration of a request, such as 5 (seconds), 1m30s or 0 (none)");
  text("--cache-dir", options.cache_dir,
       "Folder of the discovery cache, shared with kubectl; defaults to $KUBECACHEDIR or "
       "~/.kube/cache");
  command
      .add_option("--discovery-ttl", options.discovery_ttl,
                  "How long the discovery cache is used without asking the server, such as 10m")
      ->capture_default_str();
  add_verbosity(command, options);
  const std::vector<CLI::Option*> all =
      command.get_options([&](const CLI::Option* each) { return !before.contains(each); });
  for (CLI::Option* option : all) option->group(kConnectionGroup);
  command.parse_complete_callback(
      [&command, &options] { options.reads_stdin = reads_stdin(command); });
}

CLI::Option* add_namespace(CLI::App& command, std::string& namespace_) {
  return command.add_option("-n,--namespace", namespace_, "Namespace; defaults to the context's");
}

void add_unused_namespace(CLI::App& command) {
  command
      .add_option_function<std::string>(
          "-n,--namespace", [](const std::string&) {}, "")
      ->group("");  // not in the help
}

void add_unused_connection(CLI::App& command) {
  CLI::App global;
  ConnectionOptions unused;
  add_connection(global, unused);
  for (const CLI::Option* each : std::as_const(global).get_options()) {
    const std::string& name = each->get_lnames().front();
    if (name == "help" || command.get_option_no_throw("--" + name) != nullptr) continue;
    std::string names = "--" + name;
    for (const std::string& letter : each->get_snames()) names += ",-" + letter;
    CLI::Option* added = takes_value(*each) ? command.add_option_function<std::string>(
                                                  names, [](const std::string&) {}, "")
                                            : command.add_flag_function(
                                                  names, [](std::int64_t) {}, "");
    added->group("");  // not in the help
  }
}

void add_running_timeout(CLI::App& command, std::string& timeout) {
  command
      .add_option("--pod-running-timeout", timeout,
                  "How long to wait until at least one pod exists, such as 5s, 2m or 3h")
      ->capture_default_str();
}

kube::Result<std::chrono::nanoseconds> parse_duration(const std::string& flag,
                                                      const std::string& text) {
  const auto parsed = kube::meta::Duration::parse(text);
  if (!parsed) {
    return kube::Error(kube::ErrorCode::InvalidArgument,
                       "invalid argument \"" + text + "\" for \"" + flag +
                           "\" flag: time: invalid duration \"" + text + "\"");
  }
  if (parsed->value <= std::chrono::nanoseconds::zero()) {
    return kube::Error(kube::ErrorCode::InvalidArgument, flag + " must be higher than zero");
  }
  return parsed->value;
}

CLI::Option* add_files(CLI::App& command, std::vector<std::string>& files) {
  return command
      .add_option(
          "-f,--filename", files,
          "File in JSON, YAML or protobuf, URL of one, or directory with .json, .yaml and .yml "
          "files; - reads standard input")
      ->allow_extra_args(false);  // one file per flag: further words are targets
}

CLI::Option* add_targets(CLI::App& command, std::vector<std::string>& words,
                         const std::string& help) {
  return command.add_option("resource", words, help)->check(kNotEmpty);
}

void add_dry_run(CLI::App& command, std::string& word) {
  command.add_flag("--dry-run{client}", word,
                   "none; client: only print what would be done; or server: send the request, "
                   "without storing what it changes");
}

kube::Result<DryRun> parse_dry_run(const std::string& word) {
  if (word.empty() || word == "none" || word == "false") return DryRun::None;
  if (word == "client" || word == "true") return DryRun::Client;
  if (word == "server") return DryRun::Server;
  return kube::Error(
      kube::ErrorCode::InvalidArgument,
      "Invalid dry-run value (" + word + "). Must be \"none\", \"server\", or \"client\".");
}

std::vector<std::string> dry_run_of(DryRun dry_run) {
  if (dry_run == DryRun::Server) return {"All"};
  return {};
}

std::string dry_run_suffix(DryRun dry_run) {
  return dry_run == DryRun::Client   ? " (dry run)"
         : dry_run == DryRun::Server ? " (server dry run)"
                                     : "";
}

void add_field_manager(CLI::App& command, std::string& manager) {
  command
      .add_option("--field-manager", manager,
                  "Name that the server records as the owner of the fields")
      ->capture_default_str();
}

CLI::Option* add_duration(CLI::App& command, const std::string& name, kube::Duration& value,
                          const std::string& help) {
  return command.add_option_function<std::string>(
      name,
      [name, &value](const std::string& text) {
        const auto parsed = kube::meta::Duration::parse(text);
        if (!parsed) {
          throw CLI::ValidationError(
              name, "expected a duration such as 30s or 1m30s, found \"" + text + "\"");
        }
        value = parsed->value;
      },
      help);
}

void add_result_output(CLI::App& command, ResultOutput& output) {
  command
      .add_option_function<std::string>(
          "-o,--output", [&output](const std::string& word) { output = result_output(word); },
          "Output format: json, yaml or name; defaults to a line of text per object")
      ->check(or_empty(CLI::IsMember({"json", "yaml", "name"})));
}

void add_managed_fields(CLI::App& command, bool& managed_fields) {
  command.add_flag("--show-managed-fields", managed_fields,
                   "Keep the managed fields of objects in JSON and YAML");
}

void add_recursive(CLI::App& command, bool& recursive) {
  command.add_flag("-R,--recursive", recursive,
                   std::string("Also read the directories in those of -f") +
                       (recursive ? "; true by default" : ""));
}

}  // namespace kubecpp

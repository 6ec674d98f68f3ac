// SPDX-License-Identifier: Apache-2.0
#include "exec_plugin.hpp"

#include <unistd.h>

#include <string_view>
#include <utility>

#include <kube/json/value.hpp>

#include "exec_policy.hpp"
#include "exec_versions.hpp"
#include "process.hpp"

namespace kube::rest {
namespace {

// Logging in takes that long.
constexpr std::chrono::minutes kPatienceWithPeople{10};

constexpr std::string_view kHelp =
    "\n\nIt looks like you are trying to use a client-go credential plugin that is not installed."
    "\n\nTo learn more about this feature, consult the documentation available at:"
    "\n      https://kubernetes.io/docs/reference/access-authn-authz/authentication/"
    "#client-go-credential-plugins";

std::vector<std::string> process_variables() {
  std::vector<std::string> out;
  for (char** variable = environ; variable != nullptr && *variable != nullptr; ++variable) {
    out.emplace_back(*variable);
  }
  return out;
}

void set_variable(std::vector<std::string>& variables, std::string_view name,
                  std::string_view value) {
  std::string entry = std::string(name) + "=";
  std::erase_if(variables, [&](const std::string& other) { return other.starts_with(entry); });
  variables.push_back(entry.append(value));
}

std::string path_of(const std::vector<std::string>& variables) {
  constexpr std::string_view kName = "PATH=";
  std::string path;
  for (const std::string& variable : variables) {
    if (variable.starts_with(kName)) path = variable.substr(kName.size());
  }
  return path;
}

// Calls of plugins by result, in the words of client-go's metric.
void count_call(const RefreshContext& context, int code, const char* status) {
  metrics::Counter(context.metrics, "rest_client_exec_plugin_call_total",
                   {{"code", std::to_string(code)}, {"call_status", status}})
      .add();
}

}  // namespace

ExecPlugin::ExecPlugin(ExecConfig config, ExecCluster cluster, PluginSurroundings surroundings)
    : config_(std::move(config)),
      cluster_(std::move(cluster)),
      surroundings_(std::move(surroundings)) {}

Result<void> check_exec_config(const ExecConfig& config) {
  if (!is_exec_version(config.api_version)) {
    return Error(ErrorCode::Config, "exec plugin: invalid apiVersion \"" + config.api_version +
                                        "\"; expected " + std::string(kExecV1) + " or " +
                                        std::string(kExecV1Beta1));
  }
  if (config.command.empty()) {
    return Error(ErrorCode::Config, "exec plugin: the command is not set");
  }
  return check_policy(config.policy);
}

Result<bool> ExecPlugin::interactive() const {
  const auto terminal = [this] {
    return surroundings_.stdin_is_terminal ? surroundings_.stdin_is_terminal()
                                           : ::isatty(STDIN_FILENO) == 1;
  };
  const auto cannot = [](const std::string& why) {
    return Error(ErrorCode::Credentials, "exec plugin cannot support interactive mode: " + why);
  };
  ExecInteractiveMode mode = config_.interactive_mode;
  if (mode == ExecInteractiveMode::Unset && config_.api_version == kExecV1Beta1) {
    mode = ExecInteractiveMode::IfAvailable;
  }
  switch (mode) {
    case ExecInteractiveMode::Never:
      return false;
    case ExecInteractiveMode::IfAvailable:
      return !config_.stdin_unavailable && terminal();
    case ExecInteractiveMode::Always:
      if (!terminal()) return cannot("standard input is not a terminal");
      if (!config_.stdin_unavailable) return true;
      return cannot(config_.stdin_unavailable_message.empty()
                        ? "standard input is unavailable"
                        : "standard input is unavailable: " + config_.stdin_unavailable_message);
    case ExecInteractiveMode::Unset:
      return cannot("unknown interactiveMode: \"\"");
  }
  return cannot("unknown interactiveMode: \"" + std::to_string(static_cast<int>(mode)) + "\"");
}

std::string ExecPlugin::exec_info(bool interactive) const {
  json::Object spec;
  if (config_.provide_cluster_info) {
    if (auto cluster = json::parse(to_json(cluster_))) spec.set("cluster", *std::move(cluster));
  }
  spec.set("interactive", interactive);
  return json::dump(json::Object{
      {"kind", "ExecCredential"}, {"apiVersion", config_.api_version}, {"spec", std::move(spec)}});
}

std::vector<std::string> ExecPlugin::environment(bool interactive) const {
  std::vector<std::string> variables =
      surroundings_.environment.empty() ? process_variables() : surroundings_.environment;
  for (const auto& [name, value] : config_.env) set_variable(variables, name, value.reveal());
  set_variable(variables, kExecInfoVariable, exec_info(interactive));
  return variables;
}

Error ExecPlugin::not_found(const RefreshContext& context) {
  std::string text = "exec: executable " + config_.command + " not found";
  if (hint_.allow(context.clock->now())) {
    text.append(kHelp);
    if (!config_.install_hint.empty()) text.append("\n\n").append(config_.install_hint);
  }
  return {ErrorCode::Credentials, std::move(text)};
}

Result<std::string> ExecPlugin::output(const RefreshContext& context, std::stop_token stop) {
  const Result<bool> interactive = this->interactive();
  if (!interactive) return interactive.error();
  const std::string path =
      path_of(surroundings_.environment.empty() ? process_variables() : surroundings_.environment);
  const std::string executable = find_executable(config_.command, path);
  if (auto permitted = permit(config_.policy, config_.command, executable, path); !permitted) {
    return permitted.error();
  }
  if (executable.empty()) {
    count_call(context, 1, "plugin_not_found_error");
    return not_found(context);
  }
  ProcessSpec spec{.executable = executable,
                   .arguments = {config_.command},
                   .environment = environment(*interactive),
                   .inherit_stdin = *interactive,
                   .timeout = *interactive ? kPatienceWithPeople : surroundings_.patience};
  spec.arguments.insert(spec.arguments.end(), config_.args.begin(), config_.args.end());
  Result<ProcessOutput> ran = run_process(spec, std::move(stop));
  if (!ran) {
    count_call(context, 1, "client_internal_error");
    return ran.error().with_context("exec: " + config_.command);
  }
  if (ran->exit_code != 0) {
    count_call(context, ran->exit_code, "plugin_execution_error");
    return Error(
        ErrorCode::Credentials,
        "exec: executable " + config_.command +
            (ran->signal != 0 ? " was killed by signal " + std::to_string(ran->signal)
                              : " failed with exit code " + std::to_string(ran->exit_code)));
  }
  count_call(context, 0, "no_error");
  return std::move(ran->text);
}

Result<Credentials> ExecPlugin::run(const RefreshContext& context, std::stop_token stop) {
  if (auto valid = check_exec_config(config_); !valid) return valid.error();
  const Result<std::string> text = output(context, std::move(stop));
  if (!text) return text.error();
  return parse_exec_output(*text, config_.api_version).with_context("exec: " + config_.command);
}

}  // namespace kube::rest

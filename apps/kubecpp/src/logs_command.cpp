// SPDX-License-Identifier: Apache-2.0
#include "logs_command.hpp"

#include <chrono>
#include <memory>
#include <optional>
#include <utility>

#include <kube/base/stop_signal.hpp>
#include <kube/meta/errors.hpp>
#include <kube/names/time.hpp>

#include "cluster.hpp"
#include "error_output.hpp"
#include "flags.hpp"
#include "log_printer.hpp"
#include "log_sources.hpp"
#include "pod_choice.hpp"

namespace kubecpp {
namespace {

using kube::Error;
using kube::ErrorCode;
using kube::Result;
using kube::core::v1::Pod;
using kube::core::v1::PodLogOptions;

Error wrong_logs(const std::string& text) {
  return Error(ErrorCode::InvalidArgument, text);
}

constexpr const char* kLogsWords =
    "expected 'logs [-f] [-p] (POD | TYPE/NAME) [-c CONTAINER]'.\n"
    "POD or TYPE/NAME is a required argument for the logs command";
constexpr std::int64_t kTailOfSelector = 10;

Result<void> check_words(const LogsCommandOptions& options) {
  const std::size_t count = options.words.size();
  if (count > 2 || (count == 0 && options.selector.empty()))
    return usage_error_of("logs", kLogsWords);
  if (count == 1 && !options.selector.empty())
    return usage_error_of("logs", "only a selector (-l) or a POD name is allowed");
  const std::string& container = count == 2 ? options.words[1] : options.container;
  if (options.all_containers && !container.empty()) {
    return wrong_logs("--all-containers=true should not be specified with container name " +
                      container);
  }
  if (count == 2 && !options.container.empty()) {
    return wrong_logs("only one of -c or an inline [CONTAINER] arg is allowed");
  }
  return {};
}

// In seconds, rounded; nullopt for none.
Result<std::optional<std::int64_t>> since_seconds(const std::string& text) {
  if (text.empty()) return std::optional<std::int64_t>();
  const auto since = kube::meta::Duration::parse(text);
  if (!since) {
    return wrong_logs("invalid argument \"" + text + "\" for \"--since\" flag: time: invalid " +
                      "duration \"" + text + "\"");
  }
  if (since->value < std::chrono::nanoseconds::zero()) {
    return wrong_logs("--since must be greater than 0");
  }
  if (since->value == std::chrono::nanoseconds::zero()) return std::optional<std::int64_t>();
  return std::optional<std::int64_t>(
      std::chrono::round<std::chrono::seconds>(since->value).count());
}

Result<PodLogOptions> log_options(const LogsCommandOptions& options) {
  PodLogOptions request;
  request.follow = options.follow;
  request.previous = options.previous;
  request.timestamps = options.timestamps;
  request.insecure_skip_tls_verify_backend = options.insecure_skip_tls_verify_backend;
  if (!options.since_time.empty()) {
    const auto time = kube::meta::Time::parse(options.since_time);
    if (!time) return wrong_logs("--since-time: " + time.error().message());
    request.since_time = *time;
  }
  const auto since = since_seconds(options.since);
  if (!since) return since.error();
  request.since_seconds = *since;
  if (request.since_time && request.since_seconds) {
    return wrong_logs("at most one of `sinceTime` or `sinceSeconds` may be specified");
  }
  if (options.limit_bytes < 0) return wrong_logs("--limit-bytes must be greater than 0");
  if (options.limit_bytes != 0) request.limit_bytes = options.limit_bytes;
  if (options.tail < -1) return wrong_logs("--tail must be greater than or equal to -1");
  if (options.tail != -1) request.tail_lines = options.tail;
  if (!options.selector.empty() && !options.tail_given) request.tail_lines = kTailOfSelector;
  return request;
}

// The pods of the command line. Empty, with a note, when the selector selects none.
Result<std::vector<Pod>> pods_of_logs(const Cluster& cluster, const LogsCommandOptions& options,
                                      std::chrono::nanoseconds timeout,
                                      const std::stop_token& stop) {
  const std::string namespace_ = cluster.namespace_of(kube::meta::resource_of<Pod>());
  if (!options.selector.empty()) {
    auto list =
        cluster.client().api<Pod>(namespace_).list({.label_selector = options.selector}, stop);
    if (!list) return list.error();
    if (list->items.empty()) print_note("No resources found in " + namespace_ + " namespace.");
    return std::move(list->items);
  }
  auto choice = choose_pods(cluster,
                            {.words = {options.words.front()},
                             .order = PodOrder::ForLogs,
                             .doing = "cannot get the logs from",
                             .timeout = timeout},
                            stop);
  if (!choice) {
    if (!kube::is_not_found(choice.error())) return choice.error();
    return Error(ErrorCode::Config, "error from server (NotFound): " + choice.error().message() +
                                        " in namespace \"" + namespace_ + "\"");
  }
  std::vector<Pod> pods = std::move(choice->pods);
  if (pods.size() > 1 && !options.all_pods) {
    print_note("Found " + std::to_string(pods.size()) + " pods, using pod/" +
               pods.front().metadata.name);
    pods.resize(1);
  }
  return pods;
}

Result<std::vector<LogSource>> sources_of(const Cluster& cluster, const std::vector<Pod>& pods,
                                          const PodLogOptions& request,
                                          const LogsCommandOptions& options) {
  const LogSelection selection{
      .container = options.words.size() == 2 ? options.words[1] : options.container,
      .all_containers = options.all_containers,
      .quiet = options.all_pods};
  std::vector<LogSource> sources;
  for (const Pod& pod : pods) {
    auto own = logs_of(cluster, pod, request, selection);
    if (!own) return own.error();
    for (LogSource& each : *own) sources.push_back(std::move(each));
  }
  const auto most = static_cast<std::size_t>(std::max<std::int64_t>(options.max_log_requests, 0));
  if (options.follow && sources.size() > 1 && sources.size() > most) {
    return wrong_logs("you are attempting to follow " + std::to_string(sources.size()) +
                      " log streams, but maximum allowed concurrency is " + std::to_string(most) +
                      ", use --max-log-requests to increase the limit");
  }
  return sources;
}

}  // namespace

int run_logs(const LogsCommandOptions& options, Output& out) {
  const kube::StopSignal signal;
  const std::stop_token stop = signal.token();
  if (const auto right = check_words(options); !right) return report(right.error());
  const auto request = log_options(options);
  if (!request) return report(request.error());
  const auto timeout = parse_duration("--pod-running-timeout", options.pod_running_timeout);
  if (!timeout) return report(timeout.error());
  const auto cluster = Cluster::open(options.connection, options.namespace_, stop);
  if (!cluster) return report(cluster.error());
  const auto pods = pods_of_logs(*cluster, options, *timeout, stop);
  if (!pods) return status_of_wait(report_server(pods.error()));
  const auto sources = sources_of(*cluster, *pods, *request, options);
  if (!sources) return report_server(sources.error());
  LogPrinter printer({.follow = options.follow,
                      .prefix = options.prefix || options.all_pods,
                      .ignore_errors = options.ignore_errors,
                      .retry_for = *timeout},
                     *cluster->client().runtime().clock(), out);
  const auto printed = printer.print(*sources, stop);
  return printed ? out.exit_status(0) : status_of_wait(report_server(printed.error()));
}

Runner add_logs(CLI::App& command) {
  const auto options = std::make_shared<LogsCommandOptions>();
  LogsCommandOptions& logs = *options;
  command.add_option("pod", logs.words, "POD or TYPE/NAME, and a container");
  command.add_option("-c,--container", logs.container, "Container; defaults to the first one");
  command.add_option("-l,--selector", logs.selector, "Label selector, such as app=web,tier!=db");
  command.add_flag("--all-containers", logs.all_containers, "Print the logs of all containers");
  command.add_flag("--all-pods", logs.all_pods, "Print the logs of all pods, with prefixes");
  command.add_flag("-f,--follow", logs.follow, "Print what is written from now on, too");
  command.add_flag("-p,--previous", logs.previous,
                   "Print the log of the container's last instance");
  command.add_flag("--timestamps", logs.timestamps, "Print the time of each line");
  command.add_flag("--prefix", logs.prefix, "Print the pod and the container before each line");
  command.add_flag("--ignore-errors", logs.ignore_errors,
                   "Continue with the other logs after an error");
  command.add_flag("--insecure-skip-tls-verify-backend", logs.insecure_skip_tls_verify_backend,
                   "Let the server not check the certificate of the kubelet");
  command.add_option("--since", logs.since,
                     "Print what is newer than a duration, such as 5s or 2m");
  command.add_option("--since-time", logs.since_time, "Print what is newer than a time (RFC 3339)");
  command
      .add_option_function<std::int64_t>(
          "--tail",
          [&logs](const std::int64_t& lines) {
            logs.tail = lines;
            logs.tail_given = true;
          },
          "Number of the last lines to print; -1: all; defaults to 10 with a selector")
      ->default_str("-1");
  command.add_option("--limit-bytes", logs.limit_bytes, "Maximum number of bytes; 0: no limit");
  command
      .add_option("--max-log-requests", logs.max_log_requests,
                  "Maximum number of logs to follow at once")
      ->capture_default_str();
  add_running_timeout(command, logs.pod_running_timeout);
  add_namespace(command, logs.namespace_);
  add_connection(command, logs.connection);
  return [options](Output& out) { return run_logs(*options, out); };
}

}  // namespace kubecpp

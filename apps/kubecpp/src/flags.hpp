// SPDX-License-Identifier: Apache-2.0
//
// The flags that several commands have.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include <kube/base/clock.hpp>
#include <kube/base/result.hpp>

#include "command.hpp"
#include "result_printer.hpp"

namespace kubecpp {

/// A value must not be empty.
extern const CLI::Validator kNotEmpty;

/// A value may also be empty, which for kubectl is the same as a flag that is not given.
CLI::Validator or_empty(CLI::Validator other);

/// A value must be a number of this range.
CLI::Validator from_to(std::int64_t min, std::int64_t max);

/// The group of kubectl's global flags in help.
constexpr const char* kConnectionGroup = "Connection Options";

/// Adds kubectl's global flags, and sets `options.reads_stdin` when the command line was parsed.
void add_connection(CLI::App& command, ConnectionOptions& options);

/// Adds -n.
CLI::Option* add_namespace(CLI::App& command, std::string& namespace_);

/// Adds -n to a command that has no use for a namespace: kubectl takes it with every command. It is
/// not in the help, where its place would be an empty line if no other flag came after it.
void add_unused_namespace(CLI::App& command);

/// Adds kubectl's global flags that the command does not have to one that has no use for them, as
/// add_unused_namespace() does. After the command's own flags.
void add_unused_connection(CLI::App& command);

/// Returns the namespace of the command line: with -A there is none, whatever -n says.
template <typename Options>
std::string chosen_namespace(const Options& options) {
  return options.all_namespaces ? std::string() : options.namespace_;
}

/// Adds the flags that select objects of a resource: by namespace, labels and fields.
template <typename Options>
void add_selection(CLI::App& command, Options& options) {
  add_namespace(command, options.namespace_);
  command.add_flag("-A,--all-namespaces", options.all_namespaces,
                   "Use all namespaces, even with --namespace");
  command.add_option("-l,--selector", options.label_selector,
                     "Label selector, such as app=web,tier!=db");
  command.add_option("--field-selector", options.field_selector,
                     "Field selector, such as status.phase=Running");
}

/// Adds --pod-running-timeout; see parse_duration().
void add_running_timeout(CLI::App& command, std::string& timeout);

/// Parses a flag's duration as Go writes it, such as "1m30s".
/// @par Errors   InvalidArgument, naming the flag; also for a time of 0 or less.
kube::Result<std::chrono::nanoseconds> parse_duration(const std::string& flag,
                                                      const std::string& text);

/// Adds -f, which may be given several times.
CLI::Option* add_files(CLI::App& command, std::vector<std::string>& files);

/// Adds the words that parse_targets() reads.
CLI::Option* add_targets(CLI::App& command, std::vector<std::string>& words,
                         const std::string& help);

/// Adds -c, -i, -t, -q and --pod-running-timeout of exec and attach.
template <typename Options>
void add_session_flags(CLI::App& command, Options& options) {
  command.add_option("-c,--container", options.container, "Container; defaults to the first one");
  command.add_flag("-i,--stdin", options.stdin_, "Pass standard input to the container");
  command.add_flag("-t,--tty", options.tty, "Standard input is a terminal");
  command.add_flag("-q,--quiet", options.quiet, "Print only the output of the container");
  add_running_timeout(command, options.pod_running_timeout);
}

/// Where a command makes its changes.
enum class DryRun { None, Client, Server };

/// Adds --dry-run, whose word parse_dry_run() reads.
void add_dry_run(CLI::App& command, std::string& word);
/// @par Errors   InvalidArgument, in kubectl's words.
kube::Result<DryRun> parse_dry_run(const std::string& word);
/// Returns `{"All"}` for DryRun::Server: what requests contain then.
std::vector<std::string> dry_run_of(DryRun dry_run);
/// Returns " (dry run)", " (server dry run)" or "", which ends the lines of a command.
std::string dry_run_suffix(DryRun dry_run);

/// Adds --field-manager, the name that a server records as the owner of the fields.
void add_field_manager(CLI::App& command, std::string& manager);

/// Adds a flag whose value is a duration as Go writes it, such as 1m30s.
CLI::Option* add_duration(CLI::App& command, const std::string& name, kube::Duration& value,
                          const std::string& help);

/// Adds -o of a command that changes objects.
void add_result_output(CLI::App& command, ResultOutput& output);
/// Adds --show-managed-fields beside it.
void add_managed_fields(CLI::App& command, bool& managed_fields);

/// Adds -R beside -f; its default is the value of `recursive`.
void add_recursive(CLI::App& command, bool& recursive);

}  // namespace kubecpp

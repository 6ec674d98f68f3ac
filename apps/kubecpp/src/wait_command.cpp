// SPDX-License-Identifier: Apache-2.0
#include "wait_command.hpp"

#include <algorithm>
#include <memory>
#include <utility>

#include <kube/base/stop_signal.hpp>
#include <kube/meta/errors.hpp>
#include <kube/meta/status.hpp>

#include "flags.hpp"
#include "object_wait.hpp"
#include "wait_condition.hpp"

namespace kubecpp {
namespace {

using kube::Error;
using kube::ErrorCode;
using kube::Result;
using kube::Unstructured;
using Kind = WaitCondition::Kind;

constexpr kube::Duration kLongestWait = std::chrono::hours(168);
constexpr kube::Duration kCreationInterval = std::chrono::milliseconds(500);

// One run of the command.
class Waiting {
 public:
  Waiting(const WaitCommandOptions& options, std::vector<WaitCondition> conditions,
          Cluster& cluster, std::stop_token stop, Output& out)
      : options_(options),
        conditions_(std::move(conditions)),
        cluster_(cluster),
        stop_(std::move(stop)),
        limit_(*cluster.client().runtime().executor,
               once()                                     ? kube::Duration::max()
               : options.timeout < kube::Duration::zero() ? kLongestWait
                                                          : options.timeout,
               stop_),
        out_(out),
        printer_(out, options.output) {}

  int run() {
    auto selected = has(Kind::Create) ? select_created()
                                      : select(cluster_, options_.selection, Read::All, stop_);
    if (!selected) return report_server(selected.error());
    if (has(Kind::Delete)) selected->ignore_not_found();
    int status = selected->report_errors(0);
    for (const SelectedObject& each : selected->objects) {
      if (auto met = wait_for(each); !met) status = status_of_wait(report_server(met.error()));
      if (stop_.stop_requested()) break;
    }
    if (selected->objects.empty() && selected->errors.empty() && !has(Kind::Delete))
      return report(Error(ErrorCode::Config, "no matching resources found"));
    return out_.exit_status(status);
  }

 private:
  bool once() const { return options_.timeout == kube::Duration::zero(); }
  bool has(Kind kind) const {
    return std::ranges::any_of(conditions_,
                               [&](const WaitCondition& each) { return each.kind == kind; });
  }

  // Selects until something is selected, and everything that is named.
  Result<Selected> select_created() {
    for (;;) {
      auto selected = select(cluster_, options_.selection, Read::All, stop_);
      if (!selected) return selected;
      const std::size_t missing =
          static_cast<std::size_t>(std::ranges::count_if(selected->errors, kube::is_not_found));
      const bool failed = missing < selected->errors.size();
      if (failed || (missing == 0 && !selected->objects.empty())) return selected;
      kube::Clock& clock = *cluster_.client().runtime().clock();
      const bool over =
          once() || clock.sleep_for(kCreationInterval, limit_.token()) == kube::WaitStatus::Stopped;
      if (!over) continue;
      return stop_.stop_requested()
                 ? Error(ErrorCode::Cancelled, "interrupted")
                 : Error(ErrorCode::Timeout, "timed out waiting for the condition");
    }
  }

  Result<void> wait_for(const SelectedObject& object) {
    Unstructured last = object.object;
    for (const WaitCondition& condition : conditions_) {
      if (condition.kind != Kind::Create) {
        auto met = once()
                       ? look(object, condition, last)
                       : named_timeout(wait_for_object(cluster_, object,
                                                       check_of(object, condition, last), limit_),
                                       object);
        if (!met) return met;
      }
      printer_.print(object.resource, last, "condition met");
    }
    return {};
  }

  // Leaves the object that met the condition in `last`.
  static ObjectCheck check_of(const SelectedObject& object, const WaitCondition& condition,
                              Unstructured& last) {
    return [&, first = true](const Unstructured* state) mutable -> Result<bool> {
      if (condition.kind == Kind::Delete)
        return state == nullptr || state->uid() != object.object.uid();
      // What is deleted during the wait may be created again.
      if (state == nullptr && !first) return false;
      if (state == nullptr) {
        return kube::meta::not_found_error(object.resource.group_resource(), object.name);
      }
      first = false;
      auto met = condition.is_met(*state);
      if (met && *met) last = *state;
      return met;
    };
  }

  Result<void> look(const SelectedObject& object, const WaitCondition& condition,
                    Unstructured& last) const {
    const auto state = cluster_.api(object.resource, object.namespace_).get(object.name, {}, stop_);
    const bool gone = !state && condition.kind == Kind::Delete && kube::is_not_found(state.error());
    if (!state && !gone) return state.error();
    const auto met = check_of(object, condition, last)(gone ? nullptr : &*state);
    if (!met) return met.error();
    if (*met) return {};
    return Error(ErrorCode::Timeout,
                 "condition not met for " + object.resource.plural + "/" + object.name);
  }

  const WaitCommandOptions& options_;
  const std::vector<WaitCondition> conditions_;
  Cluster& cluster_;
  const std::stop_token stop_;
  const TimeLimit limit_;
  Output& out_;
  ResultPrinter printer_;
};

Result<std::vector<WaitCondition>> conditions_of(const WaitCommandOptions& options) {
  if (options.conditions.empty())
    return Error(ErrorCode::InvalidArgument, "unrecognized condition: []");
  std::vector<WaitCondition> conditions;
  for (const std::string& text : options.conditions) {
    auto condition = parse_wait_condition(text);
    if (!condition) return condition.error();
    conditions.push_back(*std::move(condition));
  }
  return conditions;
}

}  // namespace

int run_wait(const WaitCommandOptions& options, Output& out) {
  const kube::StopSignal signal;
  auto conditions = conditions_of(options);
  if (!conditions) return report(conditions.error());
  if (auto valid = check(options.selection); !valid) return report(valid.error());
  auto cluster =
      Cluster::open(options.connection, chosen_namespace(options.selection), signal.token());
  if (!cluster) return report(cluster.error());
  return Waiting(options, *std::move(conditions), *cluster, signal.token(), out).run();
}

Runner add_wait(CLI::App& command) {
  const auto options = std::make_shared<WaitCommandOptions>();
  WaitCommandOptions& wait = *options;
  add_targets(command, wait.selection.words, "Resource and names, or RESOURCE/NAME...");
  add_selection_flags(command, wait.selection);
  command
      .add_option("--for", wait.conditions,
                  "What to wait for: create, delete, condition=NAME[=VALUE] or "
                  "jsonpath={PATH}[=VALUE]; may be given several times")
      ->allow_extra_args(false);
  add_duration(command, "--timeout", wait.timeout,
               "How long to wait, such as 30s, the default; 0 looks once, negative means a week");
  add_result_output(command, wait.output);
  add_connection(command, wait.connection);
  return [options](Output& out) { return run_wait(*options, out); };
}

}  // namespace kubecpp

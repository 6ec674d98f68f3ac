// SPDX-License-Identifier: Apache-2.0
#include "watch_command.hpp"

#include <chrono>
#include <cstdio>
#include <memory>

#include <optional>
#include <string>
#include <utility>

#include <kube/api/core/v1/namespace.hpp>
#include <kube/base/mutex.hpp>
#include <kube/base/stop_signal.hpp>
#include <kube/cache/shared_informer.hpp>
#include <kube/meta/errors.hpp>
#include <kube/names/fields.hpp>
#include <kube/names/labels.hpp>
#include <kube/names/validation.hpp>

#include "connection_log.hpp"
#include "error_output.hpp"
#include "flags.hpp"
#include "server_resources.hpp"

namespace kubecpp {
namespace {

using std::chrono::milliseconds;

using kube::Error;
using kube::Result;
using kube::Unstructured;

Result<void> check(const WatchOptions& options) {
  if (auto labels = kube::labels::parse(options.label_selector); !labels) {
    return labels.error().with_context("--selector");
  }
  if (auto fields = kube::fields::parse(options.field_selector); !fields) {
    return fields.error().with_context("--field-selector");
  }
  if (options.namespace_.empty()) return {};
  const auto problems = kube::meta::validate_dns1123_label(options.namespace_);
  if (problems.empty()) return {};
  return Error(kube::ErrorCode::InvalidArgument,
               "--namespace \"" + options.namespace_ + "\": " + problems.front());
}

// Errors that retrying does not fix, as long as no list has succeeded: the command is wrong.
bool is_permanent(const Error& error) {
  return kube::is_bad_request(error) || kube::is_forbidden(error) || kube::is_unauthorized(error) ||
         kube::is_not_found(error) || kube::is_method_not_supported(error) ||
         error.code() == kube::ErrorCode::Credentials || error.code() == kube::ErrorCode::Config;
}

// One watch, from the start of the informer to its end.
class Watch {
 public:
  Watch(const WatchOptions& options, const Connection& connection,
        kube::meta::ResourceInfo resource, Output& out)
      : client_(connection.client),
        out_(out),
        resource_(std::move(resource)),
        namespace_(!resource_.namespaced || options.all_namespaces ? ""
                   : options.namespace_.empty()                    ? connection.namespace_
                                                                   : options.namespace_),
        printer_(out, options.output, resource_.kind),
        informer_(client_.rest(), resource_,
                  {.namespace_ = namespace_,
                   .label_selector = options.label_selector,
                   .field_selector = options.field_selector}) {}
  ~Watch() {
    registration_.unregister_and_wait();
    informer_.stop_and_wait();
  }
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;

  int run(std::stop_token stop) {
    const std::stop_callback interrupted(std::move(stop), [this] { done_.request_stop(); });
    auto heard = informer_.set_watch_error_handler([this](const Error& error) {
      if (!informer_.has_synced() && is_permanent(error)) end(error);
    });
    if (!heard) return report(heard.error());
    registration_ = informer_.add_event_handler({
        .on_add =
            [this](const auto& object, bool is_in_initial_list) {
              is_in_initial_list ? printer_.initial(object) : printer_.change("ADDED", object);
            },
        .on_update =
            [this](const auto& old_object, const auto& object) {
              // A relist reports unchanged objects, too.
              if (old_object.resource_version() != object.resource_version()) {
                printer_.change("MODIFIED", object);
              }
            },
        .on_delete = [this](const auto& deleted) { printer_.change("DELETED", deleted.object); },
    });
    if (auto started = informer_.start(); !started) return report(started.error());
    stay();
    const kube::MutexLock lock(mutex_);
    return failed_ ? report(*failed_) : out_.exit_status(0);
  }

 private:
  // Until the end, reports states that events do not show.
  void stay() {
    kube::Clock& clock = *client_.runtime().clock();
    std::optional<kube::Timer> late =
        warn_when_slow(client_, "the first list of " + resource_.plural);
    ConnectionLog connection;
    for (bool synced = false;;) {
      if (!synced && registration_.has_synced()) {
        synced = true;
        late.reset();
        if (printer_.synced() == 0) hint();
      }
      if (auto line = connection.next_line(informer_.status()); line && !done_.stop_requested()) {
        print_error(*line);
      }
      if (!out_.good() || out_.reader_left()) return;
      if (clock.sleep_for(milliseconds(synced ? 200 : 20), done_.get_token()) ==
          kube::WaitStatus::Stopped) {
        return;
      }
    }
  }

  // An empty namespace may be misspelt.
  void hint() {
    if (namespace_.empty()) return;
    auto found = client_.api<kube::core::v1::Namespace>().get(namespace_, {}, done_.get_token());
    if (!found && kube::is_not_found(found.error())) {
      print_error("namespace \"" + namespace_ + "\" does not exist yet; watching it anyway");
    }
  }

  void end(const Error& why) {
    {
      const kube::MutexLock lock(mutex_);
      if (!done_.stop_requested()) failed_ = why;
    }
    done_.request_stop();
  }

  kube::Client client_;
  Output& out_;
  const kube::meta::ResourceInfo resource_;
  const std::string namespace_;
  // Stopped by a signal or a permanent error.
  std::stop_source done_;
  kube::Mutex mutex_;
  std::optional<Error> failed_ KUBE_GUARDED_BY(mutex_);
  WatchPrinter printer_;
  kube::SharedInformer<Unstructured> informer_;
  kube::HandlerRegistration registration_;
};

WatchOutput watch_output(const std::string& word) {
  return word == "json"   ? WatchOutput::Json
         : word == "wide" ? WatchOutput::Wide
                          : WatchOutput::Name;
}

}  // namespace

int run_watch(const WatchOptions& options, Output& out) {
  const kube::StopSignal signal;
  if (auto valid = check(options); !valid) return report(valid.error());
  auto connection = connect(options.connection, signal.token());
  if (!connection) return report(connection.error());
  const auto mapper = mapper_of(*connection, options.connection, signal.token());
  if (!mapper) return report(mapper.error());
  auto resource = (*mapper)->resolve(options.resource, signal.token());
  if (!resource) return report(resource.error());
  const auto known = (*mapper)->current(signal.token());
  if (!known) return report(known.error());
  for (const char* verb : {"list", "watch"}) {
    if ((*known)->has_verb(*resource, verb)) continue;
    return report(Error(kube::ErrorCode::Config, "the server does not support " +
                                                     std::string(verb) + " for " +
                                                     resource->group_resource().to_string()));
  }
  return Watch(options, *connection, *resource, out).run(signal.token());
}

Runner add_watch(CLI::App& command) {
  const auto options = std::make_shared<WatchOptions>();
  WatchOptions& watch = *options;
  command.add_option("resource", watch.resource, "Resource, such as pods, po or deployments.apps")
      ->required();
  add_selection(command, watch);
  command
      .add_option_function<std::string>(
          "-o,--output", [&watch](const std::string& word) { watch.output = watch_output(word); },
          "Output format: name, json or wide")
      ->check(CLI::IsMember({"name", "json", "wide"}))
      ->default_str("name");
  add_connection(command, watch.connection);
  return [options](Output& out) { return run_watch(*options, out); };
}

}  // namespace kubecpp

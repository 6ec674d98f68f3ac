// SPDX-License-Identifier: Apache-2.0
#include "watch_command.hpp"

#include <cstdio>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include <kube/cache/shared_informer.hpp>
#include <kube/client/rest_mapper.hpp>
#include <kube/meta/errors.hpp>
#include <kube/meta/fields.hpp>
#include <kube/meta/labels.hpp>

#include "stop_signal.hpp"

namespace kubecpp {
namespace {

using kube::Cached;
using kube::Error;
using kube::Result;
using kube::Unstructured;

// Prints events in the order in which they come, and SYNCED once, between the last event of the
// initial state and the first one after it.
class Printer {
 public:
  Printer(WatchOutput output, std::string kind) : output_(output), kind_(std::move(kind)) {}

  void initial(const Cached<Unstructured>& object) {
    const std::lock_guard lock(mutex_);
    ++initial_;
    line(text("ADDED", object));
  }
  void change(const char* type, const Cached<Unstructured>& object) {
    const std::lock_guard lock(mutex_);
    print_synced();
    line(text(type, object));
  }
  /// The whole initial state was printed.
  void synced() {
    const std::lock_guard lock(mutex_);
    print_synced();
  }
  /// False once the reader of standard output is gone.
  bool alive() const {
    const std::lock_guard lock(mutex_);
    return alive_;
  }

 private:
  void print_synced() {
    if (std::exchange(synced_, true)) return;
    line(output_ == WatchOutput::Json
             ? "{\"type\":\"SYNCED\",\"count\":" + std::to_string(initial_) + "}"
             : "SYNCED " + std::to_string(initial_));
  }

  void line(const std::string& text) {
    if (std::fprintf(stdout, "%s\n", text.c_str()) < 0 || std::fflush(stdout) != 0) alive_ = false;
  }

  std::string text(const std::string& type, const Cached<Unstructured>& object) const {
    if (output_ == WatchOutput::Json) {
      return "{\"type\":\"" + type + "\",\"object\":" + kube::meta::to_json(*object) + "}";
    }
    const std::string name =
        type + " " + std::string(object.key()) + " " + std::string(object.resource_version());
    return output_ == WatchOutput::Name ? name : name + details(object);
  }

  std::string details(const Cached<Unstructured>& object) const {
    const auto field = [&](std::initializer_list<std::string_view> path) {
      const kube::json::Value* value = object->content.at_path(path);
      const std::string_view found =
          value != nullptr ? value->string_or_empty() : std::string_view{};
      return std::string(found.empty() ? "-" : found);
    };
    std::string labels;
    for (const auto& [key, value] : object->labels()) {
      labels += (labels.empty() ? "" : ",") + key + "=" + value;
    }
    std::string result = " created=" + field({"metadata", "creationTimestamp"}) +
                         " uid=" + std::string(object.uid());
    if (kind_ == "Pod") {
      result += " phase=" + field({"status", "phase"}) + " node=" + field({"spec", "nodeName"});
    }
    return result + " labels=" + (labels.empty() ? "<none>" : labels);
  }

  const WatchOutput output_;
  const std::string kind_;
  mutable std::mutex mutex_;
  std::size_t initial_ = 0;
  bool synced_ = false;
  bool alive_ = true;
};

// Errors that no waiting mends, as long as nothing was listed yet: the call itself is wrong.
bool is_permanent(const Error& error) {
  return kube::is_bad_request(error) || kube::is_forbidden(error) || kube::is_unauthorized(error) ||
         kube::is_not_found(error) || kube::is_method_not_supported(error) ||
         error.code() == kube::ErrorCode::Credentials || error.code() == kube::ErrorCode::Config;
}

}  // namespace

int run_watch(const WatchOptions& options) {
  const StopSignal signal;
  if (auto labels = kube::labels::parse(options.label_selector); !labels) {
    return report(labels.error().with_context("--selector"));
  }
  if (auto fields = kube::fields::parse(options.field_selector); !fields) {
    return report(fields.error().with_context("--field-selector"));
  }
  auto connection = connect(options.connection);
  if (!connection) return report(connection.error());
  auto mapper = kube::RestMapper::create(connection->client.rest(), signal.token());
  if (!mapper) return report(mapper.error());
  auto resource = mapper->resolve(options.resource);
  if (!resource) return report(resource.error());

  kube::InformerOptions informer_options;
  informer_options.label_selector = options.label_selector;
  informer_options.field_selector = options.field_selector;
  if (resource->namespaced && !options.all_namespaces) {
    informer_options.namespace_ =
        options.namespace_.empty() ? connection->namespace_ : options.namespace_;
  }

  // Ends by a signal, a permanent error or when nobody reads any more.
  std::stop_source done;
  const std::stop_callback interrupted(signal.token(), [&] { done.request_stop(); });
  std::mutex mutex;
  std::optional<Error> failed;
  const auto end = [&](std::optional<Error> why) {
    {
      const std::lock_guard lock(mutex);
      if (!done.stop_requested()) failed = std::move(why);
    }
    done.request_stop();
  };

  Printer printer(options.output, resource->kind);
  kube::SharedInformer<Unstructured> informer(connection->client.rest(), *resource,
                                              informer_options);
  auto handled = informer.set_watch_error_handler([&](const Error& error) {
    if (informer.has_synced() || !is_permanent(error)) {
      std::fprintf(stderr, "kubecpp: %s; trying again\n", error.to_string().c_str());
    } else {
      end(error);
    }
  });
  if (!handled) return report(handled.error());

  const auto end_without_reader = [&] {
    if (!printer.alive()) end(std::nullopt);
  };
  const kube::HandlerRegistration registration = informer.add_event_handler({
      .on_add =
          [&](const auto& object, bool is_in_initial_list) {
            is_in_initial_list ? printer.initial(object) : printer.change("ADDED", object);
            end_without_reader();
          },
      .on_update =
          [&](const auto& old_object, const auto& object) {
            // A relist tells of what is the same, too.
            if (old_object.resource_version() != object.resource_version()) {
              printer.change("MODIFIED", object);
            }
            end_without_reader();
          },
      .on_delete =
          [&](const auto& deleted) {
            printer.change("DELETED", deleted.object);
            end_without_reader();
          },
  });
  if (auto started = informer.start(); !started) return report(started.error());

  if (registration.wait_for_sync(done.get_token())) printer.synced();
  wait_for_stop(done.get_token());
  informer.stop_and_wait();
  return failed ? report(*failed) : 0;
}

}  // namespace kubecpp

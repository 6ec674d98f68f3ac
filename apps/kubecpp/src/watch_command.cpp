// SPDX-License-Identifier: Apache-2.0
#include "watch_command.hpp"

#include <atomic>
#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <optional>
#include <string>

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

// Prints events in the order in which they come. One informer, so one thread at a time.
class Printer {
 public:
  Printer(WatchOutput output, std::string kind) : output_(output), kind_(std::move(kind)) {}

  void event(const char* type, const Cached<Unstructured>& object) {
    switch (output_) {
      case WatchOutput::Name:
        line(std::string(type) + " " + std::string(object.key()) + " " + std::string(object.resource_version()));
        break;
      case WatchOutput::Json:
        line("{\"type\":\"" + std::string(type) + "\",\"object\":" + kube::meta::to_json(*object) + "}");
        break;
      case WatchOutput::Wide: line(wide(type, object)); break;
    }
  }

  void synced(std::size_t count) {
    if (output_ == WatchOutput::Json) {
      line("{\"type\":\"SYNCED\",\"count\":" + std::to_string(count) + "}");
    } else {
      line("SYNCED " + std::to_string(count));
    }
  }

  /// False once the reader of standard output is gone.
  bool alive() const { return alive_; }

 private:
  void line(const std::string& text) {
    if (std::fprintf(stdout, "%s\n", text.c_str()) < 0 || std::fflush(stdout) != 0) alive_ = false;
  }

  std::string wide(const char* type, const Cached<Unstructured>& object) const {
    const auto field = [&](std::initializer_list<std::string_view> path) {
      const kube::json::Value* value = object->content.at_path(path);
      const std::string_view text = value != nullptr ? value->string_or_empty() : std::string_view{};
      return std::string(text.empty() ? "-" : text);
    };
    std::string labels;
    for (const auto& [key, value] : object->labels()) labels += (labels.empty() ? "" : ",") + key + "=" + value;
    std::string text = std::string(type) + " " + std::string(object.key()) + " " +
                       std::string(object.resource_version()) + " created=" + field({"metadata", "creationTimestamp"}) +
                       " uid=" + std::string(object.uid());
    if (kind_ == "Pod") text += " phase=" + field({"status", "phase"}) + " node=" + field({"spec", "nodeName"});
    return text + " labels=" + (labels.empty() ? "<none>" : labels);
  }

  const WatchOutput output_;
  const std::string kind_;
  std::atomic<bool> alive_{true};
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
  auto resource = kube::RestMapper(connection->client.rest()).resolve(options.resource, signal.token());
  if (!resource) return report(resource.error());

  kube::InformerOptions informer_options;
  informer_options.label_selector = options.label_selector;
  informer_options.field_selector = options.field_selector;
  if (resource->namespaced && !options.all_namespaces) {
    informer_options.namespace_ = options.namespace_.empty() ? connection->namespace_ : options.namespace_;
  }

  std::mutex mutex;
  std::condition_variable_any changed;
  std::optional<Error> failed;
  bool ended = false;
  const auto end = [&](std::optional<Error> why) {
    const std::lock_guard lock(mutex);
    if (!ended) failed = std::move(why);
    ended = true;
    changed.notify_all();
  };

  Printer printer(options.output, resource->kind);
  kube::SharedInformer<Unstructured> informer(connection->client.rest(), *resource, informer_options);
  auto handled = informer.set_watch_error_handler([&](const Error& error) {
    if (informer.has_synced() || !is_permanent(error)) {
      std::fprintf(stderr, "kubecpp: %s; trying again\n", error.to_string().c_str());
    } else {
      end(error);
    }
  });
  if (!handled) return report(handled.error());

  std::size_t listed = 0;
  bool synced = false;
  const auto print = [&](const char* type, const Cached<Unstructured>& object) {
    printer.event(type, object);
    if (!printer.alive()) end(std::nullopt);
  };
  const kube::HandlerRegistration registration = informer.add_event_handler({
      .on_add =
          [&](const auto& object, bool is_in_initial_list) {
            if (is_in_initial_list && !synced) ++listed;
            print("ADDED", object);
          },
      .on_update = [&](const auto&, const auto& object) { print("MODIFIED", object); },
      .on_delete = [&](const auto& deleted) { print("DELETED", deleted.object); },
      .on_synced =
          [&] {
            synced = true;
            printer.synced(listed);
          },
  });
  if (auto started = informer.start(); !started) return report(started.error());

  {
    std::unique_lock lock(mutex);
    changed.wait(lock, signal.token(), [&] { return ended; });
  }
  informer.stop_and_wait();
  return failed ? report(*failed) : 0;
}

}  // namespace kubecpp

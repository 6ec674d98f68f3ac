// SPDX-License-Identifier: Apache-2.0
//
// kube-bench informers: many informers in one process, each of the pods of one namespace.
#include <atomic>
#include <memory>
#include <thread>
#include <vector>

#include "commands.hpp"
#include "phase.hpp"

#include <kube/api/core/v1/namespace.hpp>
#include <kube/api/core/v1/pod.hpp>
#include <kube/cache/shared_informer.hpp>

namespace kube::bench {
namespace {

using core::v1::Pod;

struct NamespaceInformer {
  NamespaceInformer(const Client& client, const InformersOptions& options, std::string name,
                    std::atomic<std::uint64_t>& told)
      : pods(client.rest(), {.namespace_ = std::move(name), .protobuf = options.protobuf}),
        handler(pods.add_event_handler(
            {.on_update = [&told](const Cached<Pod>&, const Cached<Pod>&) { ++told; }})) {}

  SharedInformer<Pod> pods;
  HandlerRegistration handler;
};

Line& add_process(Line& line, const InformersOptions& options, std::size_t objects) {
  return line.add("informers", static_cast<double>(options.informers))
      .add("objects", static_cast<double>(objects))
      .add("threads", static_cast<double>(threads()))
      .add("connections", static_cast<double>(sockets()));
}

}  // namespace

int informers(const Client& client, const InformersOptions& options) {
  const auto namespaces = client.api<core::v1::Namespace>().list_all();
  if (!namespaces) return fail(namespaces.error());
  if (namespaces->items.empty())
    return fail({ErrorCode::InvalidArgument, "the server has no namespace"});
  if (options.events > 0 && options.informers % namespaces->items.size() != 0) {
    return fail({ErrorCode::InvalidArgument, "--events expects a multiple of the " +
                                                 std::to_string(namespaces->items.size()) +
                                                 " namespaces as the number of informers, found " +
                                                 std::to_string(options.informers)});
  }
  std::atomic<std::uint64_t> told{0};
  const Phase start;
  std::vector<std::unique_ptr<NamespaceInformer>> all;
  for (std::size_t i = 0; i < options.informers; ++i) {
    const std::string& name = namespaces->items[i % namespaces->items.size()].metadata.name;
    all.push_back(std::make_unique<NamespaceInformer>(client, options, name, told));
    if (const auto started = all.back()->pods.start(); !started) return fail(started.error());
  }
  std::size_t objects = 0;
  for (const auto& one : all) {
    if (!one->pods.wait_for_sync() || !one->handler.wait_for_sync()) return 1;
    objects += one->pods.indexer().size();
  }
  Line synced = start.end("informers", "sync");
  add_process(synced, options, objects).add("events", 0.0).print();
  if (options.events == 0) return 0;
  const Phase storm;
  if (const auto asked = begin_storm(client, options.events); !asked) return fail(asked.error());
  const std::uint64_t expected = options.events * (options.informers / namespaces->items.size());
  while (told < expected) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  Line over = storm.end("informers", "storm");
  add_process(over, options, objects).add("events", static_cast<double>(expected)).print();
  return 0;
}

}  // namespace kube::bench

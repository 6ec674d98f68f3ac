// SPDX-License-Identifier: Apache-2.0
//
// Bodies into cells, the store, and handlers, by an informer on a scripted server.
#include <array>
#include <memory>
#include <optional>
#include <stdexcept>
#include <utility>

#include <kube/api/core/v1/pod.hpp>
#include <kube/base/executor.hpp>
#include <kube/cache/shared_informer.hpp>
#include <kube/client/rest_client.hpp>
#include <kube/codec/protobuf.hpp>
#include <kube/codec/watch_frames.hpp>
#include <kube/testing/scripted_transport.hpp>

#include "../codec/pods.hpp"
#include "cases.hpp"
#include "store_writer.hpp"

namespace kube::bench {
namespace {

using core::v1::Pod;
using testing::ScriptedCall;
using testing::ScriptedTransport;

constexpr unsigned kListedPods = 300;
constexpr std::size_t kPieceBytes = 16'384;  // what a transport reads at once
constexpr int kStoredObjects = 20'000;
constexpr int kStoredNamespaces = 100;

void require(bool holds, const char* what) {
  if (!holds) throw std::runtime_error(std::string("quick: expected ") + what);
}

transport::Headers content_type(Encoding encoding) {
  return {{"Content-Type", encoding == Encoding::Protobuf ? "application/vnd.kubernetes.protobuf"
                                                          : "application/json"}};
}

/// An informer of pods that has asked for its list.
struct ScriptedInformer {
  ScriptedInformer() {
    rest::Config config;
    config.host = "http://server";
    client.emplace(RestClient::create(config, runtime, transport).value());
    informer.emplace(*client, InformerOptions{.watch_list = false});
    if (!informer->add_index("app", [](const Cached<Pod>& pod) {
          return std::vector<std::string>{std::string(pod.namespace_())};
        })) {
      throw std::runtime_error("quick: no index");
    }
  }
  ~ScriptedInformer() {
    informer->stop_and_wait();
    transport->stop();
    executor->stop();
  }
  ScriptedInformer(const ScriptedInformer&) = delete;
  ScriptedInformer& operator=(const ScriptedInformer&) = delete;

  ScriptedCall start() {
    if (!informer->start()) throw std::runtime_error("quick: not started");
    return next();
  }
  ScriptedCall next() {
    executor->run_ready();
    auto call = transport->take_request();
    require(call.has_value(), "a request");
    return *call;
  }

  std::shared_ptr<SeededExecutor> executor = std::make_shared<SeededExecutor>(1);
  std::shared_ptr<ScriptedTransport> transport =
      std::make_shared<ScriptedTransport>(ScriptedTransport::Options{.executor = executor});
  Runtime runtime{.executor = executor, .random = [] { return 0.0; }};
  std::optional<RestClient> client;
  std::optional<SharedInformer<Pod>> informer;
};

std::string list_body(Encoding encoding) {
  core::v1::PodList list;
  list.metadata.resource_version = "913000000";
  for (unsigned i = 0; i < kListedPods; ++i) list.items.push_back(running_pod(i));
  if (encoding == Encoding::Json) return meta::to_json(list);
  std::string body;
  require(meta::write_enveloped(&list, core::v1::PodList::descriptor(), body).has_value(),
          "a PodList in protobuf");
  return body;
}

std::string watch_body(Encoding encoding) {
  std::string body;
  for (unsigned i = 0; i < kListedPods; ++i) {
    Pod pod = running_pod(i);
    pod.metadata.resource_version = std::to_string(914'000'000 + i);
    pod.status.phase = "Failed";
    if (encoding == Encoding::Json) {
      body += R"({"type":"MODIFIED","object":)" + meta::to_json(pod) + "}\n";
      continue;
    }
    std::string object;
    require(meta::write_enveloped(&pod, Pod::descriptor(), object).has_value(), "a pod");
    meta::write_watch_frame({"MODIFIED", object}, body);
  }
  return body;
}

std::function<void()> prepare_list(Encoding encoding) {
  auto on = std::make_shared<ScriptedInformer>();
  auto list = std::make_shared<ScriptedCall>(on->start());
  list->head(200, content_type(encoding));
  list->data_in_pieces(list_body(encoding), kPieceBytes).end();
  return [on, list] {
    on->executor->run_ready();
    require(on->informer->has_synced() && on->informer->indexer().size() == kListedPods,
            "a synced informer");
  };
}

std::function<void()> prepare_watch(Encoding encoding) {
  auto on = std::make_shared<ScriptedInformer>();
  on->start().respond(200, list_body(encoding), content_type(encoding));
  auto watch = std::make_shared<ScriptedCall>(on->next());
  watch->head(200, content_type(encoding));
  on->executor->run_ready();
  watch->data_in_pieces(watch_body(encoding), kPieceBytes);
  return [on, watch] {
    on->executor->run_ready();
    require(on->informer->status().events == kListedPods, "every event");
  };
}

/// Late handlers, each of which hears of every pod.
std::function<void()> prepare_handlers() {
  constexpr std::size_t kHandlers = 10;
  auto on = std::make_shared<ScriptedInformer>();
  on->start().respond(200, list_body(Encoding::Json));
  on->executor->run_ready();
  struct Heard {
    std::size_t adds = 0;
    std::vector<HandlerRegistration> registrations;
  };
  return [on, heard = std::make_shared<Heard>()] {
    for (std::size_t i = 0; i < kHandlers; ++i) {
      heard->registrations.push_back(on->informer->add_event_handler(
          {.on_add = [&adds = heard->adds](const Cached<Pod>&, bool) { ++adds; }}));
    }
    on->executor->run_ready();
    require(heard->adds == kHandlers * kListedPods, "an add for each handler and pod");
  };
}

/// A filled store, its keys, and a writer.
struct FilledStore {
  FilledStore() {
    std::vector<cache::CellRef> items;
    for (int i = 0; i < kStoredObjects; ++i) {
      items.push_back(make_cell(i, 1));
      keys.emplace_back(items.back()->key());
    }
    require(writer.replace(std::move(items), "1").has_value(), "a filled store");
  }
  static cache::CellRef make_cell(int number, int version) {
    static const std::string body(1'000, 'x');
    return cache::Cell::make(
        cache::cell_type<Unstructured>(),
        {.namespace_ = "namespace-" + std::to_string(number % kStoredNamespaces),
         .name = "deployment-7d4b9c-" + std::to_string(number),
         .uid = "00000000-0000-0000-0000-000000000000",
         .resource_version = std::to_string(version),
         .body = body});
  }
  std::shared_ptr<cache::Store> store =
      std::make_shared<cache::Store>(meta::GroupResource{"", "pods"});
  cache::StoreWriter writer{store};
  std::vector<std::string> keys;
};

std::function<void()> prepare_store_write() {
  auto on = std::make_shared<FilledStore>();
  auto changes = std::make_shared<std::vector<cache::Delta>>();
  for (int i = 0; i < kStoredObjects; i += 2) {
    changes->push_back({.type = DeltaType::Updated, .cell = FilledStore::make_cell(i, 2)});
  }
  return [on, changes] { require(on->writer.apply(*changes), "applied changes"); };
}

std::function<void()> prepare_store_get() {
  auto on = std::make_shared<FilledStore>();
  return [on] {
    const Lister<Unstructured> lister(on->store);
    for (const std::string& key : on->keys) require(lister.get(key).has_value(), "an object");
  };
}

std::function<void()> prepare_store_by_index() {
  auto on = std::make_shared<FilledStore>();
  return [on] {
    const Indexer<Unstructured> indexer(on->store);
    for (int i = 0; i < kStoredNamespaces; ++i) {
      const auto found = indexer.by_index(kNamespaceIndex, "namespace-" + std::to_string(i));
      require(found && found->size() == kStoredObjects / kStoredNamespaces, "a namespace");
    }
  };
}

}  // namespace

std::vector<QuickCase> cache_cases() {
  const auto with = [](auto prepare, Encoding encoding) {
    return [prepare, encoding] { return prepare(encoding); };
  };
  return {
      {"list_json", "pod", kListedPods, with(prepare_list, Encoding::Json)},
      {"list_protobuf", "pod", kListedPods, with(prepare_list, Encoding::Protobuf)},
      {"watch_json", "event", kListedPods, with(prepare_watch, Encoding::Json)},
      {"watch_protobuf", "event", kListedPods, with(prepare_watch, Encoding::Protobuf)},
      {"handler_delivery", "call", 10 * kListedPods, prepare_handlers},
      {"store_write", "change", kStoredObjects / 2, prepare_store_write},
      {"store_get", "look-up", kStoredObjects, prepare_store_get},
      {"store_by_index", "object", kStoredObjects, prepare_store_by_index},
  };
}

}  // namespace kube::bench

// SPDX-License-Identifier: Apache-2.0
//
// Memory of an informer: what stays of a list that fails at its end; peak against steady state, in
// the sync and in a storm of events.
//
//   bench_informer_memory [--pods N] [--bytes N] [--events N] [--handlers N] [--decoded]
//                         [--protobuf] [--stream] [--drop PATH]... [--url URL]
//
// --bytes is the size of a pod in JSON; --protobuf sends the same pods in protobuf; --stream sends
// the initial state as a stream of events (WatchList), and no list that fails before it; --drop
// leaves a field out of the pods (InformerOptions::drop_fields).
// Without --url the pods come from a transport in this process, which makes their text as it is
// sent (as a server in another process would), so that what is measured is the informer's. Exit
// status 1 when a peak is more than 1.15 times its steady state, or more than 32 MiB of what a
// failed list brought stay.
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iostream>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include <kube/api/core/v1/pod.hpp>
#include <kube/base/executor.hpp>
#include <kube/cache/shared_informer.hpp>
#include <kube/client/rest_client.hpp>
#include <kube/codec/codec.hpp>
#include <kube/codec/protobuf.hpp>
#include <kube/codec/watch_frames.hpp>

namespace {

using kube::transport::Flow;

struct Settings {
  std::size_t pods = 100'000;
  std::size_t bytes = 8'500;  // a pod's JSON
  std::size_t events = 200'000;
  std::size_t handlers = 1;
  bool decoded = false;
  bool protobuf = false;
  bool stream = false;
  std::vector<std::string> drop_fields;
  std::string url;
};

/// The text of a pod, about as large as asked, with what real ones carry.
std::string pod_text(std::size_t index, std::uint64_t version, std::size_t bytes) {
  const std::string name = "web-" + std::to_string(index);
  std::string text =
      R"({"kind":"Pod","apiVersion":"v1","metadata":{"name":")" + name +
      R"(","generateName":"web-","namespace":"ns-)" + std::to_string(index % 200) +
      R"(","uid":"00000000-0000-0000-0000-)" + std::to_string(100'000'000'000 + index) +
      R"(","resourceVersion":")" + std::to_string(version) +
      R"(","creationTimestamp":"2026-01-01T00:00:00Z","labels":{"app":"web","shard":")" +
      std::to_string(index % 50) + R"("},"managedFields":[)";
  const std::string entry =
      R"({"manager":"kube-controller-manager","operation":"Update","apiVersion":"v1","time":"2026-01-01T00:00:00Z","fieldsType":"FieldsV1","fieldsV1":{"f:metadata":{"f:labels":{".":{},"f:app":{}}},"f:spec":{"f:containers":{"k:{\"name\":\"web\"}":{".":{},"f:image":{},"f:name":{}}}}}})";
  const std::string rest =
      R"(]},"spec":{"nodeName":"node-)" + std::to_string(index % 1000) +
      R"(","containers":[{"name":"web","image":"registry/web:1","resources":{"requests":{"cpu":"100m","memory":"128Mi"}},"terminationMessagePath":"/dev/termination-log","imagePullPolicy":"IfNotPresent"}],"restartPolicy":"Always"},"status":{"phase":"Running","podIP":"10.0.0.1"}})";
  bool first = true;
  while (text.size() + entry.size() + 1 + rest.size() <= bytes) {
    if (!first) text += ',';
    text += entry;
    first = false;
  }
  return text + rest;
}

std::string pod_message(std::size_t index, std::uint64_t version, std::size_t bytes) {
  using Pod = kube::core::v1::Pod;
  const auto pod = kube::meta::from_json<Pod>(pod_text(index, version, bytes)).value();
  std::string message;
  kube::meta::write_protobuf(&pod, Pod::descriptor(), message);
  return message;
}

void put_varint(std::uint64_t value, std::string& out) {
  for (; value >= 0x80; value >>= 7) out += static_cast<char>(value | 0x80);
  out += static_cast<char>(value);
}

/// A server in this process: a list that breaks off, a list, one watch with a storm of events.
class PodTransport final : public kube::transport::RoundTripper {
 public:
  explicit PodTransport(const Settings& settings) : settings_(settings) {}

  /// Lets the second list, which does not break off, be sent.
  void begin_list() {
    listing_ = true;
    listing_.notify_all();
  }
  /// Lets the watch send its events.
  void begin_storm() {
    storm_ = true;
    storm_.notify_all();
  }
  std::size_t sent() const { return sent_; }
  /// Waits for the threads of all answers. One of them may hold the last owner of this transport,
  /// which must not be destroyed there: a thread can't join itself.
  void finish() {
    begin_list();
    begin_storm();
    for (std::jthread& thread : threads_) thread.join();
    threads_.clear();
  }

  std::shared_ptr<kube::transport::Exchange> start(
      kube::transport::HttpRequest request,
      std::shared_ptr<kube::transport::ResponseHandler> handler, std::stop_token stop) override {
    auto exchange = std::make_shared<Exchange>();
    exchange->on_stop.emplace(std::move(stop), [weak = std::weak_ptr<Exchange>(exchange)] {
      if (const auto self = weak.lock()) self->cancel();
    });
    const bool is_watch = request.url.find("watch=true") != std::string::npos;
    // Each answer has a thread, which a real transport has not; it is idle once the answer is sent.
    threads_.emplace_back([this, exchange, handler = std::move(handler), is_watch] {
      handler->on_head({200,
                        {{"Content-Type", settings_.protobuf ? "application/vnd.kubernetes.protobuf"
                                                             : "application/json"}}});
      if (is_watch) {
        if (settings_.stream) initial_events(*exchange, *handler);
        watch(*exchange, *handler);
      } else if (lists_.fetch_add(1) == 0) {
        list(*exchange, *handler, "\xff");  // what neither JSON nor a field begins with
      } else {
        listing_.wait(false);
        list(*exchange, *handler, {});
      }
    });
    return exchange;
  }

 private:
  struct Exchange final : kube::transport::Exchange {
    void resume() override {
      const std::lock_guard lock(mutex);
      paused = false;
      changed.notify_all();
    }
    void cancel() override {
      const std::lock_guard lock(mutex);
      cancelled = true;
      changed.notify_all();
    }
    std::mutex mutex;
    std::condition_variable changed;
    bool paused = false;
    bool cancelled = false;
    std::optional<std::stop_callback<std::function<void()>>> on_stop;
  };

  // False when cancelled.
  bool send(Exchange& exchange, kube::transport::ResponseHandler& handler, std::string_view bytes) {
    sent_ += bytes.size();
    {
      std::unique_lock lock(exchange.mutex);
      exchange.changed.wait(lock, [&] { return !exchange.paused || exchange.cancelled; });
      if (exchange.cancelled) return false;
      exchange.paused = true;  // unless somebody resumes meanwhile
    }
    const Flow flow = handler.on_data(bytes);
    if (flow == Flow::Continue) exchange.resume();
    return true;
  }

  // A list message has its length in front, so it is made twice: pods of one number of digits are
  // equally long.
  void protobuf_list(Exchange& exchange, kube::transport::ResponseHandler& handler,
                     std::string_view garbage) {
    const auto item = [&](std::size_t i) {
      const std::string message = pod_message(i, 1 + i, settings_.bytes);
      std::string out = "\x12";
      put_varint(message.size(), out);
      return out + message;
    };
    const std::string metadata =
        "\x0a\x09\x12\x07"
        "1000000";
    std::uint64_t length = metadata.size() + garbage.size();
    for (std::size_t i = 0; i < settings_.pods; ++i) length += item(i).size();
    std::string chunk(kube::meta::kProtobufMagic);
    chunk += "\x0a\x0d\x0a\x02v1\x12\x07PodList\x12";
    put_varint(length, chunk);
    chunk += metadata;
    for (std::size_t i = 0; i < settings_.pods; ++i) {
      chunk += item(i);
      if (chunk.size() < kChunk) continue;
      if (!send(exchange, handler, chunk)) break;
      chunk.clear();
    }
    send(exchange, handler, chunk + std::string(garbage));
    handler.on_end({});
  }

  /// `garbage` comes at its end.
  void list(Exchange& exchange, kube::transport::ResponseHandler& handler,
            std::string_view garbage) {
    if (settings_.protobuf) return protobuf_list(exchange, handler, garbage);
    std::string chunk =
        R"({"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"1000000"},"items":[)";
    for (std::size_t i = 0; i < settings_.pods; ++i) {
      if (i > 0) chunk += ',';
      chunk += pod_text(i, 1 + i, settings_.bytes);
      if (chunk.size() < kChunk) continue;
      if (!send(exchange, handler, chunk)) break;
      chunk.clear();
    }
    send(exchange, handler, chunk + std::string(garbage) + "]}");
    handler.on_end({});
  }

  void put_event(const char* type, std::size_t index, std::uint64_t version,
                 std::string& chunk) const {
    if (settings_.protobuf) {
      put_frame(type, pod_message(index, version, settings_.bytes), chunk);
      return;
    }
    chunk += R"({"type":")" + std::string(type) + R"(","object":)" +
             pod_text(index, version, settings_.bytes) + "}\n";
  }
  static void put_frame(const char* type, const std::string& message, std::string& chunk) {
    std::string object;
    kube::meta::write_envelope({.api_version = "v1", .kind = "Pod", .raw = message}, object);
    kube::meta::write_watch_frame({type, object}, chunk);
  }

  void initial_events(Exchange& exchange, kube::transport::ResponseHandler& handler) {
    listing_.wait(false);
    std::string chunk;
    for (std::size_t i = 0; i < settings_.pods; ++i) {
      put_event("ADDED", i, 1 + i, chunk);
      if (chunk.size() < kChunk) continue;
      if (!send(exchange, handler, chunk)) return;
      chunk.clear();
    }
    if (settings_.protobuf) {
      kube::core::v1::Pod end;
      end.metadata.resource_version = "1000000";
      end.metadata.annotations["k8s.io/initial-events-end"] = "true";
      std::string message;
      kube::meta::write_protobuf(&end, kube::core::v1::Pod::descriptor(), message);
      put_frame("BOOKMARK", message, chunk);
    } else {
      chunk +=
          R"({"type":"BOOKMARK","object":{"kind":"Pod","apiVersion":"v1","metadata":{)"
          R"("resourceVersion":"1000000","annotations":{"k8s.io/initial-events-end":"true"}}}})"
          "\n";
    }
    send(exchange, handler, chunk);
  }

  void watch(Exchange& exchange, kube::transport::ResponseHandler& handler) {
    storm_.wait(false);
    std::string chunk;
    for (std::size_t i = 0; i < settings_.events; ++i) {
      const std::size_t index = i * 7919 % std::max<std::size_t>(settings_.pods, 1);
      put_event("MODIFIED", index, 1'000'001 + i, chunk);
      if (chunk.size() < 16 * 1024 && i + 1 < settings_.events) continue;
      if (!send(exchange, handler, chunk)) break;
      chunk.clear();
    }
    std::unique_lock lock(exchange.mutex);
    exchange.changed.wait(lock, [&] { return exchange.cancelled; });
    lock.unlock();
    handler.on_end(kube::Error(kube::ErrorCode::Cancelled, "the request was cancelled"));
  }

  static constexpr std::size_t kChunk = 64 * 1024;
  const Settings settings_;
  std::atomic<int> lists_{0};
  std::atomic<bool> listing_{false};
  std::atomic<bool> storm_{false};
  std::atomic<std::size_t> sent_{0};
  std::vector<std::jthread> threads_;
};

/// A line of /proc/self/status, in bytes.
std::size_t memory(std::string_view field) {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with(field)) {
      return static_cast<std::size_t>(std::strtoull(line.c_str() + field.size() + 1, nullptr, 10)) *
             1024;
    }
  }
  return 0;
}

/// From here on VmHWM is the peak since.
void reset_peak() {
  std::ofstream("/proc/self/clear_refs") << "5";
}

double cpu_seconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) / 1e6;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

double mega(std::size_t bytes) {
  return static_cast<double>(bytes) / 1e6;
}

/// Prints one line; true when the peak is within bounds.
bool report(const char* phase, std::size_t base, std::size_t steady, std::size_t peak, double wall,
            double cpu) {
  const double ratio = static_cast<double>(peak) / static_cast<double>(steady);
  std::printf(
      "%-6s steady %8.1f MB  peak %8.1f MB  ratio %.3f  (before: %.1f MB)  wall %.2f s  cpu %.2f "
      "s\n",
      phase, mega(steady), mega(peak), ratio, mega(base), wall, cpu);
  return ratio <= 1.15;
}

/// Waits until a list has failed, and what it brought has been given back.
bool report_failed_list(const kube::SharedInformer<kube::core::v1::Pod>& informer,
                        std::size_t base) {
  // A minute: the list of the most objects takes some seconds.
  for (int i = 0; i < 30'000 && !informer.status().last_error; ++i) usleep(2000);
  if (!informer.status().last_error) return std::printf("failed: the list did not fail\n"), false;
  const std::size_t peak = memory("VmHWM");
  const std::size_t most = base + (std::size_t{32} << 20);
  for (int i = 0; i < 2500 && memory("VmRSS") > most; ++i) usleep(2000);
  const std::size_t stays = memory("VmRSS");
  std::printf("failed stays  %8.1f MB  peak %8.1f MB  (before: %.1f MB)\n", mega(stays), mega(peak),
              mega(base));
  return stays <= most;
}

Settings parse(int argc, char** argv) {
  Settings settings;
  for (int i = 1; i < argc; ++i) {
    const std::string_view name = argv[i];
    const auto number = [&] { return std::strtoull(i + 1 < argc ? argv[++i] : "0", nullptr, 10); };
    if (name == "--pods") {
      settings.pods = number();
    } else if (name == "--bytes") {
      settings.bytes = number();
    } else if (name == "--events") {
      settings.events = number();
    } else if (name == "--handlers") {
      settings.handlers = number();
    } else if (name == "--decoded") {
      settings.decoded = true;
    } else if (name == "--protobuf") {
      settings.protobuf = true;
    } else if (name == "--stream") {
      settings.stream = true;
    } else if (name == "--drop" && i + 1 < argc) {
      settings.drop_fields.emplace_back(argv[++i]);
    } else if (name == "--url" && i + 1 < argc) {
      settings.url = argv[++i];
    } else {
      std::cerr
          << "usage: bench_informer_memory [--pods N] [--bytes N] [--events N] [--handlers N] "
             "[--decoded] [--protobuf] [--stream] [--drop PATH]... [--url URL]\n";
      std::exit(2);
    }
  }
  return settings;
}

}  // namespace

int main(int argc, char** argv) {
  const Settings settings = parse(argc, argv);
  const auto pool = std::make_shared<kube::ThreadPool>();
  std::shared_ptr<PodTransport> transport;
  kube::rest::Config config;
  config.host = settings.url.empty() ? "http://in-process" : settings.url;
  if (settings.url.empty()) transport = std::make_shared<PodTransport>(settings);
  // Destroyed after the informer, whose end cancels its exchanges, and before the transport.
  const std::shared_ptr<void> finish(nullptr, [&](void*) {
    if (transport) transport->finish();
  });
  const auto client =
      kube::RestClient::create(config, kube::Runtime{.executor = pool}, transport).value();

  using Pod = kube::core::v1::Pod;
  kube::SharedInformer<Pod> informer(
      client, {.protobuf = settings.protobuf,
               .storage = settings.decoded ? kube::cache::StoragePolicy::Decoded
                                           : kube::cache::StoragePolicy::Wire,
               .drop_fields = settings.drop_fields,
               .watch_list = settings.stream});
  std::atomic<std::size_t> told{0};
  std::vector<kube::HandlerRegistration> registrations;
  for (std::size_t i = 0; i < settings.handlers; ++i) {
    registrations.push_back(informer.add_event_handler(
        {.on_add = [&](const auto& pod, bool) { told += pod.key().empty() ? 0 : 1; },
         .on_update = [&](const auto&, const auto& pod) { told += pod.key().empty() ? 0 : 1; }}));
  }

  std::size_t base = memory("VmRSS");
  reset_peak();
  auto began = std::chrono::steady_clock::now();
  double cpu = cpu_seconds();
  if (auto started = informer.start(); !started) {
    std::cerr << started.error().to_string() << "\n";
    return 2;
  }
  bool good = true;
  if (transport) {
    if (!settings.stream) good = report_failed_list(informer, base);
    base = memory("VmRSS");
    reset_peak();
    began = std::chrono::steady_clock::now();
    cpu = cpu_seconds();
    transport->begin_list();
  }
  for (const auto& registration : registrations) registration.wait_for_sync({});
  if (!informer.wait_for_sync({})) return 1;
  const auto wall = [&] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
  };
  const kube::InformerStatus status = informer.status();
  std::printf("%zu objects, %.1f MB of cells%s\n", status.objects, mega(status.bytes),
              settings.decoded ? " (bodies decoded)" : "");
  good =
      report("sync", base, memory("VmRSS"), memory("VmHWM"), wall(), cpu_seconds() - cpu) && good;
  if (transport) std::printf("       received %.1f MB\n", mega(transport->sent() / 2));

  if (transport && settings.events > 0) {
    const std::size_t before = memory("VmRSS");
    reset_peak();
    began = std::chrono::steady_clock::now();
    cpu = cpu_seconds();
    transport->begin_storm();
    const std::string last = std::to_string(1'000'000 + settings.events);
    while (informer.last_sync_resource_version() != last) usleep(2000);
    for (;;) {
      std::size_t pending = 0;
      for (const auto& registration : registrations) pending += registration.status().pending;
      if (pending == 0) break;
      usleep(2000);
    }
    good = report("storm", before, memory("VmRSS"), memory("VmHWM"), wall(), cpu_seconds() - cpu) &&
           good;
  }
  informer.stop_and_wait();
  return good ? 0 : 1;
}

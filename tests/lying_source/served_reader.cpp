// SPDX-License-Identifier: Apache-2.0
#include "served_reader.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <kube/client/rest_client.hpp>
#include <kube/testing/scripted_transport.hpp>

#include "draw.hpp"
#include "oracle.hpp"
#include "reading/read_handlers.hpp"
#include "reading/responses.hpp"
#include "served_resources.hpp"
#include "witness.hpp"

namespace kube::lying {
namespace {

using kube::testing::ScriptedCall;
using kube::testing::ScriptedTransport;
using serving::HttpRequest;
using serving::HttpResponse;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr const char* kRule = "a reader of the cache has what the cache has";

HttpRequest to_request(const ScriptedCall& call) {
  const transport::HttpRequest& from = call.request();
  HttpRequest out;
  out.method = from.method;
  out.target = from.url.substr(from.url.find('/', from.url.find("://") + 3));
  out.accept = from.headers.find("Accept").value_or("");
  out.host = "localhost";
  return out;
}

void send_head(ScriptedCall& call, const HttpResponse& response) {
  transport::Headers headers;
  for (const auto& [name, value] : response.headers) headers.add(name, value);
  headers.add("Content-Type", response.content_type);
  call.head(response.status, std::move(headers));
}

/// What a connection of the HTTP server does with a watch.
class WatchOfReader : public std::enable_shared_from_this<WatchOfReader> {
 public:
  WatchOfReader(ScriptedCall call, std::shared_ptr<serving::WatchSource> source,
                std::shared_ptr<Executor> executor, Duration pause)
      : call_(std::move(call)),
        source_(std::move(source)),
        executor_(std::move(executor)),
        pause_(pause) {}

  void start() {
    source_->attach(*executor_, [weak = weak_from_this(), executor = executor_] {
      executor->submit([weak] {
        const auto self = weak.lock();
        if (self && std::exchange(self->idle_, false)) self->pump();
      });
    });
    pump();
  }
  bool over() const { return call_.cancelled() || call_.ended(); }
  bool idle() const { return idle_ && call_.undelivered() == 0; }

 private:
  void pump() {
    if (over()) return;
    if (call_.undelivered() == 0) {
      std::vector<serving::Slice> slices;
      const auto state = source_->pump(slices);
      for (const serving::Slice& slice : slices) call_.data(std::string(slice.bytes));
      if (state == serving::WatchSource::State::End) return call_.end();
      idle_ = state == serving::WatchSource::State::Idle;
      if (idle_) return;
    }
    timer_ = executor_->submit_after(pause_, [weak = weak_from_this()] {
      if (const auto self = weak.lock()) self->pump();
    });
  }

  ScriptedCall call_;
  const std::shared_ptr<serving::WatchSource> source_;
  const std::shared_ptr<Executor> executor_;
  const Duration pause_;
  bool idle_ = false;
  Timer timer_;
};

}  // namespace

struct ServedReader::Impl {
  Impl(std::uint64_t seed, const std::shared_ptr<cache::InformerCore>& served_informer,
       const std::shared_ptr<Executor>& served_executor, const Kind& served_kind,
       const InformerOptions& options, Findings& served_findings)
      : informer(served_informer),
        executor(served_executor),
        kind(served_kind),
        scope(options.namespace_),
        findings(served_findings),
        draw(~seed),
        ids(seed) {
    constexpr std::size_t kHistories[] = {1, 3, 20, 10'000};
    constexpr std::size_t kBytes[] = {1'000, std::size_t{64} << 20U};
    constexpr milliseconds kPauses[] = {milliseconds(1), milliseconds(1), milliseconds(500),
                                        seconds(20)};
    pause = draw.of(kPauses);
    cacheserver::Served record;
    record.resource = cacheserver::served_resource(informer->resource(), nullptr, false);
    record.namespace_ = informer->scope();
    record.feed = feed = std::make_shared<cacheserver::CellFeed>(
        record.resource,
        serving::Store::Options{
            {draw.of(kHistories), draw.of(kBytes)},
            0,
            [run = executor](std::function<void()> task) { run->submit(std::move(task)); }},
        nullptr);
    record.informer = informer;
    static_cast<void>(served.add(record));
    informer->add_store_observer(feed);

    transport->on("GET", "*", [this](ScriptedCall call) {
      std::erase_if(watches, [](const auto& each) { return each->over(); });
      HttpRequest request = to_request(call);
      answer(std::move(call), std::move(request), false);
    });
    Runtime runtime;
    runtime.executor = executor;
    runtime.random = [this] { return static_cast<double>(draw.below(1000)) / 1000; };
    rest::Config config;
    config.host = "http://cache";
    InformerOptions read;
    read.protobuf = options.protobuf;
    read.namespace_ = options.namespace_;
    read.watch_list = draw.one_in(2);
    constexpr std::int64_t kPages[] = {0, 2};
    read.page_size = draw.of(kPages);
    reader = std::make_unique<cache::InformerCore>(
        RestClient::create(config, runtime, transport).value(), informer->resource(), read,
        kind.type);
    static_cast<void>(reader->start());
  }

  ~Impl() {
    reader.reset();
    transport->stop();
    watches.clear();
    feed->close();
  }

  HttpResponse handle(const HttpRequest& request, bool last_attempt) {
    const auto route = serving::parse_route(request.method, request.target);
    if (!route) return serving::error_response(route.error(), request.accept);
    const serving::ReadRequest read{
        request, *route, registry.table()->find(route->group, route->version, route->resource),
        last_attempt};
    auto response = route->verb == serving::Verb::Watch ? serving::watch_objects(context, read)
                                                        : serving::list_objects(context, read);
    return response ? *std::move(response)
                    : serving::error_response(response.error(), request.accept);
  }

  void answer(ScriptedCall call, HttpRequest request, bool last_attempt) {
    HttpResponse response = handle(request, last_attempt);
    findings.note([&] {
      return "reader: " + request.target + " is " +
             (response.await_revision ? "waiting" : std::to_string(response.status));
    });
    if (response.await_revision) return wait(std::move(call), std::move(request), response);
    send_head(call, response);
    if (response.watch) {
      watches.push_back(std::make_shared<WatchOfReader>(call, response.watch, executor, pause));
      return watches.back()->start();
    }
    response.body.flatten();
    if (!response.body.text.empty()) call.data(std::move(response.body.text));
    auto state = serving::BodySource::State::End;
    if (response.stream) state = send_pieces(call, *response.stream);
    state == serving::BodySource::State::Lost ? call.truncate() : call.end();
  }

  static serving::BodySource::State send_pieces(ScriptedCall& call, serving::BodySource& from) {
    auto state = serving::BodySource::State::More;
    while (state == serving::BodySource::State::More) {
      serving::Body piece;
      state = from.next(10'000, piece);
      piece.flatten();
      if (!piece.text.empty()) call.data(std::move(piece.text));
    }
    return state;
  }

  /// As a connection: once more when the store has the revision, or the time is over.
  void wait(ScriptedCall call, HttpRequest request, const HttpResponse& response) {
    struct Waiting {
      serving::WakerPtr waker;
      Timer timer;
      bool done = false;
    };
    auto waiting = std::make_shared<Waiting>();
    serving::RevisionSource* const source = response.await_revision->source;
    const auto again = [this, call, request, source, weak = std::weak_ptr(alive), waiting] {
      if (!weak.lock() || std::exchange(waiting->done, true)) return;
      source->forget(waiting->waker);
      waiting->waker.reset();
      waiting->timer.cancel();
      if (!call.cancelled() && !call.ended()) answer(call, request, true);
    };
    waiting->waker =
        std::make_shared<const serving::Waker>([run = executor, again] { run->submit(again); });
    waiting->timer = executor->submit_after(seconds(3), again);
    source->when_reached(response.await_revision->revision, waiting->waker);
  }

  const std::shared_ptr<cache::InformerCore> informer;
  const std::shared_ptr<Executor> executor;
  const Kind& kind;
  const std::string scope;
  Findings& findings;
  Draw draw;
  Duration pause{};

  // In the order of construction; each uses the ones above it.
  serving::Ids ids;
  const serving::ReadLimits limits{seconds(60), std::chrono::minutes(30), 4'000};
  const std::string version = "v1.0.0";
  serving::ResourceRegistry registry{std::vector<serving::ServedGroup>()};
  cacheserver::ServedResources served{registry};
  serving::OpenApi openapi;
  const std::shared_ptr<std::atomic<std::size_t>> watchers =
      std::make_shared<std::atomic<std::size_t>>(0);
  serving::ReadContext context{limits,    version,
                               registry,  served,
                               ids,       openapi,
                               *executor, std::make_shared<std::atomic<std::uint64_t>>(0),
                               watchers,  std::make_shared<serving::EventFrames>()};
  std::shared_ptr<cacheserver::CellFeed> feed;
  std::vector<std::shared_ptr<WatchOfReader>> watches;
  const std::shared_ptr<bool> alive = std::make_shared<bool>(true);
  const std::shared_ptr<ScriptedTransport> transport =
      std::make_shared<ScriptedTransport>(ScriptedTransport::Options{.executor = executor});
  std::unique_ptr<cache::InformerCore> reader;
};

ServedReader::ServedReader(std::uint64_t seed, const std::shared_ptr<cache::InformerCore>& informer,
                           const std::shared_ptr<Executor>& executor, const Kind& kind,
                           const InformerOptions& options, Findings& findings)
    : impl_(std::make_unique<Impl>(seed, informer, executor, kind, options, findings)) {}

ServedReader::~ServedReader() = default;

void ServedReader::drop_connections() {
  impl_->transport->reset_all();
}

bool ServedReader::is_up_to_date() const {
  const auto open =
      std::ranges::find_if(impl_->watches, [](const auto& each) { return !each->over(); });
  return impl_->reader->has_synced() && open != impl_->watches.end() && (*open)->idle();
}

void ServedReader::expect_equal() const {
  const cache::Store& has = *impl_->reader->store();
  const std::vector<cache::CellRef> cells = cells_of(*impl_->informer->store());
  // An object that states its metadata twice has either name.
  const auto has_two_names = [](const cache::CellRef& cell) { return cell->name() == "twice"; };
  if (std::ranges::any_of(cells, has_two_names) ||
      std::ranges::any_of(cells_of(has), has_two_names)) {
    return;
  }
  std::size_t expected = 0;
  for (const cache::CellRef& cell : cells) {
    if (!impl_->scope.empty() && cell->namespace_() != impl_->scope) continue;
    ++expected;
    const cache::CellUser user = has.get(cell->key());
    if (user.get() == nullptr) {
      impl_->findings.add(kRule, "lacks " + show(cell.get()));
      continue;
    }
    const cache::CellRef read = user.ref();
    if (read->uid() != cell->uid() || read->resource_version() != cell->resource_version()) {
      impl_->findings.add(kRule, "has " + show(read.get()) + ", the cache " + show(cell.get()));
      continue;
    }
    // One that can't be decoded, such as a Service, may be in the form of a list, without its kind.
    const auto text = impl_->kind.text_of(cell);
    if (!text) continue;
    const auto has_text = impl_->kind.text_of(read);
    if (!has_text || *has_text != *text) {
      impl_->findings.add(kRule,
                          "has other content of " + show(cell.get()) + ": " +
                              printable(has_text ? *has_text : has_text.error().to_string()) +
                              ", the cache " + printable(*text));
    }
  }
  if (has.size() != expected) {
    impl_->findings.add(kRule, "has " + std::to_string(has.size()) + " objects, the cache " +
                                   std::to_string(expected));
  }
}

void ServedReader::stop() {
  impl_->reader->stop_and_wait();
}

void ServedReader::expect_forgotten() const {
  std::erase_if(impl_->watches, [](const auto& each) { return each->over(); });
  if (impl_->transport->open() == 0 && impl_->watchers->load() == 0) return;
  impl_->findings.add("a cache server forgets a reader that has left",
                      std::to_string(impl_->watchers->load()) + " watches are left");
}

std::size_t ServedReader::max_memory() const {
  constexpr std::size_t kOfAnObject = 2'000;
  const serving::Collection& collection = impl_->feed->collection();
  return 3 * impl_->reader->store()->bytes() + collection.history_bytes() +
         kOfAnObject * (collection.size() + collection.history_size());
}

}  // namespace kube::lying

// SPDX-License-Identifier: Apache-2.0
#include <kube/testing/recording_transport.hpp>

#include <algorithm>

#include <utility>
#include <vector>

#include <kube/base/mutex.hpp>
#include <kube/json/base64.hpp>
#include <kube/json/value.hpp>
#include <kube/testing/scripted_transport.hpp>

namespace kube::testing {

using transport::Flow;
using transport::HttpRequest;
using transport::ResponseHead;

struct RecordingTransport::Record {
  struct Piece {
    std::int64_t at_us = 0;  // after the request
    std::string bytes{};
  };
  std::string method{};
  std::string url{};
  std::string body{};
  int status = 0;  // 0: no response began
  std::vector<transport::Headers::Field> headers{};
  std::vector<Piece> pieces{};
  bool ended = false;
  std::int64_t ended_at_us = 0;
  std::string error{};  // why it ended, when it failed

  json::Value to_json() const;
  static Result<Record> parse(std::string_view line);
};

struct RecordingTransport::Tape {
  mutable Mutex mutex;
  std::vector<std::shared_ptr<Record>> records KUBE_GUARDED_BY(mutex);
};

namespace {

std::string encoded(const std::string& bytes) {
  std::string out;
  json::write_base64(bytes, out);
  return out;
}

// The URL from its path on, without the timeout that a client draws.
std::string comparable(const std::string& url) {
  const std::size_t scheme = url.find("://");
  const std::size_t path = url.find('/', scheme == std::string::npos ? 0 : scheme + 3);
  std::string out = path == std::string::npos ? "/" : url.substr(path);
  const std::size_t timeout = out.find("timeoutSeconds=");
  if (timeout != std::string::npos) out.erase(timeout, out.find('&', timeout) - timeout);
  return out;
}

}  // namespace

json::Value RecordingTransport::Record::to_json() const {
  json::Array fields;
  for (const auto& [name, value] : headers) fields.push_back(json::Array{name, value});
  json::Array parts;
  for (const Piece& piece : pieces) {
    parts.push_back(json::Object{{"at", piece.at_us}, {"bytes", encoded(piece.bytes)}});
  }
  json::Object out{
      {"method", method},  {"url", url},      {"body", encoded(body)}, {"status", status},
      {"headers", fields}, {"pieces", parts}, {"ended", ended},        {"ended_at", ended_at_us}};
  if (!error.empty()) out.set("error", error);
  return out;
}

Result<RecordingTransport::Record> RecordingTransport::Record::parse(std::string_view line) {
  const auto parsed = json::parse(line);
  if (!parsed) return parsed.error();
  Record out;
  out.method = parsed->string_at({"method"});
  out.url = parsed->string_at({"url"});
  if (out.method.empty() || out.url.empty()) {
    return Error(ErrorCode::Decode, "expected the method and the url of a request");
  }
  out.status = static_cast<int>(parsed->int_at({"status"}).value_or(0));
  out.error = parsed->string_at({"error"});
  out.ended_at_us = parsed->int_at({"ended_at"}).value_or(0);
  out.ended = parsed->true_at({"ended"});
  for (const json::Value& field : parsed->array_at({"headers"})) {
    const json::Array* pair = field.if_array();
    if (pair == nullptr || pair->size() != 2) return Error(ErrorCode::Decode, "expected a header");
    const std::string* name = (*pair)[0].if_string();
    const std::string* value = (*pair)[1].if_string();
    if (name == nullptr || value == nullptr) return Error(ErrorCode::Decode, "expected a header");
    out.headers.emplace_back(*name, *value);
  }
  for (const json::Value& piece : parsed->array_at({"pieces"})) {
    auto bytes = json::read_base64(piece.string_at({"bytes"}));
    if (!bytes) return Error(ErrorCode::Decode, "expected base64 in a piece");
    out.pieces.push_back({piece.int_at({"at"}).value_or(0), *std::move(bytes)});
  }
  return out;
}

class RecordingTransport::Handler final : public transport::ForwardingHandler {
 public:
  Handler(std::shared_ptr<transport::ResponseHandler> inner, std::shared_ptr<Clock> clock,
          std::shared_ptr<Tape> tape, std::shared_ptr<Record> record)
      : ForwardingHandler(std::move(inner)),
        clock_(std::move(clock)),
        tape_(std::move(tape)),
        record_(std::move(record)),
        begin_(clock_->now()) {}

  void on_head(ResponseHead head) override {
    {
      const MutexLock lock(tape_->mutex);
      record_->status = head.status;
      record_->headers.assign(head.headers.begin(), head.headers.end());
    }
    inner_->on_head(std::move(head));
  }
  Flow on_data(std::string_view chunk) override {
    {
      const MutexLock lock(tape_->mutex);
      record_->pieces.push_back({elapsed(), std::string(chunk)});
    }
    return inner_->on_data(chunk);
  }
  void on_end(Result<void> result) override {
    {
      const MutexLock lock(tape_->mutex);
      record_->ended = true;
      record_->ended_at_us = elapsed();
      if (!result) record_->error = result.error().message();
    }
    inner_->on_end(std::move(result));
  }

 private:
  std::int64_t elapsed() const {
    return std::chrono::duration_cast<std::chrono::microseconds>(clock_->now() - begin_).count();
  }

  const std::shared_ptr<Clock> clock_;
  const std::shared_ptr<Tape> tape_;
  const std::shared_ptr<Record> record_;
  const TimePoint begin_;
};

RecordingTransport::RecordingTransport(std::shared_ptr<transport::RoundTripper> inner,
                                       std::shared_ptr<Clock> clock)
    : inner_(std::move(inner)), clock_(std::move(clock)), tape_(std::make_shared<Tape>()) {}

std::shared_ptr<transport::Exchange> RecordingTransport::start(
    HttpRequest request, std::shared_ptr<transport::ResponseHandler> handler,
    std::stop_token stop) {
  auto record = std::make_shared<Record>();
  record->method = request.method;
  record->url = request.url;
  record->body = request.body;
  {
    const MutexLock lock(tape_->mutex);
    tape_->records.push_back(record);
  }
  return inner_->start(std::move(request),
                       std::make_shared<Handler>(std::move(handler), clock_, tape_, record),
                       std::move(stop));
}

std::string RecordingTransport::text() const {
  std::string out;
  const MutexLock lock(tape_->mutex);
  for (const auto& record : tape_->records) out += json::dump(record->to_json()) + "\n";
  return out;
}

struct ReplayTransport::State : std::enable_shared_from_this<State> {
  explicit State(std::shared_ptr<Executor> runs_on)
      : executor(std::move(runs_on)), scripted({.executor = executor}) {}

  void answer(const ScriptedCall& call);
  // Later than the request by so much.
  void later(std::int64_t after_us, Task task);

  const std::shared_ptr<Executor> executor;
  ScriptedTransport scripted;
  Mutex mutex;
  std::vector<RecordingTransport::Record> records KUBE_GUARDED_BY(mutex);
  std::vector<Timer> timers KUBE_GUARDED_BY(mutex);
};

void ReplayTransport::State::later(std::int64_t after_us, Task task) {
  Timer timer = executor->submit_after(std::chrono::microseconds(after_us), std::move(task));
  const MutexLock lock(mutex);
  timers.push_back(std::move(timer));
}

void ReplayTransport::State::answer(const ScriptedCall& call) {
  const std::string wanted = comparable(call.request().url);
  RecordingTransport::Record record;
  {
    const MutexLock lock(mutex);
    const auto found = std::find_if(records.begin(), records.end(), [&](const auto& each) {
      return each.method == call.request().method && comparable(each.url) == wanted;
    });
    if (found != records.end()) {
      record = std::move(*found);
      records.erase(found);
    }
  }
  ScriptedCall to = call;
  if (record.method.empty()) {
    to.fail(Error(ErrorCode::InvalidArgument,
                  "the recording has no more " + call.request().method + " " + wanted));
    return;
  }
  if (record.status != 0) {
    transport::Headers headers;
    for (auto& [name, value] : record.headers) headers.add(std::move(name), std::move(value));
    to.head(record.status, std::move(headers));
  }
  for (auto& piece : record.pieces) {
    later(piece.at_us, [to, bytes = std::move(piece.bytes)]() mutable { to.data(bytes); });
  }
  if (!record.ended) return;  // it was open when the recording ended
  later(record.ended_at_us, [to, error = std::move(record.error)]() mutable {
    if (error.empty()) return to.end();
    to.fail(Error(ErrorCode::Unreachable, std::move(error)));
  });
}

Result<std::shared_ptr<ReplayTransport>> ReplayTransport::create(
    std::string_view recording, std::shared_ptr<Executor> executor) {
  auto state = std::make_shared<State>(std::move(executor));
  for (std::size_t number = 1; !recording.empty(); ++number) {
    const std::size_t end = std::min(recording.find('\n'), recording.size());
    const std::string_view line = recording.substr(0, end);
    recording.remove_prefix(std::min(end + 1, recording.size()));
    if (line.empty()) continue;
    auto record = RecordingTransport::Record::parse(line);
    if (!record) {
      return record.error().with_context("line " + std::to_string(number) + " of the recording");
    }
    const MutexLock lock(state->mutex);
    state->records.push_back(*std::move(record));
  }
  state->scripted.on("", "*", [weak = std::weak_ptr(state)](const ScriptedCall& call) {
    if (const auto alive = weak.lock()) alive->answer(call);
  });
  return std::shared_ptr<ReplayTransport>(new ReplayTransport(std::move(state)));
}

ReplayTransport::ReplayTransport(std::shared_ptr<State> state) : state_(std::move(state)) {}

ReplayTransport::~ReplayTransport() {
  std::vector<Timer> timers;
  {
    const MutexLock lock(state_->mutex);
    timers.swap(state_->timers);
  }
  state_->scripted.stop();
}

std::shared_ptr<transport::Exchange> ReplayTransport::start(
    HttpRequest request, std::shared_ptr<transport::ResponseHandler> handler,
    std::stop_token stop) {
  return state_->scripted.start(std::move(request), std::move(handler), std::move(stop));
}

std::size_t ReplayTransport::left() const {
  const MutexLock lock(state_->mutex);
  return state_->records.size();
}

}  // namespace kube::testing

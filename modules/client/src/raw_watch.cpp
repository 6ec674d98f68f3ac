// SPDX-License-Identifier: Apache-2.0
//
// Opens watches and reads their events.
#include <kube/client/raw_watch.hpp>

#include <utility>
#include <vector>

#include <kube/json/value.hpp>
#include <kube/json/writer.hpp>
#include <kube/meta/errors.hpp>
#include <kube/meta/status.hpp>
#include <kube/transport/body_queue.hpp>
#include <kube/transport/no_waiting.hpp>
#include <kube/transport/url.hpp>

#include "media_type.hpp"
#include "request_attempts.hpp"

namespace kube {
namespace {

Result<RawWatchEvent> read_event(std::string_view bytes, Encoding encoding) {
  const Result<WatchEventParts> parts = read_watch_event(bytes, encoding);
  if (!parts) return parts.error();
  RawWatchEvent event;
  event.type = parts->type;
  event.object = parts->object;
  if (event.type == WatchEventType::Error) {
    const Result<json::Value> object = meta::read_status(event.object);
    if (!object) return object.error();
    event.error = meta::error_from_object(*object);
  }
  return event;
}

Result<void> check_head(const transport::ResponseHead& head) {
  if (head.status != 200) {
    return Error(ErrorCode::Server,
                 "expected a stream of events, got status: " + std::to_string(head.status))
        .with_http_status(head.status);
  }
  const Result<std::optional<Encoding>> encoding = encoding_of_stream(head.headers);
  if (!encoding) return encoding.error();
  return {};
}

bool ended_by_network(const Error& error) {
  return error.code() == ErrorCode::Unreachable || error.code() == ErrorCode::Timeout;
}

}  // namespace

// Shared by the exchange, which adds events, and the reader, which takes them.
class RawWatch::State final : public transport::ResponseHandler {
 public:
  explicit State(const Runtime& runtime) : body(runtime.clock()), logger_(runtime.logger) {}

  void on_head(transport::ResponseHead head) override {
    const auto named = encoding_of_stream(head.headers);
    encoding_ = named ? named->value_or(Encoding::Json) : Encoding::Json;
    const std::string_view type = head.headers.find("Content-Type").value_or("");
    if (const auto media = rest::parse_media_type(type); !type.empty() && !media) {
      KUBE_LOG(logger_, LogLevel::Warning, "rest", "the Content-Type of a watch is malformed",
               {"error", media.error().to_string()});
    }
    splitter_ = WatchSplitter::make(encoding_, [this](const BodyPart& event) -> Result<void> {
      if (!event.is_whole()) return too_large(event.size_bytes);
      events_.emplace_back(event.bytes);
      return {};
    });
    body.begin(std::move(head));
  }

  transport::Flow on_data(std::string_view chunk) override {
    auto fed = splitter_->feed(chunk);
    if (fed && splitter_->pending_bytes() > kMaxObjectBytes)
      fed = too_large(splitter_->pending_bytes());
    const transport::Flow flow = body.put(std::exchange(events_, {}));
    if (fed) return flow;
    body.end(fed.error());
    return transport::Flow::Pause;  // until the reader has cancelled
  }

  void on_end(Result<void> result) override {
    if (result && splitter_) result = splitter_->finish();
    body.end(std::move(result));
  }

  const std::shared_ptr<Logger>& logger() const { return logger_; }
  /// Requires the head.
  Encoding encoding() const { return encoding_; }

  transport::BodyQueue body;

 private:
  static Error too_large(std::uint64_t size) {
    return {ErrorCode::Decode, "object too large: an event of " + std::to_string(size) +
                                   " bytes, expected at most " + std::to_string(kMaxObjectBytes)};
  }

  const std::shared_ptr<Logger> logger_;

  // Used by the transport; the encoding is fixed after the head.
  std::unique_ptr<WatchSplitter> splitter_;
  std::vector<std::string> events_;  // of the chunk that is being split
  Encoding encoding_ = Encoding::Json;
};

Result<RawWatch> RawWatch::open(const RestClient& client, const Request& request,
                                std::stop_token stop) {
  const Runtime& runtime = client.runtime();
  const std::string doing = request.verb + " " + request.subject;
  if (const auto allowed = transport::may_wait(); !allowed) {
    return allowed.error().with_context(doing);
  }
  RequestAttempts attempts(client, request, RetryOn::LostOrTimeout);
  for (;;) {
    if (const auto ready = attempts.before(TimePoint::max(), stop); !ready) return ready.error();
    auto state = std::make_shared<State>(runtime);
    RawWatch watch(state, attempts.start(request, state, stop));
    const auto head = state->body.wait_for_head(stop);
    if (!head) {
      return Error(ErrorCode::Cancelled, "stopped while waiting for the watch to begin")
          .with_context(doing);
    }
    if (*head) {
      attempts.after(nullptr, (*head)->status);
      if (auto usable = check_head(**head); !usable) {
        return usable.error()
            .with_context(request.method + " " + transport::printable_url(client.url(request)))
            .with_context(doing);
      }
      return watch;
    }
    const Error& error = head->error();
    if (!attempts.after(&error, 0)) {
      const bool retryable = attempts.retries().is_retryable(error);
      if (ended_by_network(error) && retryable && !attempts.is_over()) return watch;
      return attempts.final_error(error);
    }
  }
}

RawWatch::RawWatch(std::shared_ptr<State> state, std::shared_ptr<transport::Exchange> exchange)
    : state_(std::move(state)), exchange_(std::move(exchange)) {}
RawWatch::RawWatch(RawWatch&&) noexcept = default;
RawWatch& RawWatch::operator=(RawWatch&& other) noexcept {
  if (this != &other) {
    stop();
    state_ = std::move(other.state_);
    exchange_ = std::move(other.exchange_);
  }
  return *this;
}
RawWatch::~RawWatch() {
  stop();
}

Optional<Result<RawWatchEvent>> RawWatch::next(std::stop_token stop) {
  auto taken = state_->body.take(std::move(stop));
  if (!taken) return Result<RawWatchEvent>(taken.error());
  if (taken->resume) exchange_->resume();
  if (taken->piece) {
    Result<RawWatchEvent> event = read_event(*taken->piece, state_->encoding());
    if (!event) return Result<RawWatchEvent>(give_up(event.error()));
    if (event->type == WatchEventType::Error) this->stop();
    return event;
  }
  if (!taken->end) {
    return Result<RawWatchEvent>(Error(ErrorCode::Cancelled, "stopped while waiting for an event"));
  }
  if (*taken->end) return std::nullopt;
  const Error& error = taken->end->error();
  if (ended_by_network(error)) {
    KUBE_LOG(state_->logger(), LogLevel::Debug, "rest", "watch broke off",
             {"error", error.to_string()});
    return std::nullopt;
  }
  if (error.code() == ErrorCode::Decode) return Result<RawWatchEvent>(give_up(error));
  return Result<RawWatchEvent>(error);
}

RawWatchEvent RawWatch::give_up(const Error& decode_error) {
  state_->body.end(decode_error);
  stop();
  RawWatchEvent event;
  event.error = meta::client_error(
      500, "GET", "ClientWatchDecoding",
      "unable to decode an event from the watch stream: " + decode_error.to_string());
  event.object = json::dump(meta::status_json(*event.error));
  return event;
}

void RawWatch::stop() {
  if (!state_) return;  // moved from
  state_->body.stop();
  exchange_->cancel();
}

Result<void> RawWatch::end_reason() const {
  return state_->body.end_reason();
}

}  // namespace kube

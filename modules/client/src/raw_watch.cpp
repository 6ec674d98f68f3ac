// SPDX-License-Identifier: Apache-2.0
#include <kube/client/raw_watch.hpp>

#include <deque>
#include <vector>

#include <kube/json/value.hpp>
#include <kube/json/writer.hpp>
#include <kube/meta/errors.hpp>
#include <kube/meta/watch_frames.hpp>

#include "envelope.hpp"
#include "json_frames.hpp"
#include "retry_policy.hpp"

namespace kube {
namespace {

// More than this in events that nobody has taken, and the server has to wait.
constexpr std::size_t max_buffered = std::size_t{1} << 20;

std::optional<WatchEventType> event_type(std::string_view text) {
  if (text == "ADDED") return WatchEventType::Added;
  if (text == "MODIFIED") return WatchEventType::Modified;
  if (text == "DELETED") return WatchEventType::Deleted;
  if (text == "BOOKMARK") return WatchEventType::Bookmark;
  if (text == "ERROR") return WatchEventType::Error;
  return std::nullopt;
}

Result<RawWatchEvent> read_event(std::string_view frame, Encoding encoding) {
  std::string type_text;
  RawWatchEvent event;
  if (encoding == Encoding::Protobuf) {
    const Result<meta::WatchEventView> view = meta::read_watch_event(frame);
    if (!view) return view.error();
    type_text = view->type;
    event.object = view->object;
  } else {
    const Result<EventParts> parts = split_event(frame);
    if (!parts) return parts.error();
    type_text = parts->type;
    event.object = parts->object;
  }
  const std::optional<WatchEventType> type = event_type(type_text);
  if (!type) return Error(ErrorCode::Decode, "got invalid watch event type: " + type_text);
  event.type = *type;
  if (event.type == WatchEventType::Error) {
    const Result<json::Value> object = meta::read_status(event.object);
    if (!object) return object.error();
    event.error = meta::error_from_object(*object);
  }
  return event;
}

// The Status that client-go makes up for a stream it can't read.
json::Value decode_failure(const std::string& problem) {
  const std::string text = "unable to decode an event from the watch stream: " + problem;
  std::string quoted;
  json::write_string(text, quoted);
  const auto cause = [&](const char* reason) {
    return json::Value(json::Object{{"reason", reason}, {"message", text}});
  };
  return json::Object{
      {"kind", "Status"},
      {"apiVersion", "v1"},
      {"metadata", json::Object{}},
      {"status", "Failure"},
      {"message",
       "an error on the server (" + quoted + ") has prevented the request from succeeding"},
      {"reason", "InternalError"},
      {"details", json::Object{{"causes", json::Array{cause("UnexpectedServerResponse"),
                                                      cause("ClientWatchDecoding")}}}},
      {"code", 500}};
}

Result<void> check_head(const transport::ResponseHead& head, const std::string& url) {
  if (head.status != 200) {
    return Error(ErrorCode::Server,
                 "for request " + url + ", got status: " + std::to_string(head.status))
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

std::string_view to_string(WatchEventType type) {
  switch (type) {
    case WatchEventType::Added:
      return "ADDED";
    case WatchEventType::Modified:
      return "MODIFIED";
    case WatchEventType::Deleted:
      return "DELETED";
    case WatchEventType::Bookmark:
      return "BOOKMARK";
    case WatchEventType::Error:
      return "ERROR";
  }
  return "ERROR";
}

// Shared by the exchange, which fills it, and the reader, who empties it.
class RawWatch::State final : public transport::ResponseHandler {
 public:
  explicit State(const Runtime& runtime) : clock_(runtime.clock()), logger_(runtime.logger) {}

  void on_head(transport::ResponseHead head) override {
    const auto named = encoding_of_stream(head.headers);
    encoding_ = named ? named->value_or(Encoding::Json) : Encoding::Json;
    {
      const MutexLock lock(mutex_);
      head_ = std::move(head);
    }
    changed_.notify_all();
  }

  transport::Flow on_data(std::string_view chunk) override {
    std::vector<std::string> frames;
    auto fed = encoding_ == Encoding::Protobuf ? feed_protobuf(chunk, frames)
                                               : frames_.feed(chunk, frames);
    transport::Flow flow = transport::Flow::Continue;
    {
      const MutexLock lock(mutex_);
      if (end_ || stopped_) return transport::Flow::Pause;  // until the reader has cancelled
      for (std::string& frame : frames) {
        buffered_ += frame.size();
        events_.push_back(std::move(frame));
      }
      if (!fed) end_ = fed.error();
      if (!fed || buffered_ > max_buffered) {
        paused_ = true;
        flow = transport::Flow::Pause;
      }
    }
    changed_.notify_all();
    return flow;
  }

  void on_end(Result<void> result) override {
    if (result && (frames_.inside_object() || !splitter_.finish())) {
      result = Error(ErrorCode::Unreachable, "the stream ended inside an event");
    }
    {
      const MutexLock lock(mutex_);
      if (!end_) end_ = std::move(result);
    }
    changed_.notify_all();
  }

  // The head of the answer, or why there is none; nothing when `stop` came first.
  std::optional<Result<transport::ResponseHead>> wait_for_head(std::stop_token stop) {
    MutexLock lock(mutex_);
    clock_->wait_until(lock, changed_, TimePoint::max(), std::move(stop),
                       [this]() KUBE_REQUIRES(mutex_) { return head_ || end_; });
    if (head_) return Result<transport::ResponseHead>(*head_);
    if (!end_) return std::nullopt;
    if (!*end_) return Result<transport::ResponseHead>(end_->error());
    return Result<transport::ResponseHead>(
        Error(ErrorCode::Unreachable, "the answer ended before it began"));
  }

  struct Taken {
    std::optional<std::string> frame{};  ///< An event ...
    std::optional<Result<void>> end{};   ///< ... or the end; neither: the caller's stop.
    bool resume = false;                 ///< The exchange may go on.
  };

  Taken take(std::stop_token stop) {
    MutexLock lock(mutex_);
    clock_->wait_until(lock, changed_, TimePoint::max(), std::move(stop),
                       [this]()
                           KUBE_REQUIRES(mutex_) { return stopped_ || !events_.empty() || end_; });
    Taken taken;
    if (stopped_) {
      taken.end.emplace();
    } else if (!events_.empty()) {
      taken.frame = std::move(events_.front());
      events_.pop_front();
      buffered_ -= taken.frame->size();
      if (paused_ && !end_ && buffered_ <= max_buffered / 2) {
        paused_ = false;
        taken.resume = true;
      }
    } else if (end_) {
      taken.end = *end_;
      stopped_ = true;
    }
    return taken;
  }

  // Nothing more is handed out.
  void stop() {
    {
      const MutexLock lock(mutex_);
      stopped_ = true;
      events_.clear();
      buffered_ = 0;
    }
    changed_.notify_all();
  }

  void end(Result<void> result) {
    const MutexLock lock(mutex_);
    if (!end_) end_ = std::move(result);
  }

  Result<void> end_reason() const {
    const MutexLock lock(mutex_);
    return end_ ? *end_ : Result<void>();
  }

  const std::shared_ptr<Logger>& logger() const { return logger_; }
  /// @pre the head is there
  Encoding encoding() const { return encoding_; }

 private:
  Result<void> feed_protobuf(std::string_view chunk, std::vector<std::string>& frames) {
    splitter_.feed(chunk);
    while (const auto frame = splitter_.next()) {
      if (!*frame) return frame->error();
      frames.emplace_back(**frame);
    }
    return {};
  }

  const std::shared_ptr<Clock> clock_;
  const std::shared_ptr<Logger> logger_;

  // The transport's; the encoding is fixed once the head is there.
  JsonFrames frames_;
  meta::FrameSplitter splitter_;
  Encoding encoding_ = Encoding::Json;

  mutable Mutex mutex_;
  CondVar changed_;
  std::optional<transport::ResponseHead> head_ KUBE_GUARDED_BY(mutex_);
  std::deque<std::string> events_ KUBE_GUARDED_BY(mutex_);
  std::size_t buffered_ KUBE_GUARDED_BY(mutex_) = 0;  // bytes in events_
  bool paused_ KUBE_GUARDED_BY(mutex_) = false;
  std::optional<Result<void>> end_ KUBE_GUARDED_BY(mutex_);
  bool stopped_ KUBE_GUARDED_BY(mutex_) = false;  // the reader is through
};

Result<RawWatch> RawWatch::open(const RestClient& client, const Request& request,
                                std::stop_token stop) {
  const Runtime& runtime = client.runtime();
  const std::string doing = request.verb + " " + request.subject;
  RetryPolicy policy(request.max_retries, RetryOn::LostOrTimeout);
  for (;;) {
    auto state = std::make_shared<State>(runtime);
    RawWatch watch(state, client.start(request, state, stop));
    const auto head = state->wait_for_head(stop);
    if (!head) {
      return Error(ErrorCode::Cancelled, "stopped while waiting for the watch to begin")
          .with_context(doing);
    }
    if (*head) {
      if (auto usable = check_head(**head, client.url(request)); !usable) {
        return usable.error().with_context(doing);
      }
      return watch;
    }
    const Error& error = head->error();
    const std::optional<Duration> delay = policy.next(error);
    if (!delay) {
      if (ended_by_network(error) && policy.is_retryable(error)) return watch;
      return policy.final_error(error);
    }
    const auto waited = wait_for_retry(*runtime.clock(), *delay, TimePoint::max(), stop);
    if (!waited) return policy.final_error(waited.error()).with_context(doing);
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

std::optional<Result<RawWatchEvent>> RawWatch::next(std::stop_token stop) {
  State::Taken taken = state_->take(std::move(stop));
  if (taken.resume) exchange_->resume();
  if (taken.frame) {
    Result<RawWatchEvent> event = read_event(*taken.frame, state_->encoding());
    if (!event) return Result<RawWatchEvent>(give_up(event.error()));
    if (event->type == WatchEventType::Error) this->stop();
    return event;
  }
  if (!taken.end) {
    return Result<RawWatchEvent>(Error(ErrorCode::Cancelled, "stopped while waiting for an event"));
  }
  if (*taken.end) return std::nullopt;
  const Error& error = taken.end->error();
  if (ended_by_network(error)) {
    KUBE_LOG(state_->logger(), LogLevel::Debug, "rest", "watch broke off",
             {"error", error.to_string()});
    return std::nullopt;
  }
  if (error.code() == ErrorCode::Decode) return Result<RawWatchEvent>(give_up(error));
  return Result<RawWatchEvent>(error);
}

RawWatchEvent RawWatch::give_up(const Error& decode_error) {
  state_->end(decode_error);
  stop();
  const json::Value status = decode_failure(decode_error.to_string());
  RawWatchEvent event;
  event.object = json::dump(status);
  event.error = meta::error_from_status(status);
  return event;
}

void RawWatch::stop() {
  if (!state_) return;  // moved from
  state_->stop();
  exchange_->cancel();
}

Result<void> RawWatch::end_reason() const {
  return state_->end_reason();
}

}  // namespace kube

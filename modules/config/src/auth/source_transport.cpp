// SPDX-License-Identifier: Apache-2.0
#include "source_transport.hpp"

#include <algorithm>
#include <atomic>
#include <optional>
#include <stop_token>
#include <utility>
#include <vector>

#include <kube/transport/exchange_failure.hpp>

namespace kube::rest {
namespace {

using transport::Exchange;
using transport::HttpRequest;
using transport::ResponseHandler;
using transport::RoundTripper;

// What the exchanges of one layer share.
struct SourceLayer {
  std::shared_ptr<CredentialSource> source;
  std::shared_ptr<SourceCertificates> certificates;
  RefreshContext context;
  std::weak_ptr<Executor> executor;
  std::shared_ptr<RoundTripper> base;
};

// Passes a response on and reports credentials that the server refuses.
class SourceRefusals final : public transport::ForwardingHandler {
 public:
  SourceRefusals(std::shared_ptr<const SourceLayer> layer, std::uint64_t generation,
                 std::shared_ptr<ResponseHandler> inner)
      : ForwardingHandler(std::move(inner)), layer_(std::move(layer)), generation_(generation) {}

  void on_head(transport::ResponseHead head) override {
    if (head.status == 401) layer_->source->refused(generation_, layer_->context);
    inner_->on_head(std::move(head));
  }

 private:
  const std::shared_ptr<const SourceLayer> layer_;
  const std::uint64_t generation_;
};

std::shared_ptr<Exchange> start_with(const std::shared_ptr<const SourceLayer>& layer,
                                     const Credentials& credentials, HttpRequest request,
                                     std::shared_ptr<ResponseHandler> handler,
                                     std::stop_token stop) {
  if (!credentials.token.empty()) {
    request.headers.set("Authorization", "Bearer " + credentials.token.reveal());
  }
  auto watched =
      std::make_shared<SourceRefusals>(layer, credentials.generation, std::move(handler));
  return layer->base->start(std::move(request), std::move(watched), std::move(stop));
}

// An exchange that begins when the source has credentials.
class WaitingExchange final : public Exchange,
                              public std::enable_shared_from_this<WaitingExchange> {
 public:
  WaitingExchange(std::shared_ptr<const SourceLayer> layer, HttpRequest request,
                  std::shared_ptr<ResponseHandler> handler, std::stop_token stop)
      : layer_(std::move(layer)),
        request_(std::move(request)),
        handler_(std::move(handler)),
        stop_(std::move(stop)),
        started_(layer_->context.clock->now()) {}

  // Waits for credentials of a later generation than `unusable`.
  void begin(std::uint64_t unusable) {
    const auto self = shared_from_this();
    const CredentialSource::Ticket ticket = layer_->source->refresh(
        unusable, layer_->context,
        [self](const Result<CredentialSource::Shared>& result) { self->ready(result); });
    Timer timer;
    if (const auto executor = layer_->executor.lock(); executor && request_timeout_) {
      timer = executor->submit_after(*request_timeout_, [weak = weak_from_this()] {
        if (const auto waiting = weak.lock()) waiting->give_up(ErrorCode::Timeout);
      });
    }
    bool cancelled = false;
    {
      const MutexLock lock(mutex_);
      ticket_ = ticket;
      if (state_ == State::Waiting) timer_ = std::move(timer);
      cancelled = cancelled_;
    }
    if (cancelled) give_up(ErrorCode::Cancelled);
    // A stop that was requested before runs the callback here.
    stop_callback_.emplace(stop_, CancelOnStop{weak_from_this()});
  }

  void resume() override {
    if (const auto inner = this->inner()) inner->resume();
  }

  // Under the lock, so that the order stays; the inner one only queues, too.
  void write(std::string bytes) override {
    const MutexLock lock(mutex_);
    if (inner_) {
      inner_->write(std::move(bytes));
    } else {
      unsent_.push_back(std::move(bytes));
    }
  }

  void cancel() override {
    std::shared_ptr<Exchange> inner;
    {
      const MutexLock lock(mutex_);
      cancelled_ = true;
      inner = inner_;
    }
    if (inner) {
      inner->cancel();
    } else {
      give_up(ErrorCode::Cancelled);
    }
  }

 private:
  enum class State { Waiting, Started };
  struct CancelOnStop {
    std::weak_ptr<WaitingExchange> exchange;
    void operator()() const {
      if (const auto waiting = exchange.lock()) waiting->cancel();
    }
  };

  std::shared_ptr<Exchange> inner() {
    const MutexLock lock(mutex_);
    return inner_;
  }

  // Ends the exchange if it has not begun: on the executor, because callers may hold a lock that
  // the handler needs.
  void give_up(ErrorCode code) {
    std::optional<CredentialSource::Ticket> ticket;
    {
      const MutexLock lock(mutex_);
      ticket = ticket_;
    }
    if (!ticket || !layer_->source->withdraw(*ticket)) return;
    const auto end = [self = shared_from_this(), code] {
      self->end(Error(code, code == ErrorCode::Timeout ? "the credentials were not there in time"
                                                       : "the request was cancelled")
                    .with_context(self->layer_->source->name()));
    };
    if (const auto executor = layer_->executor.lock()) {
      executor->submit(end);
    } else {
      end();
    }
  }

  void end(const Error& error) {
    take_timer();
    // How far a request to an identity provider had come says nothing about this one.
    handler_->on_end(
        transport::with_exchange_failure(error, transport::ExchangeFailure::NoCredentials)
            .with_context("getting credentials")
            .with_context(transport::printable_request(request_)));
    handler_.reset();
  }

  void take_timer() {
    Timer timer;
    const MutexLock lock(mutex_);
    timer = std::move(timer_);
    state_ = State::Started;
  }

  void ready(const Result<CredentialSource::Shared>& result) {
    take_timer();
    if (!result) return end(result.error());
    if (auto used = layer_->certificates->use(**result); !used) return end(used.error());
    if (request_.timeout) {
      const auto waited = std::chrono::duration_cast<std::chrono::milliseconds>(
          layer_->context.clock->now() - started_);
      *request_.timeout = std::max(*request_.timeout - waited, std::chrono::milliseconds(1));
    }
    std::shared_ptr<Exchange> inner =
        start_with(layer_, **result, std::move(request_), std::move(handler_), stop_);
    bool cancelled = false;
    {
      const MutexLock lock(mutex_);
      inner_ = inner;
      for (std::string& bytes : std::exchange(unsent_, {})) inner->write(std::move(bytes));
      cancelled = cancelled_;
    }
    if (cancelled) inner->cancel();
  }

  const std::shared_ptr<const SourceLayer> layer_;
  HttpRequest request_;
  std::shared_ptr<ResponseHandler> handler_;
  const std::stop_token stop_;
  const TimePoint started_;
  const std::optional<std::chrono::milliseconds> request_timeout_ = request_.timeout;

  Mutex mutex_;
  State state_ KUBE_GUARDED_BY(mutex_) = State::Waiting;
  std::optional<CredentialSource::Ticket> ticket_ KUBE_GUARDED_BY(mutex_);
  Timer timer_ KUBE_GUARDED_BY(mutex_);
  std::shared_ptr<Exchange> inner_ KUBE_GUARDED_BY(mutex_);
  std::vector<std::string> unsent_ KUBE_GUARDED_BY(mutex_);  // written before inner_ was there
  bool cancelled_ KUBE_GUARDED_BY(mutex_) = false;
  std::optional<std::stop_callback<CancelOnStop>> stop_callback_;
};

class SourceTransport final : public RoundTripper {
 public:
  explicit SourceTransport(SourceLayer layer)
      : layer_(std::make_shared<const SourceLayer>(std::move(layer))) {}

  std::shared_ptr<Exchange> start(HttpRequest request, std::shared_ptr<ResponseHandler> handler,
                                  std::stop_token stop) override {
    if (request.headers.find("Authorization")) {
      return layer_->base->start(std::move(request), std::move(handler), std::move(stop));
    }
    const auto credentials = layer_->source->current(layer_->context.clock->wall_now());
    if (credentials && layer_->certificates->use(*credentials)) {
      return start_with(layer_, *credentials, std::move(request), std::move(handler),
                        std::move(stop));
    }
    auto waiting = std::make_shared<WaitingExchange>(layer_, std::move(request), std::move(handler),
                                                     std::move(stop));
    waiting->begin(credentials ? credentials->generation : 0);
    return waiting;
  }

 private:
  const std::shared_ptr<const SourceLayer> layer_;
};

}  // namespace

Result<void> SourceCertificates::use(const Credentials& credentials) {
  const MutexLock lock(mutex_);
  if (credentials.generation <= generation_) return {};
  if (transports_.empty() && credentials.token.empty()) {
    return Error(ErrorCode::Credentials,
                 "the credentials are a client certificate, which this transport can't use");
  }
  // Another token replaces nothing: the files of the other settings are not read again for it.
  if (credentials.certificate != certificate_ || credentials.key != key_) {
    transport::TlsConfig tls = tls_;
    if (!credentials.certificate.empty()) {
      tls.certificate = {.data = credentials.certificate};
      tls.key = {.data = credentials.key};
    }
    for (const auto& transport : transports_) {
      if (auto replaced = transport->replace_tls(tls); !replaced) return replaced;
    }
    certificate_ = credentials.certificate;
    key_ = credentials.key;
  }
  generation_ = credentials.generation;
  return {};
}

std::shared_ptr<RoundTripper> with_credentials(std::shared_ptr<CredentialSource> source,
                                               std::shared_ptr<SourceCertificates> certificates,
                                               const Runtime& runtime,
                                               std::shared_ptr<RoundTripper> base) {
  return std::make_shared<SourceTransport>(SourceLayer{std::move(source), std::move(certificates),
                                                       RefreshContext(runtime), runtime.executor,
                                                       std::move(base)});
}

}  // namespace kube::rest

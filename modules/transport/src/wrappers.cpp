// SPDX-License-Identifier: Apache-2.0
#include <kube/transport/wrappers.hpp>

#include <algorithm>
#include <utility>

#include <kube/base/stop.hpp>

namespace kube::transport {
namespace {

class NoExchange final : public Exchange {
 public:
  void resume() override {}
  void cancel() override {}
};

// Reports the end of a stopped transport by its own error.
class StoppableHandler final : public ForwardingHandler {
 public:
  StoppableHandler(std::shared_ptr<ResponseHandler> inner, const std::stop_token& stop,
                   const std::stop_token& callers, Error error)
      : ForwardingHandler(std::move(inner)),
        stop_(stop),
        both_{stop, callers},
        error_(std::move(error)) {}

  std::stop_token token() const { return both_.token(); }
  void on_end(Result<void> result) override {
    const bool stopped =
        !result && result.error().code() == ErrorCode::Cancelled && stop_.stop_requested();
    inner_->on_end(stopped ? Result<void>(error_) : std::move(result));
  }

 private:
  const std::stop_token stop_;
  StopGroup both_;
  const Error error_;
};

class StoppableTransport final : public RoundTripper {
 public:
  StoppableTransport(std::shared_ptr<RoundTripper> inner, std::stop_token stop, Error error)
      : inner_(std::move(inner)), stop_(std::move(stop)), error_(std::move(error)) {}

  std::shared_ptr<Exchange> start(HttpRequest request, std::shared_ptr<ResponseHandler> handler,
                                  std::stop_token stop) override {
    if (stop_.stop_requested()) {
      handler->on_end(error_);
      return std::make_shared<NoExchange>();
    }
    auto reported = std::make_shared<StoppableHandler>(std::move(handler), stop_, stop, error_);
    const std::stop_token both = reported->token();
    return inner_->start(std::move(request), std::move(reported), both);
  }

 private:
  const std::shared_ptr<RoundTripper> inner_;
  const std::stop_token stop_;
  const Error error_;
};

// Sends watches by one transport and everything else by another.
class SeparateWatches final : public RoundTripper {
 public:
  SeparateWatches(std::shared_ptr<RoundTripper> watches, std::shared_ptr<RoundTripper> others)
      : watches_(std::move(watches)), others_(std::move(others)) {}

  std::shared_ptr<Exchange> start(HttpRequest request, std::shared_ptr<ResponseHandler> handler,
                                  std::stop_token stop) override {
    const auto& chosen = request.is_watch ? watches_ : others_;
    return chosen->start(std::move(request), std::move(handler), std::move(stop));
  }

 private:
  const std::shared_ptr<RoundTripper> watches_;
  const std::shared_ptr<RoundTripper> others_;
};

}  // namespace

std::shared_ptr<RoundTripper> separate_watches(std::shared_ptr<RoundTripper> watches,
                                               std::shared_ptr<RoundTripper> others) {
  return std::make_shared<SeparateWatches>(std::move(watches), std::move(others));
}

Wrapper wrappers(std::vector<Wrapper> list) {
  const std::size_t given = list.size();
  std::erase_if(list, [](const Wrapper& wrapper) { return !wrapper; });
  if (list.empty() && given > 1) return nullptr;
  return [list = std::move(list)](std::shared_ptr<RoundTripper> transport) {
    for (const Wrapper& wrapper : list) transport = wrapper(std::move(transport));
    return transport;
  };
}

Wrapper until_stopped(std::stop_token stop, Error error) {
  return
      [stop = std::move(stop), error = std::move(error)](std::shared_ptr<RoundTripper> transport) {
        return std::make_shared<StoppableTransport>(std::move(transport), stop, error);
      };
}

}  // namespace kube::transport

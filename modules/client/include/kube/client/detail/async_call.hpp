// SPDX-License-Identifier: Apache-2.0
//
// A call of an Api<T> that nobody waits for: the part of AsyncApi<T> that does not depend on T.
#pragma once

#include <memory>
#include <optional>
#include <stop_token>
#include <type_traits>
#include <utility>

#include <kube/base/caught.hpp>
#include <kube/base/executor.hpp>
#include <kube/base/result.hpp>
#include <kube/client/raw_api.hpp>
#include <kube/client/rest_client.hpp>

namespace kube::detail {

// Runs a verb of RawApi whose requests are answered by what has come so far. Where an answer is
// missing, its request is sent, and the verb runs again when the answer is there. So the verbs are
// the same as those that wait: what a server refuses in protobuf is sent again in JSON.
//
// It holds no client: an exchange must not keep alive the connections that it runs on.
class AsyncCall : public std::enable_shared_from_this<AsyncCall> {
 public:
  AsyncCall(const RawApi& api, std::stop_token stop);
  virtual ~AsyncCall();
  AsyncCall(const AsyncCall&) = delete;
  AsyncCall& operator=(const AsyncCall&) = delete;

  // Sends the first request. The callback is not called inside, unless the executor has stopped.
  void begin();

 protected:
  // Runs the verb and keeps its result.
  virtual void run(const RawApi& api) = 0;
  // Calls the callback with that result, or with the error.
  virtual void deliver() = 0;
  virtual void deliver(const Error& error) = 0;

 private:
  class Receiver;
  // Runs the verb. Returns whether its result is there; else a request is on its way.
  bool advance();
  void end();
  void start(const RestClient& client, Request request);

  RawApi api_;  // without its client
  std::weak_ptr<RestClient::Impl> client_;
  const std::shared_ptr<Executor> executor_;
  const std::stop_token stop_;
  // Used by one thread at a time: first that of begin(), then by tasks of the executor.
  const std::shared_ptr<AsyncAnswers> answers_;
  std::optional<Error> failure_;
};

// `verb` (RawApi) -> Result<...>, `callback` (that).
template <class Verb, class Done>
class AsyncCallOf final : public AsyncCall {
 public:
  AsyncCallOf(const RawApi& api, Verb verb, Done callback, std::stop_token stop)
      : AsyncCall(api, std::move(stop)), verb_(std::move(verb)), callback_(std::move(callback)) {}
  ~AsyncCallOf() override {
    if (!callback_) return;
    // The executor has dropped the task. What the callback throws has no place to go.
    static_cast<void>(caught(
        [this] { deliver(Error(ErrorCode::Cancelled, "the client's executor has stopped")); }));
  }

 private:
  using Returned = std::invoke_result_t<Verb&, const RawApi&>;

  void run(const RawApi& api) override { result_.emplace(verb_(api)); }
  void deliver() override { take_callback()(*std::move(result_)); }
  void deliver(const Error& error) override { take_callback()(Returned(error)); }
  Done take_callback() {
    Done callback = *std::move(callback_);
    callback_.reset();
    return callback;
  }

  Verb verb_;
  std::optional<Done> callback_;
  std::optional<Returned> result_;
};

}  // namespace kube::detail

// SPDX-License-Identifier: Apache-2.0
//
// A call of an Api<T> that nobody waits for: the part of AsyncApi<T> that does not depend on T.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include <kube/base/caught.hpp>
#include <kube/base/executor.hpp>
#include <kube/base/result.hpp>
#include <kube/base/stop.hpp>
#include <kube/client/raw_api.hpp>
#include <kube/client/rest_client.hpp>
#include <kube/transport/round_tripper.hpp>

namespace kube::detail {

// Runs a verb of RawApi whose requests are answered by what has come so far. Where an answer is
// missing, its request is sent, and the verb runs again when the answer is there. So the verbs are
// the same as those that wait: what a server refuses in protobuf is sent again in JSON.
//
// It holds no client: an exchange must not keep alive the connections that it runs on.
class AsyncCall : public std::enable_shared_from_this<AsyncCall> {
 public:
  AsyncCall(const RawApi& api, const std::stop_token& stop);
  virtual ~AsyncCall();
  AsyncCall(const AsyncCall&) = delete;
  AsyncCall& operator=(const AsyncCall&) = delete;

  // Sends the first request. The callback is not called inside.
  void begin();
  // For RawApi: returns the answer, or an error without one, and then the verb runs again.
  Result<transport::HttpResponse> answer_to(const Request& request);

 protected:
  // Runs the verb and keeps its result.
  virtual void run(const RawApi& api) = 0;
  // Calls the callback with that result, or with the error.
  virtual void deliver() = 0;
  virtual void deliver(const Error& error) = 0;

 private:
  class Receiver;
  struct Answer {
    std::string target;  // of its request: method, path and query
    std::string encodings;
    Result<transport::HttpResponse> response;
  };
  // Runs the verb. Returns whether its result is there; else a request is on its way.
  bool advance();
  void end();
  void start(const RestClient& client, Request request);

  RawApi api_;  // without its client
  std::weak_ptr<RestClient::Impl> client_;
  const std::shared_ptr<Executor> executor_;
  StopGroup stop_;
  // Used by one thread at a time: first that of begin(), then by tasks of the executor.
  std::vector<Answer> answers_;
  std::optional<Request> missing_;
  std::optional<Error> gone_;
};

// `verb` (RawApi) -> Returned, `callback` (Returned).
template <class Returned>
class AsyncCallOf final : public AsyncCall {
 public:
  AsyncCallOf(const RawApi& api, std::function<Returned(const RawApi&)> verb,
              std::function<void(Returned)> callback, const std::stop_token& stop)
      : AsyncCall(api, stop), verb_(std::move(verb)), callback_(std::move(callback)) {}
  ~AsyncCallOf() override {
    if (!callback_) return;
    // The executor has dropped the task. What the callback throws has no place to go.
    static_cast<void>(caught(
        [this] { deliver(Error(ErrorCode::Cancelled, "the client's executor has stopped")); }));
  }

 private:
  void run(const RawApi& api) override { result_ = verb_(api); }
  void deliver() override { std::exchange(callback_, nullptr)(*std::move(result_)); }
  void deliver(const Error& error) override { std::exchange(callback_, nullptr)(error); }

  const std::function<Returned(const RawApi&)> verb_;
  std::function<void(Returned)> callback_;
  std::optional<Returned> result_;
};

}  // namespace kube::detail

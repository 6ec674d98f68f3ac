// SPDX-License-Identifier: Apache-2.0
//
// kube::AsyncApi<T>: the verbs of an Api<T> for programs whose threads may not wait, with a
// callback for the result.
//
//   pods.async().get("front-0", [](const Result<Pod>& pod) {
//     if (!pod) return log_error(pod.error());
//     std::cout << pod->status.phase << "\n";
//   });
#pragma once

#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <type_traits>
#include <utility>

#include <kube/base/result.hpp>
#include <kube/client/api.hpp>
#include <kube/client/detail/async_call.hpp>
#include <kube/client/list.hpp>
#include <kube/json/value.hpp>
#include <kube/meta/options.hpp>
#include <kube/patch/patch.hpp>

namespace kube {

/// A cheap handle, made by Api<T>::async(). Its functions return at once.
///
/// @par Callback   Is called exactly once, never inside the function that it was passed to, on
///   Runtime::handlers (the client's executor without those), where it may block, as event handlers
///   may. Calls of several callbacks may come at the same time and in any order. What it throws is
///   logged by the executor. A call keeps its callback alive, but not the client: when the last
///   handle of the client is destroyed, each call that is under way gets Cancelled. After the
///   executor was stopped, it gets Cancelled too, on the thread that finds that out.
/// @par Stopping   A request on `stop` ends the call with Cancelled; a write may have been carried
///   out. request_stop() does not wait for the callback.
/// @par Thread safety   All functions may be called from any thread, also in response handlers and
///   callbacks.
/// @par Errors   Those of the Api<T>'s function of the same name. One attempt is made, as by
///   RestClient::start(): without retries, Retry-After delays, and the client's own rate limit. The
///   limit of Api<T>::within() applies, and so do rest::Config::timeout and idle_timeout.
/// @par Cost   As the Api<T>'s function; a refusal of protobuf costs another encoding.
template <ApiObject T>
class AsyncApi {
 public:
  template <class Value>
  using Callback = std::function<void(Result<Value>)>;

  explicit AsyncApi(Api<T> api) : api_(std::move(api)) {}

  /// Calls any function of the Api<T> that sends one request:
  /// `call([](const Api<Pod>& api) { return api.get_subresource<Scale>("a", "scale"); }, done)`.
  /// `verb` (const Api<T>&) -> Result<...> may run several times, and has to do the same each time.
  template <class Verb, class Done>
  void call(Verb verb, Done callback, std::stop_token stop = {}) const {
    using Returned = std::invoke_result_t<Verb&, const Api<T>&>;
    std::make_shared<detail::AsyncCallOf<Returned>>(
        api_.raw(), [verb](const RawApi& raw) { return verb(Api<T>(raw)); }, std::move(callback),
        stop)
        ->begin();
  }

  void get(std::string name, Callback<T> callback, std::stop_token stop = {}) const {
    call([name](const Api<T>& api) { return api.get(name); }, std::move(callback), std::move(stop));
  }
  void list(ListOptions options, Callback<List<T>> callback, std::stop_token stop = {}) const {
    call([options](const Api<T>& api) { return api.list(options); }, std::move(callback),
         std::move(stop));
  }
  void create(T object, Callback<T> callback, std::stop_token stop = {}) const {
    call([object](const Api<T>& api) { return api.create(object); }, std::move(callback),
         std::move(stop));
  }
  void update(T object, Callback<T> callback, std::stop_token stop = {}) const {
    call([object](const Api<T>& api) { return api.update(object); }, std::move(callback),
         std::move(stop));
  }
  void update_status(T object, Callback<T> callback, std::stop_token stop = {}) const {
    call([object](const Api<T>& api) { return api.update_status(object); }, std::move(callback),
         std::move(stop));
  }
  void patch(std::string name, Result<Patch> patch, Callback<T> callback,
             std::stop_token stop = {}) const {
    call([name, patch](const Api<T>& api) { return api.patch(name, patch); }, std::move(callback),
         std::move(stop));
  }
  void apply(json::Value document, ApplyOptions options, Callback<T> callback,
             std::stop_token stop = {}) const {
    call([document, options](const Api<T>& api) { return api.apply(document, options); },
         std::move(callback), std::move(stop));
  }
  void delete_(std::string name, Callback<DeleteResult<T>> callback,
               std::stop_token stop = {}) const {
    call([name](const Api<T>& api) { return api.delete_(name); }, std::move(callback),
         std::move(stop));
  }
  void delete_collection(ListOptions selected, Callback<List<T>> callback,
                         std::stop_token stop = {}) const {
    call([selected](const Api<T>& api) { return api.delete_collection({}, selected); },
         std::move(callback), std::move(stop));
  }
  void set_label(std::string name, std::string key, std::string value, Callback<T> callback,
                 std::stop_token stop = {}) const {
    call([name, key, value](const Api<T>& api) { return api.set_label(name, key, value); },
         std::move(callback), std::move(stop));
  }

  friend bool operator==(const AsyncApi&, const AsyncApi&) = default;

 private:
  Api<T> api_;
};

template <ApiObject T>
AsyncApi<T> Api<T>::async() const {
  return AsyncApi<T>(*this);
}

}  // namespace kube

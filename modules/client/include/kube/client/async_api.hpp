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

#include <concepts>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include <kube/base/mistake.hpp>
#include <kube/base/result.hpp>
#include <kube/client/api.hpp>
#include <kube/client/detail/async_call.hpp>
#include <kube/client/list.hpp>
#include <kube/json/value.hpp>
#include <kube/meta/options.hpp>
#include <kube/patch/patch.hpp>

namespace kube {

/// A function that takes a Result<Value>; it need not be copyable.
template <class F, class Value>
concept CallbackFor = std::invocable<F&, Result<Value>>;

/// A cheap handle, made by Api<T>::async(). Its functions return at once; their arguments are those
/// of the Api<T>'s functions, with the callback before the options.
///
/// @par Callback   Is called exactly once, never inside the function that it was passed to, on
///   Runtime::handlers (the client's executor without those), where it may block, as event handlers
///   may. Calls of several callbacks may come at the same time and in any order. What it throws is
///   logged by the executor. A call keeps its callback alive, but not the client: when the last
///   handle of the client is destroyed, each call that is under way gets Cancelled. After that
///   executor was stopped, the callback gets Cancelled on the thread that finds out: it may then be
///   called inside the function that it was passed to, or where it may not block.
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
  explicit AsyncApi(Api<T> api) : api_(std::move(api)) {}

  /// Calls a function of the Api<T> that has no namesake here:
  /// `call([](const Api<Pod>& api) { return api.get_subresource<Scale>("a", "scale"); }, done)`.
  /// `verb` (const Api<T>&) -> Result<...> runs from its beginning once more with each response
  /// that comes, has to send the same requests each time, and may use the Api<T> until it returns.
  /// It gets InvalidArgument from whatever waits otherwise: watches, logs, list_all() and
  /// for_each() (list() without a limit returns all objects), and calls of another client.
  /// @par Errors   Also InvalidArgument when `verb` sends other requests than before, and Internal
  ///   when it throws.
  template <class Verb,
            CallbackFor<typename std::invoke_result_t<Verb&, const Api<T>&>::value_type> Done>
  void call(Verb verb, Done callback, std::stop_token stop = {}) const {
    auto raw_verb = [verb = std::move(verb)](const RawApi& raw) mutable {
      return verb(Api<T>(raw));
    };
    std::make_shared<detail::AsyncCallOf<decltype(raw_verb), Done>>(
        api_.raw(), std::move(raw_verb), std::move(callback), std::move(stop))
        ->begin();
  }

  void get(std::string name, CallbackFor<T> auto callback, GetOptions options = {},
           std::stop_token stop = {}) const {
    call([=](const Api<T>& api) { return api.get(name, options); }, std::move(callback),
         std::move(stop));
  }
  void list(CallbackFor<List<T>> auto callback, ListOptions options = {},
            std::stop_token stop = {}) const {
    call([=](const Api<T>& api) { return api.list(options); }, std::move(callback),
         std::move(stop));
  }
  void create(T object, CallbackFor<T> auto callback, CreateOptions options = {},
              std::stop_token stop = {}) const {
    call([=](const Api<T>& api) { return api.create(object, options); }, std::move(callback),
         std::move(stop));
  }
  void update(T object, CallbackFor<T> auto callback, UpdateOptions options = {},
              std::stop_token stop = {}) const {
    call([=](const Api<T>& api) { return api.update(object, options); }, std::move(callback),
         std::move(stop));
  }
  void update_status(T object, CallbackFor<T> auto callback, UpdateOptions options = {},
                     std::stop_token stop = {}) const {
    call([=](const Api<T>& api) { return api.update_status(object, options); }, std::move(callback),
         std::move(stop));
  }
  void patch(std::string name, Result<Patch> patch, CallbackFor<T> auto callback,
             PatchOptions options = {}, std::stop_token stop = {}) const {
    call([=](const Api<T>& api) { return api.patch(name, patch, options); }, std::move(callback),
         std::move(stop));
  }
  void apply(json::Value document, ApplyOptions options, CallbackFor<T> auto callback,
             std::stop_token stop = {}) const {
    call([=](const Api<T>& api) { return api.apply(document, options); }, std::move(callback),
         std::move(stop));
  }
  void delete_(std::string name, CallbackFor<DeleteResult<T>> auto callback,
               DeleteOptions options = {}, std::stop_token stop = {}) const {
    call([=](const Api<T>& api) { return api.delete_(name, options); }, std::move(callback),
         std::move(stop));
  }
  void delete_collection(CallbackFor<List<T>> auto callback, DeleteOptions options = {},
                         ListOptions list = {}, std::stop_token stop = {}) const {
    call([=](const Api<T>& api) { return api.delete_collection(options, list); },
         std::move(callback), std::move(stop));
  }
  void set_label(std::string name, std::string key, std::string value, CallbackFor<T> auto callback,
                 PatchOptions options = {}, std::stop_token stop = {}) const {
    call([=](const Api<T>& api) { return api.set_label(name, key, value, options); },
         std::move(callback), std::move(stop));
  }
  void remove_label(std::string name, std::string key, CallbackFor<T> auto callback,
                    PatchOptions options = {}, std::stop_token stop = {}) const {
    call([=](const Api<T>& api) { return api.remove_label(name, key, options); },
         std::move(callback), std::move(stop));
  }
  void set_annotation(std::string name, std::string key, std::string value,
                      CallbackFor<T> auto callback, PatchOptions options = {},
                      std::stop_token stop = {}) const {
    call([=](const Api<T>& api) { return api.set_annotation(name, key, value, options); },
         std::move(callback), std::move(stop));
  }
  void remove_annotation(std::string name, std::string key, CallbackFor<T> auto callback,
                         PatchOptions options = {}, std::stop_token stop = {}) const {
    call([=](const Api<T>& api) { return api.remove_annotation(name, key, options); },
         std::move(callback), std::move(stop));
  }

  friend bool operator==(const AsyncApi&, const AsyncApi&) = default;

  // What users of futures write first.
  KUBE_MISTAKE("get(name, [](const Result<T>& object) {...}): nothing is returned", Result<T>,
               get(std::string_view) const);
  KUBE_MISTAKE("list([](const Result<List<T>>& list) {...}): nothing is returned", Result<List<T>>,
               list() const);

 private:
  Api<T> api_;
};

template <ApiObject T>
AsyncApi<T> Api<T>::async() const {
  return AsyncApi<T>(*this);
}

}  // namespace kube

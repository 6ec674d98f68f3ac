// SPDX-License-Identifier: Apache-2.0
//
// kube::SharedInformerFactory: one informer for each resource and filter of a program, shared by
// all callers, started and stopped together.
//
//   kube::SharedInformerFactory factory(client.rest());
//   auto pods = factory.informer<Pod>();  // every caller gets the same informer
//   auto registration = pods->add_event_handler(handler);
//   factory.start(stop);
//   if (!factory.wait_for_cache_sync(stop)) return 1;
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <typeindex>
#include <utility>
#include <vector>

#include <kube/base/result.hpp>
#include <kube/cache/shared_informer.hpp>

namespace kube {

/// Reports which informers have synced.
/// @par Thread safety   A value.
struct SyncResult {
  /// The started informers ("pods", "deployments.apps in web"), in the order of their creation.
  std::vector<std::pair<std::string, bool>> synced{};

  /// Whether all have synced. True also when none was started.
  explicit operator bool() const;
  /// @par Errors   Cancelled, with the sorted names of the informers that have not synced.
  Result<void> as_result() const;
};

/// Makes, shares, starts and stops the informers of a program.
///
/// @par Thread safety   All functions may be called from any thread.
/// @par Ownership   The factory and its callers share the informers. After shutdown() they no
///   longer run; their stores stay readable.
/// @par Stopped informers   Informers can't be started again. Once an informer is stopped, by the
///   token of start() or by a caller, the factory makes a new one for the next caller, which the
///   next start() starts. Callers that have the old one keep it, and add their handlers to the new
///   one themselves. After shutdown() the factory returns stopped informers: waiting for them
///   returns false, and start() fails.
class SharedInformerFactory {
 public:
  /// `defaults`: the options of informers that are requested without options.
  explicit SharedInformerFactory(RestClient client, InformerOptions defaults = {});
  ~SharedInformerFactory();  ///< Calls shutdown().
  SharedInformerFactory(const SharedInformerFactory&) = delete;
  SharedInformerFactory& operator=(const SharedInformerFactory&) = delete;

  /// Returns the informer of a type; makes one when there is none, or only a stopped one. start()
  /// starts it.
  template <Described T>
  std::shared_ptr<SharedInformer<T>> informer() {
    return get<T>(meta::resource_of<T>(), std::nullopt);
  }
  /// Returns an informer with options. Informers that differ in namespace or selectors are
  /// different informers. The first caller decides the other options; a warning is logged when a
  /// later caller requests different ones.
  template <Described T>
  std::shared_ptr<SharedInformer<T>> informer(InformerOptions options) {
    return get<T>(meta::resource_of<T>(), std::move(options));
  }
  /// Returns the informer of any resource, with untyped objects.
  std::shared_ptr<SharedInformer<Unstructured>> for_resource(const meta::ResourceInfo& resource) {
    return get<Unstructured>(resource, std::nullopt);
  }
  std::shared_ptr<SharedInformer<Unstructured>> for_resource(const meta::ResourceInfo& resource,
                                                             InformerOptions options) {
    return get<Unstructured>(resource, std::move(options));
  }

  /// Starts every informer that is not started; call it again after requesting more. Each informer
  /// stops when the token of the call that started it is requested. An informer that was stopped
  /// before its start is logged. After shutdown() it does nothing but log a warning.
  void start(std::stop_token stop = {});

  /// Waits for the informers that are started; logs the others, once.
  /// @par Blocks   Until each of them has synced or stopped, or `stop` is requested.
  SyncResult wait_for_cache_sync(std::stop_token stop) const;

  /// Stops all informers; no informer starts after it. May be called repeatedly.
  /// @par Blocks   As SharedInformer::stop_and_wait() of each informer.
  void shutdown();

 private:
  struct Impl;
  struct Key {
    std::type_index type;
    meta::ResourceInfo resource;
    std::string namespace_;
    std::string label_selector;
    std::string field_selector;
    bool operator==(const Key&) const = default;
  };
  /// The functions of an informer of any type.
  struct Handle {
    std::shared_ptr<void> informer{};
    std::function<Result<void>()> start{};
    std::function<void()> stop{};
    std::function<void()> stop_and_wait{};
    std::function<bool(std::stop_token)> wait_for_sync{};
    std::function<bool()> is_stopped{};
  };

  /// Without options: uses the options of the factory, or of the informer that exists.
  template <Object T>
  std::shared_ptr<SharedInformer<T>> get(const meta::ResourceInfo& resource,
                                         const std::optional<InformerOptions>& asked) {
    const InformerOptions& options = asked ? *asked : defaults_;
    Key key{typeid(T), resource, options.namespace_, options.label_selector,
            options.field_selector};
    const auto make = [&] {
      auto made = std::make_shared<SharedInformer<T>>(client_, resource, options);
      return Handle{made,
                    [made = made.get()] { return made->start(); },
                    [made = made.get()] { made->stop(); },
                    [made = made.get()] { made->stop_and_wait(); },
                    [made = made.get()](std::stop_token stop) {
                      return made->wait_for_sync(std::move(stop));
                    },
                    [made = made.get()] { return made->is_stopped(); }};
    };
    return std::static_pointer_cast<SharedInformer<T>>(
        find_or_make(std::move(key), options, make, asked.has_value()));
  }
  /// `insists`: whether to warn when the informer that exists has other options.
  std::shared_ptr<void> find_or_make(Key key, const InformerOptions& options,
                                     const std::function<Handle()>& make, bool insists);

  RestClient client_;
  InformerOptions defaults_;
  std::unique_ptr<Impl> impl_;
};

}  // namespace kube

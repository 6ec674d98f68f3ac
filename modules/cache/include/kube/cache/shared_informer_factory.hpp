// SPDX-License-Identifier: Apache-2.0
//
// kube::SharedInformerFactory: one informer for each resource and filter of a program, shared by
// everybody who asks for it, started and stopped together.
//
//   kube::SharedInformerFactory factory(client.rest());
//   auto pods = factory.informer<Pod>();  // the same informer for all who ask
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

/// Which informers have synced.
struct SyncResult {
  /// "pods", "deployments.apps in web": the started informers, in the order in which they were
  /// made.
  std::vector<std::pair<std::string, bool>> synced{};

  /// All have. True also when none was started.
  explicit operator bool() const;
  /// An error that lists, sorted, those that have not.
  Result<void> as_result() const;
};

/// @par Thread safety   All functions may be called from any thread.
/// @par Ownership   The factory and those who asked share an informer. After shutdown() it runs for
///   nobody; its store stays readable.
/// @par Stopped informers   Informers don't start again. Once one has been stopped, by the token of
///   start() or by anybody who has it, the factory makes a new one for the next who asks, which the
///   next start() starts; those who have the old one keep it, and register their handlers anew at
///   the new one. After shutdown() what is handed out has been stopped: waiting for it returns
///   false and start() is an error.
class SharedInformerFactory {
 public:
  /// `defaults`: of the informers that are asked for without options of their own.
  explicit SharedInformerFactory(RestClient client, InformerOptions defaults = {});
  ~SharedInformerFactory();  ///< shutdown().
  SharedInformerFactory(const SharedInformerFactory&) = delete;
  SharedInformerFactory& operator=(const SharedInformerFactory&) = delete;

  /// The informer of a type, made now if there is none that has not been stopped. Not started:
  /// start() does that.
  template <Described T>
  std::shared_ptr<SharedInformer<T>> informer() {
    return get<T>(meta::resource_of<T>(), std::nullopt);
  }
  /// One with options. Informers that differ in namespace or selectors are different informers; the
  /// other options count for the one who asks first, and a warning is logged when one who comes
  /// later asks for others.
  template <Described T>
  std::shared_ptr<SharedInformer<T>> informer(InformerOptions options) {
    return get<T>(meta::resource_of<T>(), std::move(options));
  }
  /// Any resource, as documents.
  std::shared_ptr<SharedInformer<Unstructured>> for_resource(const meta::ResourceInfo& resource) {
    return get<Unstructured>(resource, std::nullopt);
  }
  std::shared_ptr<SharedInformer<Unstructured>> for_resource(const meta::ResourceInfo& resource,
                                                             InformerOptions options) {
    return get<Unstructured>(resource, std::move(options));
  }

  /// Starts every informer that is not started. To be called again when more were asked for; each
  /// stops when the token of the call that started it says so. One that can't start, as somebody
  /// has stopped it, is logged. Nothing happens after shutdown(), but for a warning in the log.
  void start(std::stop_token stop = {});

  /// Waits for the informers started so far. Those that are not are logged, once.
  /// @par Blocks   Until all have synced, or stop was requested, or the others have stopped.
  SyncResult wait_for_cache_sync(std::stop_token stop) const;

  /// Stops all informers; none starts any more. May be called repeatedly.
  /// @par Blocks   As SharedInformer::stop_and_wait() of each.
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
  /// What the factory does with an informer of any type.
  struct Handle {
    std::shared_ptr<void> informer{};
    std::function<Result<void>()> start{};
    std::function<void()> stop{};
    std::function<void()> stop_and_wait{};
    std::function<bool(std::stop_token)> wait_for_sync{};
    std::function<bool()> is_stopped{};
  };

  /// Without options: those of the factory, or whatever those who asked before wanted.
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
  /// `insists`: on the options, if there is one already.
  std::shared_ptr<void> find_or_make(Key key, const InformerOptions& options,
                                     const std::function<Handle()>& make, bool insists);

  RestClient client_;
  InformerOptions defaults_;
  std::unique_ptr<Impl> impl_;
};

}  // namespace kube

// SPDX-License-Identifier: Apache-2.0
//
// kube::MultiNamespaceInformer<T>: the informers of several namespaces as one, for programs that
// may read some namespaces and not the whole cluster.
//
//   MultiNamespaceInformer<Pod> pods(client.rest(), {"web", "jobs"});
//   auto registration = pods.add_event_handler(handler);
//   if (auto started = pods.start(); !started) return 1;
//   if (!pods.wait_for_sync(stop)) return 1;
//   for (const auto& pod : pods.lister().list()) use(pod.key());  // of both namespaces
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <kube/base/result.hpp>
#include <kube/cache/informer_health.hpp>
#include <kube/cache/multi_namespace_lister.hpp>
#include <kube/cache/shared_informer.hpp>
#include <kube/cache/sync_wait.hpp>

namespace kube {

/// The registration of one handler at several informers. Movable; the destructor calls
/// unregister_and_wait().
/// @par Thread safety   All functions may be called from any thread, the handler's own included.
class MultiHandlerRegistration {
 public:
  MultiHandlerRegistration() = default;  ///< Registers nothing.
  MultiHandlerRegistration(MultiHandlerRegistration&&) noexcept = default;
  MultiHandlerRegistration& operator=(MultiHandlerRegistration&& other) noexcept {
    if (this == &other) return *this;
    unregister_and_wait();
    parts_ = std::move(other.parts_);
    return *this;
  }
  ~MultiHandlerRegistration() { unregister_and_wait(); }

  /// As those of HandlerRegistration, for all informers.
  void unregister() {
    for (HandlerRegistration& part : all()) part.unregister();
  }
  /// @par Blocks   As HandlerRegistration::unregister_and_wait() of each.
  void unregister_and_wait() {
    unregister();  // all at once, before one after the other is waited for
    for (HandlerRegistration& part : all()) part.unregister_and_wait();
  }
  /// Whether the handler has received the initial state of all namespaces.
  bool has_synced() const {
    return std::ranges::all_of(all(),
                               [](const HandlerRegistration& part) { return part.has_synced(); });
  }
  /// @par Blocks   Until has_synced() (true); or until `stop` is requested, the handler is
  ///   unregistered or an informer stops (false), at the latest when the handler has received the
  ///   initial state of the namespaces before that one, in their order.
  bool wait_for_sync(std::stop_token stop = {}) const {
    return std::ranges::all_of(
        all(), [&](const HandlerRegistration& part) { return part.wait_for_sync(stop); });
  }
  /// Returns the sums over all informers; of the lag, the longest; `merges` and `fell_behind`, when
  /// one does.
  HandlerStatus status() const {
    HandlerStatus sum;
    sum.synced = true;
    for (const HandlerRegistration& part : all()) {
      const HandlerStatus one = part.status();
      if (sum.name.empty()) sum.name = one.name;
      sum.synced = sum.synced && one.synced;
      sum.pending += one.pending;
      sum.delivered += one.delivered;
      sum.failures += one.failures;
      sum.lag = std::max(sum.lag, one.lag);
      sum.fell_behind = sum.fell_behind || one.fell_behind;
      sum.merges = sum.merges || one.merges;
      sum.merged += one.merged;
      sum.overflows += one.overflows;
    }
    return sum;
  }

 private:
  template <Object T>
  friend class MultiNamespaceInformer;

  /// Shared with the handlers of all informers, so that one that falls behind ends the others.
  struct Parts {
    std::vector<HandlerRegistration> all{};
    std::atomic<bool> complete{false};  ///< `all` changes no more.
    std::atomic<bool> ended{false};

    /// One has fallen behind. Returns whether it is the first one.
    bool end() {
      const bool first = !ended.exchange(true);
      if (complete.load()) end_others();
      return first;
    }
    void complete_it() {
      complete.store(true);
      if (ended.load()) end_others();
    }
    void end_others() {
      for (HandlerRegistration& part : all) {
        if (!part.status().fell_behind) part.unregister();  // the others keep saying so
      }
    }
  };
  explicit MultiHandlerRegistration(std::shared_ptr<Parts> parts) : parts_(std::move(parts)) {}

  std::span<HandlerRegistration> all() const {
    return parts_ ? std::span<HandlerRegistration>(parts_->all) : std::span<HandlerRegistration>();
  }

  std::shared_ptr<Parts> parts_;
};

/// A cheap handle: copies are the same informers, which stop with the last handle (or by stop(), or
/// with the factory that made them).
///
/// What SharedInformer promises holds for each namespace. Over all of them: has_synced() is true
/// when all have synced; the events of one object, and of all objects of a namespace, are in order;
/// those of different namespaces come in any order, and **calls of a handler for objects of
/// different namespaces may run at the same time**, as if it had been added to several informers,
/// which it has.
///
/// @par Thread safety   All functions may be called from any thread.
template <Object T>
class MultiNamespaceInformer {
 public:
  using Informers = std::map<std::string, std::shared_ptr<SharedInformer<T>>, std::less<>>;

  /// `namespaces`: none, or one of them "", is all namespaces: one informer.
  /// InformerOptions::namespace_ is not used.
  MultiNamespaceInformer(const RestClient& client, const std::vector<std::string>& namespaces,
                         const InformerOptions& options = {}) requires Described<T>
      : MultiNamespaceInformer(client, meta::resource_of<T>(), namespaces, options) {}
  MultiNamespaceInformer(const RestClient& client, const meta::ResourceInfo& resource,
                         const std::vector<std::string>& namespaces,
                         const InformerOptions& options = {})
      : MultiNamespaceInformer(make(resource, namespaces, [&](const std::string& namespace_) {
          InformerOptions own = options;
          own.namespace_ = namespace_;
          return std::make_shared<SharedInformer<T>>(client, resource, own);
        })) {}
  /// `informers`: by namespace; at least one.
  explicit MultiNamespaceInformer(Informers informers) : informers_(std::move(informers)) {}

  /// Calls `make(namespace)` for each namespace to list and watch: of none, or with "" among them,
  /// and for a resource that has no namespaces, for "" alone.
  template <class Make>
  static Informers make(const meta::ResourceInfo& resource,
                        const std::vector<std::string>& namespaces, const Make& make_one) {
    Informers informers;
    const bool all = namespaces.empty() || !resource.namespaced ||
                     std::find(namespaces.begin(), namespaces.end(), "") != namespaces.end();
    for (const std::string& each : all ? std::vector<std::string>{""} : namespaces) {
      if (!informers.contains(each)) informers.emplace(each, make_one(each));
    }
    return informers;
  }

  /// Adds a handler to all informers, before or after start(). HandlerOptions::max_pending is for
  /// each namespace; when HandlerOverflow::Unregister ends the handler in one, it ends in all.
  [[nodiscard]] MultiHandlerRegistration add_event_handler(const ResourceEventHandler<T>& handler,
                                                           const HandlerOptions& options = {}) {
    const auto parts = std::make_shared<MultiHandlerRegistration::Parts>();
    HandlerOptions own = options;
    own.on_fell_behind = [weak = std::weak_ptr(parts), then = options.on_fell_behind] {
      const auto all = weak.lock();
      if (all && all->end() && then) then();
    };
    for (const auto& [namespace_, informer] : informers_) {
      parts->all.push_back(informer->add_event_handler(handler, own));
    }
    parts->complete_it();
    return MultiHandlerRegistration(parts);
  }

  /// As those of SharedInformer, for all informers, also for those after one that fails.
  /// @par Errors   As those of SharedInformer: the first one, with its namespace.
  Result<void> add_indexers(const Indexers<T>& indexers) {
    return each([&](std::string_view, SharedInformer<T>& informer) {
      return informer.add_indexers(indexers);
    });
  }
  Result<void> add_index(std::string_view name, const IndexFunc<T>& function) {
    return add_indexers({{std::string(name), function}});
  }
  Result<void> set_transform(const Transform<T>& transform) {
    return each([&](std::string_view, SharedInformer<T>& informer) {
      return informer.set_transform(transform);
    });
  }
  /// As that of SharedInformer; `handler` also gets the namespace. Calls for different namespaces
  /// may run at the same time.
  Result<void> set_watch_error_handler(
      const std::function<void(std::string_view namespace_, const Error& error)>& handler) {
    return each([&](std::string_view namespace_, SharedInformer<T>& informer) {
      if (!handler) return informer.set_watch_error_handler({});
      return informer.set_watch_error_handler(
          [handler, own = std::string(namespace_)](const Error& error) { handler(own, error); });
    });
  }
  /// As that of SharedInformer; `handler` also gets the namespace. Calls for different namespaces
  /// may run at the same time.
  /// @par Errors   As those of SharedInformer: the first one, with its namespace.
  Result<void> set_condition_handler(
      const std::function<void(std::string_view namespace_, InformerCondition condition,
                               const Optional<Error>& error)>& handler) {
    return each([&](std::string_view namespace_, SharedInformer<T>& informer) {
      if (!handler) return informer.set_condition_handler({});
      return informer.set_condition_handler(
          [handler, own = std::string(namespace_)](InformerCondition condition,
                                                   const Optional<Error>& error) {
            handler(own, condition, error);
          });
    });
  }
  /// Starts all informers that can be started.
  /// @par Errors   InvalidArgument: an informer was started or stopped before.
  Result<void> start() {
    return each([](std::string_view, SharedInformer<T>& informer) { return informer.start(); });
  }

  void stop() {
    for (const auto& [namespace_, informer] : informers_) informer->stop();
  }
  /// @par Blocks   Until the running callbacks have returned; not inside one of them.
  void stop_and_wait() {
    stop();
    for (const auto& [namespace_, informer] : informers_) informer->stop_and_wait();
  }
  /// Whether one of the informers is stopped: the view is no longer whole.
  bool is_stopped() const {
    return std::any_of(informers_.begin(), informers_.end(),
                       [](const auto& each) { return each.second->is_stopped(); });
  }
  /// Whether all have synced.
  bool has_synced() const {
    return std::all_of(informers_.begin(), informers_.end(),
                       [](const auto& each) { return each.second->has_synced(); });
  }
  /// @par Blocks   Until all have synced (true), or `stop` is requested or an informer stops before
  ///   it has synced (false).
  bool wait_for_sync(std::stop_token stop = {}) const {
    std::stop_source ends;
    const auto end = [&ends] { ends.request_stop(); };
    const std::stop_callback on_stop(std::move(stop), end);
    std::list<std::stop_callback<std::function<void()>>> on_stops;  // these can't be moved
    for (const auto& [namespace_, informer] : informers_) {
      on_stops.emplace_back(informer->core()->stop_token(), [&, &part = *informer] {
        if (!part.has_synced()) end();
      });
    }
    return std::all_of(informers_.begin(), informers_.end(), [&](const auto& each) {
      return each.second->wait_for_sync(ends.get_token());
    });
  }
  /// Calls `done` once from Runtime::handlers, when all have synced; never when one stops before.
  void on_synced(std::function<void()> done) {
    const auto left = std::make_shared<std::atomic<std::size_t>>(informers_.size());
    const auto shared = std::make_shared<std::function<void()>>(std::move(done));
    for (const auto& [namespace_, informer] : informers_) {
      informer->on_synced([left, shared] {
        if (left->fetch_sub(1) == 1) (*shared)();
      });
    }
  }

  /// As those of SharedInformer, of an object's namespace ("" for objects without one): the caches
  /// of the namespaces move on one by one.
  /// @par Errors   Those of SharedInformer. InvalidArgument: the namespace is not among those of
  ///   this informer.
  Result<void> wait_for(std::string_view namespace_, std::string_view resource_version,
                        Duration timeout, std::stop_token stop = {}) const {
    const SharedInformer<T>* informer = of(namespace_);
    if (informer != nullptr) return informer->wait_for(resource_version, timeout, std::move(stop));
    return not_watched(namespace_);
  }
  /// False for a namespace that is not among those of this informer.
  bool has_version(std::string_view namespace_, std::string_view resource_version) const {
    const SharedInformer<T>* informer = of(namespace_);
    return informer != nullptr && informer->has_version(resource_version);
  }
  /// @par Errors   InvalidArgument: the namespace is not among those of this informer; `done` is
  ///   never called.
  Result<void> on_version(std::string_view namespace_, std::string resource_version,
                          std::function<void()> done,
                          const std::shared_ptr<const void>& owner) const {
    const SharedInformer<T>* informer = of(namespace_);
    if (informer == nullptr) return not_watched(namespace_);
    informer->on_version(std::move(resource_version), std::move(done), owner);
    return {};
  }

  MultiNamespaceLister<T> lister() const {
    std::map<std::string, typename MultiNamespaceLister<T>::Part, std::less<>> parts;
    for (const auto& [namespace_, informer] : informers_) {
      parts.emplace(namespace_, typename MultiNamespaceLister<T>::Part{informer->lister(),
                                                                       informer->indexer()});
    }
    return MultiNamespaceLister<T>(std::move(parts));
  }
  const meta::ResourceInfo& resource() const { return informers_.begin()->second->resource(); }
  /// Returns the state of each informer, by namespace.
  std::map<std::string, InformerStatus> status() const {
    std::map<std::string, InformerStatus> all;
    for (const auto& [namespace_, informer] : informers_) {
      all.emplace(namespace_, informer->status());
    }
    return all;
  }
  /// The informers, by namespace; that of "" has all.
  const Informers& informers() const& { return informers_; }
  Informers informers() const&& { return informers_; }

 private:
  static Error not_watched(std::string_view namespace_) {
    return Error(ErrorCode::InvalidArgument,
                 "namespace \"" + std::string(namespace_) + "\" is not watched");
  }
  // The informer that has the objects of a namespace.
  const SharedInformer<T>* of(std::string_view namespace_) const {
    auto at = informers_.find(namespace_);
    if (at == informers_.end()) at = informers_.find(std::string_view());
    return at == informers_.end() ? nullptr : at->second.get();
  }
  template <class F>
  Result<void> each(const F& call) {
    Result<void> first;
    for (const auto& [namespace_, informer] : informers_) {
      const Result<void> done = call(namespace_, *informer);
      if (!done && first) {
        first = done.error().with_context("namespace \"" + namespace_ + "\"");
      }
    }
    return first;
  }

  Informers informers_;
};

/// Checks the informers of several namespaces.
/// @par Errors   As check_health() of an informer, with all namespaces that are not healthy.
template <Object T>
Result<void> check_health(const MultiNamespaceInformer<T>& informer,
                          const HealthOptions& options = {}) {
  const std::string resource = informer.resource().group_resource().to_string();
  std::string texts;
  for (const auto& [namespace_, status] : informer.status()) {
    const Result<void> healthy = check_health(
        namespace_.empty() ? resource : resource + " in " + namespace_, status, options);
    if (!healthy) texts += (texts.empty() ? "" : "; ") + healthy.error().to_string();
  }
  if (texts.empty()) return {};
  return Error(ErrorCode::Unreachable, std::move(texts));
}

/// Returns the check of the informers of several namespaces, under the name of their resource.
template <Object T>
SyncCheck sync_check(const MultiNamespaceInformer<T>& informer) {
  return {informer.resource().group_resource().to_string(),
          [informer] { return informer.has_synced(); }};
}

}  // namespace kube

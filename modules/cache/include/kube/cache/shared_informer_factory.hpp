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
  bool timed_out = false;  ///< A timeout ended the wait.

  /// Whether all have synced. True also when none was started.
  explicit operator bool() const;
  /// Returns the sorted names of those that have not synced: "pods, services".
  std::string unsynced() const;
  /// @par Errors   Cancelled, or Timeout, with unsynced().
  Result<void> as_result() const;
};

/// A counted use of an informer of a factory: SharedInformerFactory::acquire(). Movable. When the
/// last handle of an informer is released, by release() or the destructor, its watch is closed, its
/// memory is freed, and it leaves the factory, which makes a new one for the next request.
///
/// @par Lifetimes   A temporary handle gives no access to its informer, which would have stopped
///   behind the semicolon: neither `factory.acquire<Pod>()->lister()` nor a reference to `*` of one
///   compiles.
/// @par Thread safety   One thread at a time for one handle; the informer's functions from any.
/// @par Blocks   The release of the last handle: as SharedInformer::stop_and_wait().
template <Object T>
class [[nodiscard]] InformerHandle {
 public:
  InformerHandle() noexcept = default;  ///< No informer.
  InformerHandle(InformerHandle&& other) noexcept = default;
  InformerHandle& operator=(InformerHandle&& other) noexcept {
    if (this == &other) return *this;
    release();
    informer_ = std::move(other.informer_);
    use_ = std::move(other.use_);
    return *this;
  }
  ~InformerHandle() { release(); }

  explicit operator bool() const { return informer_ != nullptr; }
  /// These two require an informer.
  SharedInformer<T>& operator*() const& { return *informer_; }
  SharedInformer<T>* operator->() const& { return informer_.get(); }
  SharedInformer<T>& operator*() const&& = delete;   // Give the handle a name first.
  SharedInformer<T>* operator->() const&& = delete;  // Give the handle a name first.

  /// Ends the use. Idempotent.
  void release() {
    use_.reset();
    informer_.reset();
  }

 private:
  friend class SharedInformerFactory;
  friend class MultiNamespaceInformerFactory;
  InformerHandle(std::shared_ptr<SharedInformer<T>> informer, std::shared_ptr<void> use)
      : informer_(std::move(informer)), use_(std::move(use)) {}

  std::shared_ptr<SharedInformer<T>> informer_;
  std::shared_ptr<void> use_;  ///< Its destruction is counted.
};

/// Makes, shares, starts and stops the informers of a program.
///
/// An informer that is requested by informer() or for_resource() runs until shutdown(); one that is
/// only requested by acquire() runs while a handle of it exists. Five seconds after a request a
/// warning in the log names the informer when it was not started.
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

  /// Has a function called with each informer of T that the factory makes from now on, before a
  /// caller gets it and before it can start: the place for its transform, error handlers and
  /// indexes, which hold for each caller, also of acquire() after start(), and for the one that
  /// follows a stopped one. Of several functions for a type the last one counts; an empty one ends
  /// it. What it throws, the request for the informer throws, and there is none.
  /// @par Thread safety   The function is called by the threads that request informers, several at
  ///   a time, with no lock held.
  template <Object T>
  void configure(std::function<void(SharedInformer<T>&)> function) {
    std::function<void(void*)> untyped;
    if (function) {
      untyped = [function = std::move(function)](void* informer) {
        function(*static_cast<SharedInformer<T>*>(informer));
      };
    }
    set_configuration(cache::cell_type<T>(), std::move(untyped));
  }

  /// Has a function change the options of each request for an informer of T from now on, given ones
  /// and defaults: a resync period holds whoever asks first. What it changes of the namespace and
  /// the selectors, which say which informer is requested, is ignored. Otherwise as configure().
  /// @par Thread safety   As configure().
  template <Object T>
  void configure_options(std::function<void(InformerOptions&)> function) {
    set_option_configuration(cache::cell_type<T>(), std::move(function));
  }

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

  /// Returns the informer of any resource with objects of type T, such as
  /// meta::PartialObjectMetadata. Without options: those of the factory.
  template <Object T>
  std::shared_ptr<SharedInformer<T>> informer(const meta::ResourceInfo& resource,
                                              const std::optional<InformerOptions>& options) {
    return get<T>(resource, options);
  }
  /// Returns a handle of the informer that informer() would return. After start(), it is started at
  /// once, with the token of the last start(); before, by start(). When the last handle is
  /// released, the informer stops, unless it was requested by informer() or for_resource(), too.
  template <Described T>
  InformerHandle<T> acquire() {
    return acquire_as<T>(meta::resource_of<T>(), std::nullopt);
  }
  template <Described T>
  InformerHandle<T> acquire(InformerOptions options) {
    return acquire_as<T>(meta::resource_of<T>(), std::move(options));
  }
  /// Returns a handle of the informer of any resource, with untyped objects.
  InformerHandle<Unstructured> acquire(const meta::ResourceInfo& resource) {
    return acquire_as<Unstructured>(resource, std::nullopt);
  }
  InformerHandle<Unstructured> acquire(const meta::ResourceInfo& resource,
                                       InformerOptions options) {
    return acquire_as<Unstructured>(resource, std::move(options));
  }

  /// Returns a handle of the informer of any resource with objects of type T.
  template <Object T>
  InformerHandle<T> acquire(const meta::ResourceInfo& resource,
                            const std::optional<InformerOptions>& options) {
    return acquire_as<T>(resource, options);
  }

  /// Starts every informer that is not started; call it again after requesting more. Each informer
  /// stops when the token of the call that started it is requested. An informer that was stopped
  /// before its start is logged. After shutdown() it does nothing but log a warning.
  void start(std::stop_token stop = {});

  /// Waits for the informers that are started; logs the others, once.
  /// @par Blocks   Until each of them has synced or stopped, or `stop` is requested.
  SyncResult wait_for_cache_sync(std::stop_token stop = {}) const;

  /// Stops all informers; no informer starts after it. May be called repeatedly.
  /// @par Blocks   As SharedInformer::stop_and_wait() of each informer.
  void shutdown();
  bool is_shut_down() const;

  /// Returns the informers with their names ("pods", "deployments.apps in web"), in the order of
  /// their creation.
  std::vector<std::pair<std::string, InformerStatus>> status() const;

 private:
  struct Impl;
  struct Key {
    const cache::CellType* type;  // one for each T
    meta::ResourceInfo resource;
    std::string namespace_;
    std::string label_selector;
    std::string field_selector;
    // By the name of the resource: a caller may know no more of it.
    bool operator==(const Key& other) const;
  };
  /// The functions of an informer of any type.
  struct Handle {
    std::shared_ptr<void> informer{};
    std::function<Result<void>()> start{};
    std::function<void()> stop{};
    std::function<void()> stop_and_wait{};
    std::function<bool(std::stop_token)> wait_for_sync{};
    std::function<bool()> is_stopped{};
    std::function<InformerStatus()> status{};
    std::function<void()> expect_start{};
  };
  enum class Use { Kept, Counted };

  /// Without options: uses the options of the factory, or of the informer that exists.
  template <Object T>
  std::shared_ptr<SharedInformer<T>> get(const meta::ResourceInfo& resource,
                                         const std::optional<InformerOptions>& asked) {
    return std::static_pointer_cast<SharedInformer<T>>(use<T>(resource, asked, Use::Kept).first);
  }
  template <Object T>
  InformerHandle<T> acquire_as(const meta::ResourceInfo& resource,
                               const std::optional<InformerOptions>& asked) {
    auto [informer, counted] = use<T>(resource, asked, Use::Counted);
    return {std::static_pointer_cast<SharedInformer<T>>(informer), std::move(counted)};
  }
  template <Object T>
  std::pair<std::shared_ptr<void>, std::shared_ptr<void>> use(
      const meta::ResourceInfo& resource, const std::optional<InformerOptions>& asked, Use how) {
    const InformerOptions& given = asked ? *asked : defaults_;
    Key key{&cache::cell_type<T>(), resource, given.namespace_, given.label_selector,
            given.field_selector};
    const InformerOptions options = configured(key, given);
    const auto make = [&] {
      auto made = std::make_shared<SharedInformer<T>>(client_, resource, options);
      call_configuration(cache::cell_type<T>(), made.get());
      return Handle{made,
                    [made = made.get()] { return made->start(); },
                    [made = made.get()] { made->stop(); },
                    [made = made.get()] { made->stop_and_wait(); },
                    [made = made.get()](std::stop_token stop) {
                      return made->wait_for_sync(std::move(stop));
                    },
                    [made = made.get()] { return made->is_stopped(); },
                    [made = made.get()] { return made->status(); },
                    [made = made.get()] { made->core()->expect_start(); }};
    };
    return find_or_make(std::move(key), options, make, asked.has_value(), how);
  }
  void set_configuration(const cache::CellType& type, std::function<void(void*)> function);
  void call_configuration(const cache::CellType& type, void* informer);
  void set_option_configuration(const cache::CellType& type,
                                std::function<void(InformerOptions&)> function);
  InformerOptions configured(const Key& key, InformerOptions options);
  /// Returns the informer, and for a counted use the object whose destruction ends it.
  /// `insists`: whether to warn when the informer that exists has other options.
  std::pair<std::shared_ptr<void>, std::shared_ptr<void>> find_or_make(
      Key key, const InformerOptions& options, const std::function<Handle()>& make, bool insists,
      Use how);

  RestClient client_;
  InformerOptions defaults_;
  std::shared_ptr<Impl> impl_;
};

}  // namespace kube

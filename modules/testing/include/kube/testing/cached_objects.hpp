// SPDX-License-Identifier: Apache-2.0
//
// Caches of given objects, for tests of code that reads a cache (reconcilers, key and index
// functions) without a server, an informer or a wait.
//
//   const auto pods = testing::lister_of<Pod>({pod("web", "a"), pod("web", "b")});
//   EXPECT_EQ(next_name(pods), "c");
//
//   const auto by_node = testing::indexer_of<Pod>({pod("web", "a")}, {{"node", index_by_node}});
//   EXPECT_THAT(keys_of(testing::cached(pod("web", "a"))), ElementsAre(ObjectKey{"web", "a"}));
#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <kube/base/executor.hpp>
#include <kube/base/result.hpp>
#include <kube/cache/indexer.hpp>
#include <kube/cache/lister.hpp>
#include <kube/cache/lister_watcher.hpp>
#include <kube/cache/shared_informer.hpp>
#include <kube/codec/codec.hpp>
#include <kube/codec/object.hpp>

namespace kube::testing {

/// The indexes of indexer_of(), by name.
template <Object T>
using Indexes = std::map<std::string, IndexFunc<T>>;

namespace detail {

/// Lists the objects, as JSON, at the highest of their versions; its watches are silent.
std::shared_ptr<cache::ListerWatcher> given_objects(const meta::ResourceInfo& resource,
                                                    const std::vector<std::string>& objects,
                                                    const std::vector<std::string>& versions);
/// Throws std::invalid_argument if an informer has not stored all objects.
void expect_all(const InformerStatus& status, std::size_t objects);

/// Drops the tasks that the end of an informer has left, which own the executor.
struct StopAtTheEnd {
  std::shared_ptr<SeededExecutor> executor;
  explicit StopAtTheEnd(std::shared_ptr<SeededExecutor> to_stop) : executor(std::move(to_stop)) {}
  StopAtTheEnd(const StopAtTheEnd&) = delete;
  StopAtTheEnd& operator=(const StopAtTheEnd&) = delete;
  ~StopAtTheEnd() { executor->stop(); }
};

template <Object T>
struct GivenCache {
  Indexer<T> indexer;
  Lister<T> lister;
};

template <Object T>
GivenCache<T> cache_of(const meta::ResourceInfo& resource, const std::vector<T>& objects,
                       const Indexes<T>& indexes) {
  std::vector<std::string> texts;
  std::vector<std::string> versions;
  for (const T& object : objects) {
    texts.push_back(meta::to_json(object));
    versions.emplace_back(cache::parts_of(object).resource_version);
  }
  const auto executor = std::make_shared<SeededExecutor>(1);
  const StopAtTheEnd stopped_last(executor);
  SharedInformer<T> informer({.executor = executor, .handlers = executor},
                             given_objects(resource, texts, versions), resource);
  for (const auto& [name, function] : indexes) informer.add_index(name, function).value();
  informer.start().value();
  executor->run_ready();
  expect_all(informer.status(), objects.size());
  return {informer.indexer(), informer.lister()};
}

}  // namespace detail

/// Returns an indexer with exactly these objects, as an informer's: it has the index "namespace"
/// and the given ones. An object without a resourceVersion gets one.
///
/// Throws std::invalid_argument when an object has no name or two have the same key, and what an
/// index of that name or function throws.
/// @par Thread safety   Any thread may call it.
template <Described T>
Indexer<T> indexer_of(const std::vector<T>& objects, const Indexes<T>& indexes = {}) {
  return detail::cache_of<T>(meta::resource_of<T>(), objects, indexes).indexer;
}
/// The same, for objects of a resource that has no type.
inline Indexer<Unstructured> indexer_of(const meta::ResourceInfo& resource,
                                        const std::vector<Unstructured>& objects,
                                        const Indexes<Unstructured>& indexes = {}) {
  return detail::cache_of<Unstructured>(resource, objects, indexes).indexer;
}

/// Returns a lister with exactly these objects; see indexer_of(). Its wait_for() returns at once:
/// it has the versions of its objects, and never gets others (Cancelled).
/// @par Thread safety   Any thread may call it.
template <Described T>
Lister<T> lister_of(const std::vector<T>& objects, const Indexes<T>& indexes = {}) {
  return detail::cache_of<T>(meta::resource_of<T>(), objects, indexes).lister;
}
inline Lister<Unstructured> lister_of(const meta::ResourceInfo& resource,
                                      const std::vector<Unstructured>& objects,
                                      const Indexes<Unstructured>& indexes = {}) {
  return detail::cache_of<Unstructured>(resource, objects, indexes).lister;
}

/// Returns an object as a cache has it, for a call of a handler, a filter, a key or an index
/// function.
/// @par Thread safety   Any thread may call it.
template <Object T>
Cached<T> cached(const T& object) {
  cache::Cell::Parts parts = cache::parts_of(object);
  const std::string body = meta::to_json(object);
  parts.body = body;
  return Cached<T>(cache::Cell::make(cache::cell_type<T>(), parts));
}

}  // namespace kube::testing

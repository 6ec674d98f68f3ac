// SPDX-License-Identifier: Apache-2.0
//
// An object of a cache is there as long as somebody holds a Cached of it. One without a name is
// gone behind the semicolon, or behind the head of a for loop; so are the elements of a list
// without one.
#include <string>
#include <string_view>

#include <kube/api/core/v1/pod.hpp>
#include <kube/cache/delta_fifo.hpp>
#include <kube/cache/shared_informer_factory.hpp>
#include <kube/cache/snapshot.hpp>
#include <kube/cache/store.hpp>

using kube::Cached;
using kube::Indexer;
using kube::Lister;
using kube::core::v1::Pod;

std::size_t use(const Lister<Pod>& lister, const Indexer<Pod>& indexer,
                const kube::SharedInformer<Pod>& informer, kube::SharedInformerFactory& factory,
                const kube::DeltaFifo<Pod>& queue, const kube::Store<Pod>& store) {
  std::size_t sum = 0;
#ifndef WRONG
  if (const auto pod = lister.find("web/front-0")) {
    for (const auto& container : pod->spec.containers) sum += container.name.size();
    sum += pod.key().size() + pod.cell().body().size();
  }
  for (const auto& pod : lister.list()) sum += pod->spec.containers.size();
  for (const auto& pod : indexer.by_index("node", "n1").value()) sum += pod.name().size();
  const auto& error = informer.status().last_error;
  if (error) sum += error->message().size();
  const Pod copy = *lister.get("web/front-0").value();
  for (const auto& container : (*lister.list()[0]).spec.containers) sum += container.name.size();
  const auto& [metadata, spec, status] = *lister.find("web/front-0");  // of a copy
  sum += spec.containers.size() + metadata.name.size();
  const auto handle = factory.acquire<Pod>();
  for (const auto& pod : handle->lister().list()) sum += pod.name().size();
  for (const auto& delta : queue.get_by_key("web/front-0")) sum += delta.object.key().size();
  const Cached<Pod> newest = queue.get_by_key("web/front-0").back().object;
  const auto [then] = kube::snapshot(lister);
  for (const auto& pod : then.list()) sum += pod->spec.containers.size();
  for (const auto& pod : std::get<0>(kube::snapshot(lister)).list()) sum += pod.name().size();
  const auto stored = store.get(newest);
  if (stored) sum += stored->key().size() + stored.value()->spec.containers.size();
  return sum + copy.spec.containers.size();
#elif WRONG == 1
  const auto& spec = lister.get("web/front-0").value()->spec;
  return spec.containers.size();
#elif WRONG == 2
  for (const auto& container : lister.get("web/front-0").value()->spec.containers)
    sum += container.name.size();
  return sum;
#elif WRONG == 3
  for (const auto& container : (*lister.get("web/front-0"))->spec.containers)
    sum += container.name.size();
  return sum;
#elif WRONG == 4
  const auto& spec = lister.find("web/front-0")->spec;
  return spec.containers.size();
#elif WRONG == 5
  const auto& spec = indexer.get_by_key("web/front-0")->spec;
  return spec.containers.size();
#elif WRONG == 6
  const auto& spec = lister.list()[0]->spec;
  return spec.containers.size();
#elif WRONG == 7
  for (const auto& container : lister.list().front()->spec.containers) sum += container.name.size();
  return sum;
#elif WRONG == 8
  for (const auto& container : indexer.by_index("node", "n1").value().back()->spec.containers)
    sum += container.name.size();
  return sum;
#elif WRONG == 9
  const Cached<Pod>* pod = &lister.list()[0];
  return (*pod)->spec.containers.size();
#elif WRONG == 10
  const auto pod = lister.list().begin();
  return (*pod)->spec.containers.size();
#elif WRONG == 11
  const kube::Result<const Pod*> pod = lister.find("web/front-0").get();
  return (*pod)->spec.containers.size();
#elif WRONG == 12
  const std::string_view key = lister.find("web/front-0").key();
  return key.size();
#elif WRONG == 13
  const std::string_view version = lister.get("web/front-0").value().resource_version();
  return version.size();
#elif WRONG == 14
  const Pod* pod = &*lister.find("web/front-0");
  return pod->spec.containers.size();
#elif WRONG == 15
  const kube::cache::Cell& cell = lister.find("web/front-0").cell();
  return cell.body().size();
#elif WRONG == 17
  const auto& message = informer.status().last_error->message();
  return message.size();
#elif WRONG == 16
  const std::string_view body = lister.find("web/front-0").ref()->body();
  return body.size();
#elif WRONG == 18
  const kube::SharedInformer<Pod>& pods = *factory.acquire<Pod>();
  return pods.indexer().size();
#elif WRONG == 19
  const Lister<Pod> pods = factory.acquire<Pod>()->lister();  // of an informer that has stopped
  return pods.list().size();
#elif WRONG == 20
  const auto& spec = queue.get_by_key("web/front-0")[0].object->spec;
  return spec.containers.size();
#elif WRONG == 21
  const auto delta = queue.get_by_key("web/front-0").begin();
  return delta->object.key().size();
#elif WRONG == 22
  for (const auto& container : queue.get(Cached<Pod>()).value().back().object->spec.containers)
    sum += container.name.size();
  return sum;
#elif WRONG == 23
  const auto& spec = store.get(Cached<Pod>()).value()->spec;
  return spec.containers.size();
#elif WRONG == 24
  const auto& spec = std::get<0>(kube::snapshot(lister)).find("web/front-0")->spec;
  return spec.containers.size();
#elif WRONG == 25
  const auto& spec = lister.get("web/front-0").value_or(Cached<Pod>())->spec;
  return spec.containers.size();
#elif WRONG == 26
  const auto& spec = kube::DeletedObject<Pod>{.object = lister.find("web/front-0")}.object->spec;
  return spec.containers.size();
#elif WRONG == 27
  auto pod = lister.find("web/front-0");
  const auto& spec = std::move(pod)->spec;
  return spec.containers.size();
#endif
}

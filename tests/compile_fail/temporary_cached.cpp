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

std::size_t right(const Lister<Pod>& lister, const Indexer<Pod>& indexer,
                  const kube::SharedInformer<Pod>& informer, kube::SharedInformerFactory& factory,
                  const kube::DeltaFifo<Pod>& queue, const kube::Store<Pod>& store) {
  std::size_t sum = 0;
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
}

void use(const void* kept);
void use(std::string_view kept);

void wrong(const Lister<Pod>& lister, const Indexer<Pod>& indexer,
           const kube::SharedInformer<Pod>& informer, kube::SharedInformerFactory& factory,
           const kube::DeltaFifo<Pod>& queue, const kube::Store<Pod>& store) {
  use(&lister.get("web/front-0").value()->spec);  // wrong: deleted operator->
  use(&(*lister.get("web/front-0"))->spec);       // wrong: deleted operator->
  use(&lister.find("web/front-0")->spec);         // wrong: deleted operator->
  use(&indexer.get_by_key("web/front-0")->spec);  // wrong: deleted operator->
  use(&lister.list()[0]->spec);                   // wrong: deleted operator->
  use(&lister.list().front()->spec);              // wrong: deleted operator->
  use(&store.get(Cached<Pod>()).value()->spec);   // wrong: deleted operator->
  use(&queue.get_by_key("a/b")[0].object->spec);  // wrong: deleted operator->
  {                                               // wrong: deleted operator->
    for (const auto& container : lister.get("web/front-0").value()->spec.containers)
      use(container.name);
  }
  {  // wrong: deleted operator->
    for (const auto& container : indexer.by_index("node", "n1").value().back()->spec.containers)
      use(container.name);
  }
  {  // wrong: deleted operator->
    for (const auto& container : queue.get(Cached<Pod>()).value().back().object->spec.containers)
      use(container.name);
  }
  {  // wrong: deleted operator->
    const auto& spec = std::get<0>(kube::snapshot(lister)).find("web/front-0")->spec;
    use(&spec);
  }
  {  // wrong: deleted operator->
    const auto& spec = lister.get("web/front-0").value_or(Cached<Pod>())->spec;
    use(&spec);
  }
  {  // wrong: deleted operator->
    const auto& spec = kube::DeletedObject<Pod>{.object = lister.find("a/b")}.object->spec;
    use(&spec);
  }
  {  // wrong: deleted operator->
    auto pod = lister.find("web/front-0");
    const auto& spec = std::move(pod)->spec;
    use(&spec);
  }
  use(&lister.list()[0]);                                    // wrong: temporary
  use(&*lister.find("web/front-0"));                         // wrong: temporary
  const auto pod = lister.list().begin();                    // wrong: deleted begin
  const auto delta = queue.get_by_key("a/b").begin();        // wrong: deleted begin
  use(lister.find("web/front-0").get());                     // wrong: deleted get
  use(lister.find("web/front-0").key());                     // wrong: deleted key
  use(lister.get("a/b").value().resource_version());         // wrong: deleted resource_version
  use(lister.find("web/front-0").cell().body());             // wrong: deleted cell
  use(lister.find("web/front-0").ref()->body());             // wrong: deleted operator->
  use(transaction_error(store.get(Cached<Pod>()).error()));  // wrong: deleted transaction_error
  use(informer.status().last_error->message());              // wrong: deleted operator->
  // Of an informer that has stopped behind the semicolon:
  use(&*factory.acquire<Pod>());                              // wrong: deleted operator*
  const Lister<Pod> pods = factory.acquire<Pod>()->lister();  // wrong: deleted operator->
}

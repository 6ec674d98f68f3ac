// SPDX-License-Identifier: Apache-2.0
#include <kube/cache/detail/writable_store.hpp>

#include <string>
#include <unordered_map>
#include <utility>

#include "all_cells.hpp"
#include "store_writer.hpp"

namespace kube::cache {

struct WritableStore::Writer {
  std::shared_ptr<Store> store;
  StoreWriter cells;
};

WritableStore::WritableStore(meta::GroupResource subject)
    : writer_([&] {
        auto store = std::make_shared<Store>(std::move(subject));
        return std::make_unique<Writer>(Writer{store, StoreWriter(store)});
      }()) {}

WritableStore::~WritableStore() = default;

std::shared_ptr<const Store> WritableStore::store() const {
  return writer_->store;
}

// Index functions are never stopped here, so the writer applies everything.
Result<void> WritableStore::apply(std::vector<Delta> changes) {
  const auto turn = turn_.take();
  if (!turn) return turn.error();
  if (changes.size() > 1) {
    apply_together(std::move(changes));
  } else {
    static_cast<void>(writer_->cells.apply(changes));
  }
  return {};
}

// What readers see in one step is a replacement of all.
void WritableStore::apply_together(std::vector<Delta> changes) {
  std::unordered_map<std::string, CellRef> content;
  std::vector<CellRef> stored = all_cells_of(*writer_->store);
  for (CellRef& cell : stored) {
    content.emplace(cell->key(), std::move(cell));
  }
  std::string version;
  for (Delta& change : changes) {
    std::string key(change.cell->key());
    if (!change.cell->resource_version().empty()) version = change.cell->resource_version();
    if (change.type == DeltaType::Deleted) {
      content.erase(key);
    } else {
      content.insert_or_assign(std::move(key), std::move(change.cell));
    }
  }
  std::vector<CellRef> cells;
  cells.reserve(content.size());
  for (auto& [key, cell] : content) cells.push_back(std::move(cell));
  static_cast<void>(writer_->cells.replace(std::move(cells), version));
}

Result<void> WritableStore::remove_if_same(const CellRef& cell) {
  const auto turn = turn_.take();
  if (!turn) return turn.error();
  if (writer_->cells.find(cell->key()) != cell) return {};
  Cell::Parts parts;  // without a version: the store's stays
  parts.key = cell->key();
  Delta change{.type = DeltaType::Deleted, .cell = Cell::make(cell->type(), parts)};
  static_cast<void>(writer_->cells.apply({&change, 1}));
  return {};
}

Result<void> WritableStore::replace(std::vector<CellRef> cells, std::string_view version) {
  const auto turn = turn_.take();
  if (!turn) return turn.error();
  static_cast<void>(writer_->cells.replace(std::move(cells), version));
  return {};
}

Result<void> WritableStore::set_resource_version(std::string_view version) {
  const auto turn = turn_.take();
  if (!turn) return turn.error();
  writer_->cells.set_resource_version(version);
  return {};
}

Result<void> WritableStore::add_indexes(std::map<std::string, CellIndexFunc> functions,
                                        const Store::IndexFailure& failed) {
  const auto turn = turn_.take();
  if (!turn) return turn.error();
  return writer_->store->add_indexes(std::move(functions), failed);
}

}  // namespace kube::cache

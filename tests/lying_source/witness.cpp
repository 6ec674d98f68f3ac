// SPDX-License-Identifier: Apache-2.0
#include "witness.hpp"

#include <stdexcept>
#include <utility>

namespace kube::lying {

using cache::Cell;
using cache::CellRef;
using cache::CellUser;

namespace {

constexpr const char* kOrder = "a handler's history could have happened";

struct CollectingSink final : cache::CellSink {
  void reserve(std::size_t count) override { cells.reserve(count); }
  void add(const Cell& cell) override { cells.push_back(CellUser(cell).ref()); }
  std::vector<CellRef> cells;
};

}  // namespace

std::string show(const Cell* cell) {
  if (cell == nullptr) return "nothing";
  return printable(cell->key(), 100) + "@" + printable(cell->resource_version(), 40);
}

void Witness::add(const std::string& rule, const std::string& what) const {
  findings_.add(rule, name_ + ": " + what);
}

void Witness::begin(const char* what, const CellRef& cell) {
  ++calls_;
  findings_.note([&] { return "  " + name_ + ": " + what + " " + show(cell.get()); });
  if (left_) add("no call comes after a handler has left", std::string(what));
}

void Witness::end() {
  if (throw_at_ != 0 && calls_ % throw_at_ == 0) throw std::runtime_error("a handler threw");
}

// The store may be ahead, never behind: it has no state that this handler was told before.
void Witness::compare_with_store(const std::string& key, const Cell* told) {
  const CellUser stored = store_->get(key);
  if (stored.get() == told) return;
  const auto before = known_.find(key);
  const Cell* known = before == known_.end() ? nullptr : before->second.get();
  if (stored.get() != known) return;
  add("the store is updated before handlers hear of it",
      "told " + show(told) + " of " + printable(key, 100) + ", the store still has " +
          show(stored.get()));
}

cache::CellHandler Witness::handler() {
  return {.on_add =
              [this](const CellRef& cell, bool initial) {
                begin(initial ? "initial add" : "add", cell);
                const std::string key(cell->key());
                if (known_.contains(key)) add(kOrder, "added twice: " + show(cell.get()));
                known_[key] = cell;
                end();
              },
          .on_update =
              [this](const CellRef& old_cell, const CellRef& cell) {
                begin("update", cell);
                const std::string key(cell->key());
                const auto known = known_.find(key);
                if (known == known_.end()) {
                  add(kOrder, "updated before it was added: " + show(cell.get()));
                } else if (known->second != old_cell) {
                  add(kOrder, "an update was lost: knows " + show(known->second.get()) +
                                  ", told of " + show(old_cell.get()));
                }
                if (old_cell == cell) {
                  ++repeats_[key];
                } else {
                  compare_with_store(key, cell.get());
                }
                known_[key] = cell;
                end();
              },
          .on_delete =
              [this](const CellRef& cell, bool unknown) {
                begin(unknown ? "delete (inferred)" : "delete", cell);
                const std::string key(cell->key());
                const auto known = known_.find(key);
                if (known == known_.end()) {
                  add(kOrder, "deleted before it was added: " + show(cell.get()));
                } else {
                  if (unknown && known->second != cell) {
                    add(kOrder, "the tombstone is " + show(cell.get()) + ", known was " +
                                    show(known->second.get()));
                  }
                  compare_with_store(key, nullptr);
                  known_.erase(key);
                }
                end();
              }};
}

void Witness::expect_equal_to_store() const {
  CollectingSink sink;
  store_->list(sink);
  for (const CellRef& cell : sink.cells) {
    const auto known = known_.find(std::string(cell->key()));
    if (known == known_.end() || known->second != cell) {
      add("a handler hears of everything in the store",
          "store has " + show(cell.get()) + ", handler knows " +
              show(known == known_.end() ? nullptr : known->second.get()));
      return;
    }
  }
  if (sink.cells.size() == known_.size()) return;
  for (const auto& [key, cell] : known_) {
    if (store_->get(key).get() == cell.get()) continue;
    add("a handler hears of every deletion", "still knows " + show(cell.get()));
    return;
  }
}

}  // namespace kube::lying

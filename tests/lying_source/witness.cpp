// SPDX-License-Identifier: Apache-2.0
#include "witness.hpp"

#include <stdexcept>
#include <utility>

#include "oracle.hpp"

namespace kube::lying {

using cache::Cell;
using cache::CellRef;
using cache::CellUser;

namespace {

constexpr const char* kOrder = "a handler's history could have happened";

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

bool Witness::same(const CellRef& a, const CellRef& b) const {
  if (a == b) return true;
  if (!a || !b || a->uid() != b->uid() || a->resource_version() != b->resource_version()) {
    return false;
  }
  const Result<Content> of_a = kind_.content_of(a);
  const Result<Content> of_b = kind_.content_of(b);
  return of_a && of_b ? *of_a == *of_b : a->body() == b->body();
}

// The store may be ahead, never behind.
void Witness::compare_with_store(const std::string& key, const CellRef& told) {
  std::vector<CellRef>& owed = owed_[key];
  std::erase_if(owed, [&](const CellRef& cell) { return same(cell, told); });
  const CellUser user = store_->get(key);
  CellRef stored = user.get() == nullptr ? CellRef() : user.ref();
  if (!same(stored, told)) owed.push_back(std::move(stored));
}

cache::CellHandler Witness::handler() {
  return [this](const cache::Delta& change) {
    if (change.type == DeltaType::Added) return added(change.cell, change.is_initial);
    if (change.type == DeltaType::Updated) return updated(change.old, change.cell);
    deleted(change.cell, change.final_state_unknown);
  };
}

void Witness::added(const CellRef& cell, bool initial) {
  begin(initial ? "initial add" : "add", cell);
  const std::string key(cell->key());
  if (known_.contains(key)) add(kOrder, "added twice: " + show(cell.get()));
  known_[key] = cell;
  compare_with_store(key, cell);
  end();
}

void Witness::updated(const CellRef& old_cell, const CellRef& cell) {
  begin("update", cell);
  const std::string key(cell->key());
  const auto known = known_.find(key);
  if (known == known_.end()) {
    add(kOrder, "updated before it was added: " + show(cell.get()));
  } else if (!same(known->second, old_cell)) {
    add(kOrder, "an update was lost: knows " + show(known->second.get()) + ", told of " +
                    show(old_cell.get()));
  }
  if (old_cell == cell) ++repeats_[key];
  known_[key] = cell;
  compare_with_store(key, cell);
  end();
}

void Witness::deleted(const CellRef& cell, bool unknown) {
  begin(unknown ? "delete (inferred)" : "delete", cell);
  const std::string key(cell->key());
  const auto known = known_.find(key);
  // A deletion of what was never there is passed on, as client-go does; an inferred one can't be.
  if (unknown && (known == known_.end() || !same(known->second, cell))) {
    add(kOrder, "the tombstone is " + show(cell.get()) + ", known was " +
                    show(known == known_.end() ? nullptr : known->second.get()));
  }
  if (known != known_.end()) known_.erase(known);
  compare_with_store(key, {});
  end();
}

void Witness::expect_equal_to_store() {
  for (const auto& [key, owed] : owed_) {
    if (owed.empty()) continue;
    add("the store is updated before handlers hear of it",
        "when it was told of " + printable(key, 100) + ", the store had " +
            show(owed.front().get()) + ", which it was not told after that");
    return;
  }
  owed_.clear();
  const std::vector<CellRef> cells = cells_of(*store_);
  for (const CellRef& cell : cells) {
    const auto known = known_.find(std::string(cell->key()));
    if (known == known_.end() || !same(known->second, cell)) {
      add("a handler hears of everything in the store",
          "store has " + show(cell.get()) + ", handler knows " +
              show(known == known_.end() ? nullptr : known->second.get()));
      return;
    }
  }
  if (cells.size() == known_.size()) return;
  for (const auto& [key, cell] : known_) {
    const CellUser stored = store_->get(key);
    if (stored.get() != nullptr) continue;
    add("a handler hears of every deletion", "still knows " + show(cell.get()));
    return;
  }
}

}  // namespace kube::lying

// SPDX-License-Identifier: Apache-2.0
//
// A handler that objects to what it can't be told.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <kube/cache/detail/informer_core.hpp>
#include <kube/cache/detail/store.hpp>

#include "kinds.hpp"
#include "trace.hpp"

namespace kube::lying {

/// Follows one handler's history: adds, updates and deletions in an order that could have happened,
/// each after the store's change.
class Witness {
 public:
  Witness(std::string name, const Kind& kind, Findings& findings)
      : name_(std::move(name)), kind_(kind), findings_(findings) {}
  Witness(const Witness&) = delete;
  Witness& operator=(const Witness&) = delete;

  /// Before its first call.
  void set_store(std::shared_ptr<const cache::Store> store) { store_ = std::move(store); }
  /// Throws at every so many-th call, after it has taken note; 0: never.
  void throw_at_every(unsigned calls) { throw_at_ = calls; }
  cache::CellHandler handler();
  /// From here on every call is one too many.
  void leave() { left_ = true; }

  /// When nothing is under way: what it knows is what the store has, object by object.
  void expect_equal_to_store();
  const std::map<std::string, cache::CellRef>& known() const { return known_; }
  std::uint64_t calls() const { return calls_; }
  /// Updates from a cell to itself since the last time.
  std::map<std::string, unsigned> take_repeats() { return std::exchange(repeats_, {}); }

 private:
  void added(const cache::CellRef& cell, bool initial);
  void updated(const cache::CellRef& old_cell, const cache::CellRef& cell);
  void deleted(const cache::CellRef& cell, bool unknown);
  void begin(const char* what, const cache::CellRef& cell);
  void end();
  /// The store has what was told, or what is yet to be told.
  void compare_with_store(const std::string& key, const cache::CellRef& told);
  /// The same version of the same object; two cells of it are one state.
  bool same(const cache::CellRef& a, const cache::CellRef& b) const;
  void add(const std::string& rule, const std::string& what) const;

  const std::string name_;
  const Kind& kind_;
  Findings& findings_;
  std::shared_ptr<const cache::Store> store_;
  unsigned throw_at_ = 0;
  bool left_ = false;
  std::uint64_t calls_ = 0;
  std::map<std::string, cache::CellRef> known_;
  std::map<std::string, std::vector<cache::CellRef>> owed_;  // null: a deletion
  std::map<std::string, unsigned> repeats_;
};

/// "x/a@5", printable.
std::string show(const cache::Cell* cell);

}  // namespace kube::lying

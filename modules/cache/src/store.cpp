// SPDX-License-Identifier: Apache-2.0
//
// The readers' side of a store: queries and indexes.
#include <kube/cache/detail/store.hpp>

#include <algorithm>
#include <cstring>
#include <optional>
#include <unordered_set>

#include "store_impl.hpp"

#include <kube/base/call_user_code.hpp>
#include <kube/meta/status.hpp>

namespace kube::cache {
namespace {

Error unknown_index(std::string_view name) {
  return Error(ErrorCode::InvalidArgument, "there is no index \"" + std::string(name) + "\"");
}

/// Builds "namespace/name" without an allocation.
class KeyBuffer {
 public:
  KeyBuffer(std::string_view namespace_, std::string_view name) {
    if (namespace_.empty()) {
      key_ = name;
      return;
    }
    const std::size_t size = namespace_.size() + 1 + name.size();
    char* to = small_;
    if (size > sizeof(small_)) {
      large_.resize(size);
      to = large_.data();
    }
    std::memcpy(to, namespace_.data(), namespace_.size());
    to[namespace_.size()] = '/';
    std::memcpy(to + namespace_.size() + 1, name.data(), name.size());
    key_ = {to, size};
  }
  KeyBuffer(const KeyBuffer&) = delete;
  KeyBuffer& operator=(const KeyBuffer&) = delete;
  std::string_view key() const { return key_; }

 private:
  char small_[320];  // names have at most 253 bytes, namespaces 63
  std::string large_;
  std::string_view key_;
};

std::vector<std::string> keys_of(const std::vector<const Cell*>& cells) {
  std::vector<std::string> keys;
  keys.reserve(cells.size());
  for (const Cell* cell : cells) keys.emplace_back(cell->key());
  return keys;
}

/// The sets of an index that have all objects which meet a requirement of a selector.
struct Candidates {
  const ValueSets* sets = nullptr;  // null: all objects
  std::vector<std::string> values{};
  std::size_t count = 0;                             // about
  const labels::Requirement* requirement = nullptr;  // that they meet; null: the scope
};

std::size_t size_of(const ValueSets& sets, const std::vector<std::string>& values) {
  std::size_t size = 0;
  for (const std::string& value : values) {
    if (const ValueSet* set = sets.find(value)) size += set->size();
  }
  return size;
}

/// Returns the fewest candidates that an index finds.
Candidates fewest(const StoreState& state, std::string_view scope,
                  const labels::Selector& selector) {
  Candidates best;
  const auto consider = [&](const ValueSets& sets, std::vector<std::string> values,
                            const labels::Requirement* requirement) {
    const std::size_t count = size_of(sets, values);
    if (best.sets == nullptr || count < best.count) {
      best = {&sets, std::move(values), count, requirement};
    }
  };
  if (!scope.empty()) consider(state.namespaces, {std::string(scope)}, nullptr);
  for (const labels::Requirement& requirement : selector.requirements()) {
    if (requirement.key.empty()) continue;  // an index that is not of a label has that, too
    if (requirement.operator_ != labels::Operator::Equals &&
        requirement.operator_ != labels::Operator::DoubleEquals &&
        requirement.operator_ != labels::Operator::In) {
      continue;
    }
    for (const auto& index : state.all_indexes()) {
      if (index->named->label == requirement.key && index->ready.load(std::memory_order_acquire)) {
        consider(index->contents.sets(), requirement.values, &requirement);
      }
    }
  }
  return best;
}

/// Returns the cells that have any of the values, each once.
std::vector<const Cell*> cells_of(const StoreState& state, const ValueSets& sets,
                                  const std::vector<std::string>& values,
                                  const ChangeRecord* since) {
  std::vector<const Cell*> cells;
  std::unordered_set<const Cell*> seen;
  ChangesSince changes(since);
  for (const std::string& value : values) {
    const ValueSet* set = sets.find(value);
    if (set == nullptr) continue;
    if (values.size() == 1) return state.cells(set, since);
    for (const Cell* cell : StoreState::cells(*set, changes)) {
      if (seen.insert(cell).second) cells.push_back(cell);
    }
  }
  return cells;
}

/// A query of an index. The index is found before the query begins, since the objects that were
/// there when it was made are not in the log.
struct Query {
  Query(const StoreState& in, std::string_view index)
      : state(in), sets(find(in, index)), since(in.now()) {}
  std::vector<const Cell*> cells(const ValueSet& set) const { return state.cells(&set, since); }
  static const ValueSets* find(const StoreState& state, std::string_view name) {
    if (name == kNamespaceIndex) return &state.namespaces;
    const StoreIndex* index = state.ready_index(name);
    return index == nullptr ? nullptr : &index->contents.sets();
  }

  const StoreState& state;
  const ValueSets* sets;  // null: there is no such index
  const ChangeRecord* since;
};

/// Hands out a result. A lease keeps all objects of its moment, so only for results of many.
void deliver(CellSink& sink, std::span<const Cell* const> cells, const StoreState& state,
             const ChangeRecord* since) {
  constexpr std::size_t kMany = 32;
  if (cells.size() < kMany || cells.size() * 2 < since->size) {
    sink.take(cells);
  } else {
    sink.take_leased(cells, state.leases->begin());
  }
}

}  // namespace

std::optional<std::vector<std::string>> NamedIndex::values(const CellRef& cell) const {
  auto answer = call_user_code("the index function", [&] { return function(cell); });
  if (answer) return *std::move(answer);
  if (answer.error().code() == ErrorCode::Cancelled) return std::nullopt;
  if (failed) failed(name, *cell, answer.error());
  return std::vector<std::string>();
}

Store::Store(meta::GroupResource subject) : impl_(std::make_unique<Impl>(std::move(subject))) {}

Store::~Store() = default;

CellUser Store::get(std::string_view key) const {
  const std::size_t hash = hash_key(key);
  const ReadPin pin;
  const Cell* found = impl_->now().cells_by_key.find(key, hash);
  return found == nullptr ? CellUser() : CellUser(*found);
}

CellUser Store::get(std::string_view namespace_, std::string_view name) const {
  return get(KeyBuffer(namespace_, name).key());
}

CellRef find_by_names(const Store& store, const ObjectKey& names) {
  struct Sink final : CellSink {
    explicit Sink(const ObjectKey& names_in) : names(names_in) {}
    void take(std::span<const Cell* const> cells) override {
      for (const Cell* cell : cells) {
        const bool is_it = cell->namespace_() == names.namespace_ && cell->name() == names.name;
        if (is_it) found = CellRef(*cell);
      }
    }
    const ObjectKey& names;
    CellRef found;
  } sink(names);
  const CellUser direct = store.get(names.namespace_, names.name);
  if (const Cell* cell = direct.get()) sink.take({&cell, 1});
  if (!sink.found) static_cast<void>(store.by_index(kNamespaceIndex, names.namespace_, sink));
  return sink.found;
}

void Store::list(CellSink& sink) const {
  const QueryPin pin;
  const StoreState& state = impl_->now();
  const ChangeRecord* since = state.now();
  deliver(sink, state.cells(nullptr, since), state, since);
}

std::vector<std::string> Store::list_keys() const {
  const QueryPin pin;
  const StoreState& state = impl_->now();
  return keys_of(state.cells(nullptr, state.now()));
}

std::size_t Store::size() const {
  const ReadPin pin;
  return impl_->now().now()->size;
}

std::size_t Store::bytes() const {
  const ReadPin pin;
  return impl_->now().now()->bytes;
}

Result<void> Store::by_index(std::string_view index, std::string_view value, CellSink& sink) const {
  const QueryPin pin;
  const Query query(impl_->now(), index);
  if (query.sets == nullptr) return unknown_index(index);
  if (const ValueSet* set = query.sets->find(value)) {
    deliver(sink, query.cells(*set), query.state, query.since);
  }
  return {};
}

Result<void> Store::by_index(std::string_view index, const std::vector<std::string>& values,
                             CellSink& sink) const {
  const QueryPin pin;
  const Query query(impl_->now(), index);
  if (query.sets == nullptr) return unknown_index(index);
  deliver(sink, cells_of(query.state, *query.sets, values, query.since), query.state, query.since);
  return {};
}

bool Store::list_candidates(std::string_view scope, const labels::Selector& selector,
                            CellSink& sink) const {
  const QueryPin pin;
  const StoreState& state = impl_->now();
  const Candidates best = fewest(state, scope, selector);
  const ChangeRecord* since = state.now();
  deliver(sink,
          best.sets == nullptr ? state.cells(nullptr, since)
                               : cells_of(state, *best.sets, best.values, since),
          state, since);
  return scope.empty() && best.requirement != nullptr && selector.requirements().size() == 1;
}

Result<std::vector<std::string>> Store::index_keys(std::string_view index,
                                                   std::string_view value) const {
  const QueryPin pin;
  const Query query(impl_->now(), index);
  if (query.sets == nullptr) return unknown_index(index);
  const ValueSet* set = query.sets->find(value);
  if (set == nullptr) return std::vector<std::string>();
  std::vector<std::string> keys = keys_of(query.cells(*set));
  std::sort(keys.begin(), keys.end());
  return keys;
}

std::size_t Store::count(std::string_view index, std::string_view value) const {
  const QueryPin pin;
  const Query query(impl_->now(), index);
  const ValueSet* set = query.sets == nullptr ? nullptr : query.sets->find(value);
  return set == nullptr ? 0 : query.state.count(*set, query.since);
}

std::vector<std::string> Store::list_index_values(std::string_view index) const {
  std::vector<std::string> values;
  const QueryPin pin;
  const Query query(impl_->now(), index);
  if (query.sets == nullptr) return values;
  ChangesSince changes(query.since);
  query.sets->for_each([&](const ValueSet& set) {
    if (!StoreState::is_empty(set, changes)) values.push_back(set.value());
  });
  return values;
}

std::vector<std::string> Store::index_names() const {
  std::vector<std::string> names{std::string(kNamespaceIndex)};
  const ReadPin pin;
  for (const auto& index : impl_->now().all_indexes()) {
    if (index->ready.load(std::memory_order_acquire)) names.push_back(index->named->name);
  }
  return names;
}

Result<std::vector<std::string>> Store::index_values(std::string_view index,
                                                     const CellRef& cell) const {
  if (index == kNamespaceIndex) return std::vector<std::string>{std::string(cell->namespace_())};
  std::shared_ptr<const NamedIndex> found;
  {
    const ReadPin pin;
    const StoreIndex* ready = impl_->now().ready_index(index);
    if (ready == nullptr) return unknown_index(index);
    found = ready->named;
  }
  return call_user_code("the index function", [&] { return found->function(cell); });
}

std::map<std::string, CellIndexFunc> Store::index_functions() const {
  std::map<std::string, CellIndexFunc> functions;
  std::vector<std::shared_ptr<const NamedIndex>> found;
  {
    const ReadPin pin;
    for (const auto& index : impl_->now().all_indexes()) {
      if (index->ready.load(std::memory_order_acquire)) found.push_back(index->named);
    }
  }
  for (const auto& index : found) functions.emplace(index->name, index->function);
  return functions;
}

Result<void> Store::add_indexes(std::map<std::string, CellIndexFunc> functions,
                                const IndexFailure& failed) {
  const auto conflict = [](const std::string& name) {
    return Error(ErrorCode::InvalidArgument, "index \"" + name + "\" already exists");
  };
  std::vector<std::shared_ptr<const NamedIndex>> added;
  for (auto& [name, function] : functions) {
    if (name == kNamespaceIndex) return conflict(name);
    const auto* by_label = function.target<LabelIndexFunc>();
    std::string label = by_label == nullptr ? std::string() : by_label->label;
    added.push_back(std::make_shared<NamedIndex>(
        NamedIndex{name, std::move(function), std::move(label), failed}));
  }
  std::vector<CellRef> cells;
  std::size_t at = 0;
  {
    // From here on the writer adds its changes to the indexes; this thread adds the stored objects.
    const MutexLock lock(impl_->writing);
    StoreState& state = impl_->now();
    for (const auto& index : state.all_indexes()) {
      if (functions.contains(index->named->name)) return conflict(index->named->name);
    }
    at = state.all_indexes().size();
    for (const auto& index : added) {
      state.add_index(std::make_shared<StoreIndex>(index), impl_->retired);
    }
    cells.reserve(state.cells_by_key.size());
    state.cells_by_key.for_each([&](const Cell& cell) { cells.emplace_back(cell); });
  }
  for (std::size_t i = 0; i < added.size(); ++i) impl_->fill(at + i, *added[i], cells);
  const MutexLock lock(impl_->writing);
  for (std::size_t i = 0; i < added.size(); ++i) {
    impl_->now().all_indexes()[at + i]->ready.store(true, std::memory_order_release);
  }
  impl_->collect();
  return {};
}

void Store::Impl::fill(std::size_t place, const NamedIndex& index,
                       const std::vector<CellRef>& cells) {
  constexpr std::size_t kCellsAtOnce = 256;
  std::vector<std::vector<std::string>> values;
  for (std::size_t begin = 0; begin < cells.size(); begin += kCellsAtOnce) {
    const std::size_t end = std::min(begin + kCellsAtOnce, cells.size());
    values.clear();
    for (std::size_t i = begin; i < end; ++i) {
      values.push_back(index.values(cells[i]).value_or(std::vector<std::string>()));
    }
    const MutexLock lock(writing);
    UserIndex& contents = now().all_indexes()[place]->contents;
    for (std::size_t i = begin; i < end; ++i) {
      const Cell* cell = cells[i].get();
      const std::size_t hash = hash_key(cell->key());
      if (now().cells_by_key.find(cell->key(), hash) != cell)
        continue;  // the writer has replaced the cell, and indexed the new one
      if (contents.contains(cell)) continue;
      contents.insert(cell, hash, values[i - begin], retired);
    }
  }
}

std::string Store::resource_version() const {
  const MutexLock lock(impl_->version_mutex);
  return impl_->version;
}

Error Store::not_found(std::string_view name) const {
  return meta::not_found_error(impl_->subject, name);
}

}  // namespace kube::cache

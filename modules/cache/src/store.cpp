// SPDX-License-Identifier: Apache-2.0
//
// The readers' side of a store: queries and indexes.
#include <kube/cache/detail/store.hpp>

#include <algorithm>
#include <cstring>
#include <deque>
#include <optional>
#include <unordered_set>

#include "metadata_map.hpp"
#include "store_impl.hpp"

#include <kube/base/call_user_code.hpp>
#include <kube/json/object_members.hpp>
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

}  // namespace

std::optional<std::vector<std::string>> NamedIndex::values(const CellRef& cell) const {
  auto answer = call_user_code("the index function", [&] { return function(cell); });
  if (answer) return *std::move(answer);
  if (answer.error().code() == ErrorCode::Cancelled) return std::nullopt;
  if (failed) failed(name, *cell, answer.error());
  return std::vector<std::string>();
}

const Store::Impl::Index* Store::Impl::ready_index(std::string_view name) const {
  for (const Index& index : indexes) {
    if (index.ready && index.named->name == name) return &index;
  }
  return nullptr;
}

std::vector<std::shared_ptr<const NamedIndex>> Store::Impl::named_indexes() const {
  std::vector<std::shared_ptr<const NamedIndex>> named;
  named.reserve(indexes.size());
  for (const Index& index : indexes) named.push_back(index.named);
  return named;
}

std::optional<const ValueSets::Cells*> Store::Impl::cells_of(std::string_view name,
                                                             std::string_view value) const {
  if (name == kNamespaceIndex) return namespaces.find(value);
  const Index* index = ready_index(name);
  if (index == nullptr) return std::nullopt;
  return index->contents.sets().find(value);
}

Store::Store(meta::GroupResource subject) : impl_(std::make_unique<Impl>(std::move(subject))) {}

Store::~Store() = default;

CellUser Store::get(std::string_view key) const {
  const std::size_t hash = hash_key(key);
  Impl::Shard& shard = impl_->shard_of(hash);
  const MutexLock lock(shard.mutex);
  const CellRef* found = shard.cells.find(key, hash);
  return found == nullptr ? CellUser() : CellUser(*found);
}

CellUser Store::get(std::string_view namespace_, std::string_view name) const {
  return get(KeyBuffer(namespace_, name).key());
}

void Store::list(CellSink& sink) const {
  const ReadLock lock(impl_->structure);
  sink.reserve(impl_->size.load(std::memory_order_relaxed));
  impl_->for_each_cell([&](const CellRef& cell) { sink.add(*cell); });
}

std::vector<std::string> Store::list_keys() const {
  std::vector<std::string> keys;
  const ReadLock lock(impl_->structure);
  keys.reserve(impl_->size.load(std::memory_order_relaxed));
  impl_->for_each_cell([&](const CellRef& cell) { keys.emplace_back(cell->key()); });
  return keys;
}

std::size_t Store::size() const {
  return impl_->size.load(std::memory_order_relaxed);
}

std::size_t Store::bytes() const {
  return impl_->bytes.load(std::memory_order_relaxed);
}

Result<void> Store::by_index(std::string_view index, std::string_view value, CellSink& sink) const {
  const ReadLock lock(impl_->structure);
  const auto cells = impl_->cells_of(index, value);
  if (!cells) return unknown_index(index);
  if (*cells == nullptr) return {};
  sink.reserve((*cells)->size());
  (*cells)->for_each([&](const Cell* cell) { sink.add(*cell); });
  return {};
}

Result<void> Store::by_index(std::string_view index, const std::vector<std::string>& values,
                             CellSink& sink) const {
  const ReadLock lock(impl_->structure);
  std::unordered_set<const Cell*> seen;
  if (!impl_->cells_of(index, "")) return unknown_index(index);
  for (const std::string& value : values) {
    const auto cells = impl_->cells_of(index, value);
    if (*cells == nullptr) continue;
    (*cells)->for_each([&](const Cell* cell) {
      if (seen.insert(cell).second) sink.add(*cell);
    });
  }
  return {};
}

Result<std::vector<std::string>> Store::index_keys(std::string_view index,
                                                   std::string_view value) const {
  std::vector<std::string> keys;
  {
    const ReadLock lock(impl_->structure);
    const auto cells = impl_->cells_of(index, value);
    if (!cells) return unknown_index(index);
    if (*cells == nullptr) return keys;
    keys.reserve((*cells)->size());
    (*cells)->for_each([&](const Cell* cell) { keys.emplace_back(cell->key()); });
  }
  std::sort(keys.begin(), keys.end());
  return keys;
}

std::size_t Store::count(std::string_view index, std::string_view value) const {
  const ReadLock lock(impl_->structure);
  const auto cells = impl_->cells_of(index, value);
  return cells && *cells != nullptr ? (*cells)->size() : 0;
}

std::vector<std::string> Store::list_index_values(std::string_view index) const {
  std::vector<std::string> values;
  const ReadLock lock(impl_->structure);
  const Impl::Index* found = impl_->ready_index(index);
  if (found == nullptr && index != kNamespaceIndex) return values;
  for (const auto& [value, cells] : (found ? found->contents.sets() : impl_->namespaces).all()) {
    values.push_back(value);
  }
  return values;
}

std::vector<std::string> Store::index_names() const {
  std::vector<std::string> names{std::string(kNamespaceIndex)};
  const ReadLock lock(impl_->structure);
  for (const Impl::Index& index : impl_->indexes) {
    if (index.ready) names.push_back(index.named->name);
  }
  return names;
}

Result<std::vector<std::string>> Store::index_values(std::string_view index,
                                                     const CellRef& cell) const {
  if (index == kNamespaceIndex) return std::vector<std::string>{std::string(cell->namespace_())};
  std::shared_ptr<const NamedIndex> found;
  {
    const ReadLock lock(impl_->structure);
    const Impl::Index* ready = impl_->ready_index(index);
    if (ready == nullptr) return unknown_index(index);
    found = ready->named;
  }
  return call_user_code("the index function", [&] { return found->function(cell); });
}

Result<void> Store::add_index(std::string name, CellIndexFunc function, IndexFailure failed) {
  const auto in_use = [&](std::string_view other) { return other == name; };
  const Error conflict(ErrorCode::InvalidArgument, "index \"" + name + "\" already exists");
  if (in_use(kNamespaceIndex)) return conflict;

  const auto added =
      std::make_shared<NamedIndex>(NamedIndex{name, std::move(function), std::move(failed)});
  std::vector<CellRef> cells;
  std::size_t at = 0;
  {
    // From here on the writer adds its changes to the index; this thread adds the stored objects.
    const WriteLock lock(impl_->structure);
    for (const Impl::Index& index : impl_->indexes) {
      if (in_use(index.named->name)) return conflict;
    }
    at = impl_->indexes.size();
    impl_->indexes.push_back({added});
    ++impl_->indexes_version;
    cells.reserve(impl_->size.load(std::memory_order_relaxed));
    impl_->for_each_cell([&](const CellRef& cell) { cells.push_back(cell); });
  }

  constexpr std::size_t kCellsAtOnce = 256;
  std::vector<std::vector<std::string>> values;
  for (std::size_t begin = 0; begin < cells.size(); begin += kCellsAtOnce) {
    const std::size_t end = std::min(begin + kCellsAtOnce, cells.size());
    values.clear();
    for (std::size_t i = begin; i < end; ++i) {
      values.push_back(added->values(cells[i]).value_or(std::vector<std::string>()));
    }
    const WriteLock lock(impl_->structure);
    UserIndex& contents = impl_->indexes[at].contents;
    for (std::size_t i = begin; i < end; ++i) {
      const CellRef* current = impl_->find(cells[i]->key());
      if (current == nullptr || *current != cells[i])
        continue;  // the writer has replaced the cell, and indexed the new one
      if (contents.contains(cells[i].get())) continue;
      contents.insert(cells[i].get(), values[i - begin]);
    }
  }
  const WriteLock lock(impl_->structure);
  impl_->indexes[at].ready = true;
  return {};
}

std::string Store::resource_version() const {
  const MutexLock lock(impl_->version_mutex);
  return impl_->version;
}

Error Store::not_found(std::string_view name) const {
  return meta::not_found_error(impl_->subject, name);
}

namespace {

using FoundLabels = std::vector<std::pair<std::string_view, std::string_view>>;

bool matches(const FoundLabels& found, const labels::Selector& selector) {
  return selector.matches(
      labels::Lookup([&](std::string_view key) -> std::optional<std::string_view> {
        for (const auto& [name, value] : found) {
          if (name == key) return value;
        }
        return std::nullopt;
      }));
}

Result<bool> matches_in_protobuf(std::string_view message, const labels::Selector& selector) {
  FoundLabels found;
  auto walked = for_each_in_metadata_map(
      message, field::kLabels,
      [&](std::string_view key, std::string_view value) { found.emplace_back(key, value); });
  if (!walked) return walked.error();
  return matches(found, selector);
}

}  // namespace

Result<bool> matches_labels(const Cell& cell, const labels::Selector& selector) {
  if (cell.encoding() == Encoding::Protobuf) return matches_in_protobuf(cell.body(), selector);
  std::string_view metadata;
  std::string_view labels;
  auto walked = json::for_each_member(cell.body(), [&](const json::Member& member) {
    if (member.key == "metadata") metadata = member.value;
    return metadata.empty();
  });
  if (!walked) return walked.error();
  if (metadata.starts_with('{')) {
    walked = json::for_each_member(metadata, [&](const json::Member& member) {
      if (member.key == "labels") labels = member.value;
      return labels.empty();
    });
    if (!walked) return walked.error().with_context("metadata");
  }

  FoundLabels found;
  std::deque<std::string> unescaped;  // strings that had escapes
  if (labels.starts_with('{')) {
    std::optional<Error> problem;
    walked = json::for_each_member(labels, [&](const json::Member& member) {
      std::string storage;
      const auto value = json::string_value(member.value, storage);
      if (!value) {
        problem = value.error().with_context(member.key);
        return false;
      }
      const auto keep = [&](std::string_view text) {
        const bool in_body = !std::less<>()(text.data(), labels.data()) &&
                             std::less<>()(text.data(), labels.data() + labels.size());
        return in_body ? text : std::string_view(unescaped.emplace_back(text));
      };
      found.emplace_back(keep(member.key), keep(*value));
      return true;
    });
    if (problem) return problem->with_context("metadata.labels");
    if (!walked) return walked.error().with_context("metadata.labels");
  }
  return matches(found, selector);
}

}  // namespace kube::cache

// SPDX-License-Identifier: Apache-2.0
//
// The state word of a cell, low bits first:
//   bit 0       locked: a thread decodes, or frees the decoded object
//   bit 1       the decoded object exists
//   bit 2       it is never freed (StoragePolicy::Decoded)
//   bits 3-32   users: holders that may look inside
//   bits 33-63  references: all holders, users included
//
// A user is counted before it reads, and only the user whose exchange lowers the number of users
// from one to zero frees the decoded object, so that no pointer into it exists by then. A reader
// waits on the word while the lock is held; a user that is created and destroyed without reading
// leaves the object to the thread that is freeing it.
#include <kube/cache/detail/cell.hpp>

#include <algorithm>
#include <limits>
#include <new>

#include "cell_memory.hpp"

#include <kube/base/thread_turns.hpp>

namespace kube::cache {
namespace {

constexpr std::uint64_t kLocked = 1;
constexpr std::uint64_t kDecoded = 2;
constexpr std::uint64_t kPinned = 4;
constexpr std::uint64_t kUser = std::uint64_t{1} << 3;
constexpr std::uint64_t kReference = std::uint64_t{1} << 33;

constexpr std::uint64_t users(std::uint64_t state) {
  return (state >> 3) & ((1U << 30) - 1);
}
constexpr std::uint64_t references(std::uint64_t state) {
  return state >> 33;
}

char* append(char* to, std::string_view text) {
  return std::copy(text.begin(), text.end(), to);
}

/// Whether the key is "namespace/name" or "name".
bool is_name(std::string_view key, std::string_view namespace_, std::string_view name) {
  if (namespace_.empty()) return key == name;
  return key.size() == namespace_.size() + 1 + name.size() && key.starts_with(namespace_) &&
         key[namespace_.size()] == '/' && key.ends_with(name);
}

/// The block of a body, until a cell takes it over.
class Block {
 public:
  explicit Block(std::size_t size)
      : begin_(size == 0 ? nullptr : static_cast<char*>(allocate_cache_memory(size))),
        size_(size) {}
  ~Block() {
    if (begin_ != nullptr) release_cache_memory(begin_, size_);
  }
  Block(const Block&) = delete;
  Block& operator=(const Block&) = delete;
  char* begin() { return begin_; }
  const char* release() && { return std::exchange(begin_, nullptr); }

 private:
  char* begin_;
  std::size_t size_;
};

/// Returns when the word may have changed.
void wait_while_locked(const std::atomic<std::uint64_t>& word, std::uint64_t state) {
  ThreadTurns* const turns = ThreadTurns::of_this_thread();
  if (turns == nullptr) return word.wait(state, std::memory_order_acquire);
  Mutex mutex;
  MutexLock lock(mutex);
  turns->wait(lock, [&word] { return (word.load(std::memory_order_acquire) & kLocked) == 0; });
}

}  // namespace

// Parts that are too long are cut, so that the sizes are right whatever a transform returns;
// objects from a server were refused before.
CellRef Cell::make(const CellType& type, const Parts& asked) {
  constexpr std::size_t kMaxPart = std::numeric_limits<std::uint16_t>::max();
  Parts parts = asked;
  for (std::string_view Parts::*part :
       {&Parts::namespace_, &Parts::name, &Parts::uid, &Parts::resource_version, &Parts::key}) {
    parts.*part = (parts.*part).substr(0, kMaxPart);
  }
  parts.body = parts.body.substr(0, std::numeric_limits<std::uint32_t>::max());
  if (!parts.key.empty() && is_name(parts.key, parts.namespace_, parts.name)) parts.key = {};
  const std::size_t head = sizeof(Cell) + parts.key.size() + parts.namespace_.size() +
                           (parts.namespace_.empty() ? 0 : 1) + parts.name.size() +
                           parts.uid.size() + parts.resource_version.size();
  Block body(parts.body.size());
  Cell* cell = new (allocate_cache_memory(head)) Cell(type);
  cell->state_.store(kReference, std::memory_order_relaxed);
  cell->body_size_ = static_cast<std::uint32_t>(parts.body.size());
  cell->namespace_size_ = static_cast<std::uint16_t>(parts.namespace_.size());
  cell->name_size_ = static_cast<std::uint16_t>(parts.name.size());
  cell->uid_size_ = static_cast<std::uint16_t>(parts.uid.size());
  cell->version_size_ = static_cast<std::uint16_t>(parts.resource_version.size());
  cell->own_key_size_ = static_cast<std::uint16_t>(parts.key.size());
  cell->encoding_ = parts.encoding;
  cell->metadata_in_order_ = parts.metadata_in_order;

  char* at = append(reinterpret_cast<char*>(cell + 1), parts.key);
  if (!parts.namespace_.empty()) {
    at = append(at, parts.namespace_);
    *at++ = '/';
  }
  at = append(at, parts.name);
  at = append(at, parts.uid);
  append(at, parts.resource_version);
  if (!parts.body.empty()) append(body.begin(), parts.body);
  cell->body_ = std::move(body).release();
  return CellRef(cell);
}

Result<void*> Cell::decode(const CellType& type, const Parts& parts) {
  Result<void*> object = type.decode(parts.encoding, parts.body);
  if (!object || type.is_named == nullptr) return object;
  if (type.is_named(*object, parts.namespace_, parts.name)) return object;
  type.destroy(*object);
  return Error(ErrorCode::Decode,
               "expected one name and one namespace in metadata, found duplicate members");
}

CellRef Cell::make_decoded(const CellType& type, const Parts& parts_without_body, void* object) {
  Parts parts = parts_without_body;
  parts.body = {};
  CellRef ref = make(type, parts);
  ref->decoded_ = object;
  ref->state_.fetch_or(kDecoded | kPinned, std::memory_order_release);
  return ref;
}

bool Cell::is_always_decoded() const noexcept {
  return (state_.load(std::memory_order_relaxed) & kPinned) != 0;
}

void Cell::add(std::uint64_t amount) const noexcept {
  state_.fetch_add(amount, std::memory_order_relaxed);
}

void Cell::release_reference() const noexcept {
  const std::uint64_t before = state_.fetch_sub(kReference, std::memory_order_acq_rel);
  if (references(before) == 1) destroy();
}

void Cell::destroy() const noexcept {
  if (decoded_ != nullptr) type_->destroy(decoded_);
  const std::size_t head = head_memory();
  // NOLINTBEGIN(cppcoreguidelines-pro-type-const-cast): all references are const, the last one too
  if (body_ != nullptr) release_cache_memory(const_cast<char*>(body_), body_size_);
  this->~Cell();
  release_cache_memory(const_cast<Cell*>(this), head);
  // NOLINTEND(cppcoreguidelines-pro-type-const-cast)
}

void Cell::release_user() const noexcept {
  std::uint64_t state = state_.load(std::memory_order_relaxed);
  for (;;) {
    // While the lock is held, the decoded object belongs to the thread that is freeing it.
    const bool drops = users(state) == 1 && (state & (kLocked | kDecoded | kPinned)) == kDecoded;
    const std::uint64_t next = drops ? ((state - kUser) | kLocked) : state - kUser - kReference;
    if (!state_.compare_exchange_weak(state, next, std::memory_order_acq_rel,
                                      std::memory_order_relaxed)) {
      continue;
    }
    if (drops) {
      void* object = std::exchange(decoded_, nullptr);
      state_.fetch_and(~(kLocked | kDecoded), std::memory_order_release);
      state_.notify_all();
      type_->destroy(object);
      release_reference();
    } else if (references(state) == 1) {
      destroy();
    }
    return;
  }
}

Result<const void*> Cell::decode() const {
  std::uint64_t state = state_.load(std::memory_order_acquire);
  for (;;) {
    if ((state & kLocked) != 0) {
      wait_while_locked(state_, state);
      state = state_.load(std::memory_order_acquire);
      continue;
    }
    if ((state & kDecoded) != 0) return static_cast<const void*>(decoded_);
    if (state_.compare_exchange_weak(state, state | kLocked, std::memory_order_acquire,
                                     std::memory_order_acquire)) {
      break;
    }
  }
  // Unlocks also when decoding throws (out of memory).
  struct Unlock {
    std::atomic<std::uint64_t>& state;
    std::uint64_t change = kLocked;
    ~Unlock() {
      state.fetch_xor(change, std::memory_order_release);
      state.notify_all();
    }
  } unlock{state_};
  Parts parts;
  parts.namespace_ = namespace_();
  parts.name = name();
  parts.encoding = encoding_;
  parts.body = body();
  Result<void*> object = decode(*type_, parts);
  if (!object) return object.error().with_context("object " + std::string(key()));
  decoded_ = *object;
  unlock.change = kLocked | kDecoded;
  return static_cast<const void*>(*object);
}

CellRef::CellRef(const Cell& cell) noexcept : cell_(&cell) {
  cell_->add(kReference);
}
CellRef::CellRef(const CellRef& other) noexcept : cell_(other.cell_) {
  if (cell_ != nullptr) cell_->add(kReference);
}

CellUser::CellUser(const CellRef& cell) noexcept
    : word_(reinterpret_cast<std::uintptr_t>(cell.get())) {
  if (cell.get() != nullptr) cell->add(kReference + kUser);
}
CellUser::CellUser(const Cell& cell) noexcept : word_(reinterpret_cast<std::uintptr_t>(&cell)) {
  cell.add(kReference + kUser);
}
CellUser::CellUser(const CellUser& other) noexcept
    : word_(reinterpret_cast<std::uintptr_t>(other.get())) {
  if (const Cell* held = cell()) held->add(kReference + kUser);
}
CellRef CellUser::ref() const noexcept {
  const Cell* held = cell();
  return held == nullptr ? CellRef() : CellRef(*held);
}
// Whoever sees that it counts must not decode before it does: release and acquire.
void CellUser::own() const noexcept {
  const std::atomic_ref<std::uintptr_t> shared = this->shared();
  std::uintptr_t word = shared.load(std::memory_order_acquire);
  if ((word & kBorrowed) == 0) return;
  const Cell* held = to_cell(word);
  held->add(kReference + kUser);
  if (!shared.compare_exchange_strong(word, word & ~kBorrowed, std::memory_order_acq_rel,
                                      std::memory_order_acquire)) {
    held->release_user();  // another thread was first
  }
}
Result<const void*> CellUser::decoded() const& {
  const Cell* held = cell();
  if (held == nullptr) return Error(ErrorCode::InvalidArgument, "no object to read: this is empty");
  // An object that is never freed before its cell needs no user.
  if (!held->is_always_decoded()) own();
  return held->decode();
}

}  // namespace kube::cache

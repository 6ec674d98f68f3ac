// SPDX-License-Identifier: Apache-2.0
//
// kube::cache::Cell: one object of a cluster, immutable and reference-counted: its key, uid and
// resourceVersion, and its bytes. Caches store cells; users see Cached<T>.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <utility>

#include <kube/base/result.hpp>
#include <kube/client/content.hpp>

namespace kube::cache {

using kube::Encoding;

/// The functions by which a Cell decodes itself. One constant per type: cell_type<T>().
/// @par Thread safety   A constant.
struct CellType {
  Result<void*> (*decode)(Encoding encoding, std::string_view body);
  void (*destroy)(void* object);
  std::size_t object_size;
  /// Null for a type that accepts any kind.
  const meta::TypeDescriptor& (*descriptor)() = nullptr;
  /// Whether a decoded object has this name. Null accepts all names.
  bool (*is_named)(const void* object, std::string_view namespace_,
                   std::string_view name) = nullptr;
};

class CellRef;

/// The head of an object; key, uid and version follow it in memory. The body has a block of its
/// own: heads lie close together, so that what finds, counts and compares objects misses the
/// processor's caches less.
///
/// Invariants: (1) everything except `state_` and the decoded object is written before the cell is
/// shared, and never again; (2) a decoded object exists only while a user holds the cell, or for
/// its whole life under StoragePolicy::Decoded; (3) at most one thread decodes, and all others
/// wait.
///
/// @par Thread safety   All functions may be called from any thread that holds a reference.
class Cell {
 public:
  struct Parts {
    std::string_view namespace_;
    std::string_view name;
    std::string_view uid;
    std::string_view resource_version;
    Encoding encoding = Encoding::Json;
    std::string_view body;   ///< JSON, or a bare protobuf message of the kind of the type.
    std::string_view key{};  ///< Empty: "namespace/name" or "name".
    /// Whether the fields of the metadata of a protobuf message are in the order of their numbers,
    /// as API servers write them. It is read as far as is asked for then.
    bool metadata_in_order = false;
  };
  static CellRef make(const CellType& type, const Parts& asked);
  /// Decodes the body by type.decode.
  /// @par Errors   As type.decode; Decode when a duplicate member of metadata gives the object
  ///   another name than `parts`.
  static Result<void*> decode(const CellType& type, const Parts& parts);
  /// Makes a cell that owns a decoded object (as type.decode makes it) instead of bytes.
  static CellRef make_decoded(const CellType& type, const Parts& parts_without_body, void* object);

  /// "namespace/name" or "name", or the key that a user's function has made.
  std::string_view key() const noexcept {
    return {text(), own_key_size_ == 0 ? names_size() : own_key_size_};
  }
  std::string_view namespace_() const noexcept { return {names(), namespace_size_}; }
  std::string_view name() const noexcept {
    return {names() + names_size() - name_size_, name_size_};
  }
  std::string_view uid() const noexcept { return {names() + names_size(), uid_size_}; }
  std::string_view resource_version() const noexcept {
    return {names() + names_size() + uid_size_, version_size_};
  }
  Encoding encoding() const noexcept { return encoding_; }
  /// Parts::metadata_in_order.
  bool metadata_in_order() const noexcept { return metadata_in_order_; }
  /// Empty under StoragePolicy::Decoded.
  std::string_view body() const noexcept { return {body_, body_size_}; }
  /// Fetches the beginning of the body, where labels are, into the processor's caches.
  void prefetch_metadata() const noexcept {
    for (std::size_t at = 0; at < 256 && at < body_size_; at += 64) __builtin_prefetch(body_ + at);
  }
  const CellType& type() const noexcept { return *type_; }
  /// The size of both blocks in bytes, without a decoded object.
  std::size_t memory() const noexcept { return head_memory() + body_size_; }

  Cell(const Cell&) = delete;
  Cell& operator=(const Cell&) = delete;

 private:
  friend class CellRef;
  friend class CellUser;
  explicit Cell(const CellType& type) noexcept : type_(&type) {}
  // [key of its own] namespace '/' name uid version
  const char* text() const noexcept { return reinterpret_cast<const char*>(this + 1); }
  const char* names() const noexcept { return text() + own_key_size_; }
  std::size_t names_size() const noexcept {
    return namespace_size_ == 0 ? name_size_ : std::size_t{namespace_size_} + 1 + name_size_;
  }
  std::size_t head_memory() const noexcept {
    return sizeof(Cell) + own_key_size_ + names_size() + uid_size_ + version_size_;
  }
  void add(std::uint64_t amount) const noexcept;
  void release_reference() const noexcept;
  void release_user() const noexcept;
  bool is_always_decoded() const noexcept;  ///< StoragePolicy::Decoded.
  void destroy() const noexcept;            ///< After the last reference.
  Result<const void*> decode() const;

  mutable std::atomic<std::uint64_t> state_;  ///< Users, references and the decode lock: cell.cpp.
  const CellType* type_;
  mutable void* decoded_ = nullptr;
  const char* body_ = nullptr;  ///< Null when it is empty.
  std::uint32_t body_size_ = 0;
  std::uint16_t namespace_size_ = 0;
  std::uint16_t name_size_ = 0;
  std::uint16_t uid_size_ = 0;
  std::uint16_t version_size_ = 0;
  std::uint16_t own_key_size_ = 0;
  Encoding encoding_ = Encoding::Json;
  bool metadata_in_order_ = false;
};

/// Holds a cell without access to its decoded object, for stores, queues and indexes. Null when
/// empty.
/// @par Thread safety   A value.
class CellRef {
 public:
  CellRef() noexcept = default;
  explicit CellRef(const Cell& cell) noexcept;  ///< The caller must hold the cell.
  /// Takes over a reference that release() gave away.
  static CellRef adopt(const Cell* cell) noexcept { return CellRef(cell); }
  const Cell* release() && noexcept { return std::exchange(cell_, nullptr); }
  CellRef(const CellRef& other) noexcept;
  CellRef(CellRef&& other) noexcept : cell_(std::exchange(other.cell_, nullptr)) {}
  CellRef& operator=(CellRef other) noexcept {
    std::swap(cell_, other.cell_);
    return *this;
  }
  ~CellRef() {
    if (cell_ != nullptr) cell_->release_reference();
  }
  const Cell* get() const& noexcept { return cell_; }
  const Cell* operator->() const& noexcept { return cell_; }
  const Cell& operator*() const& noexcept { return *cell_; }
  const Cell* get() const&& = delete;         // Give the CellRef a name first.
  const Cell* operator->() const&& = delete;  // Give the CellRef a name first.
  const Cell& operator*() const&& = delete;   // Give the CellRef a name first.
  explicit operator bool() const noexcept { return cell_ != nullptr; }
  /// Whether both are the same cell.
  friend bool operator==(const CellRef&, const CellRef&) = default;

 private:
  friend class Cell;
  friend class CellUser;
  explicit CellRef(const Cell* adopted) noexcept : cell_(adopted) {}
  const Cell* cell_ = nullptr;
};

/// Keeps the cells that a store had at one moment, without a count for each. Made by a query.
/// @par Thread safety   A value.
using CellLease = std::shared_ptr<const void>;

/// Says that something else keeps a cell: a CellLease.
struct Borrowed {};

/// Holds a cell as a user: may decode it, and keeps the decoded object alive.
///
/// A borrowed one does not count: it must end before the lease, but its copies, and what it is
/// moved to, count and may live on. The first access to the decoded object makes it count, too.
/// @par Thread safety   A value.
class CellUser {
 public:
  CellUser() noexcept = default;
  explicit CellUser(const CellRef& cell) noexcept;
  explicit CellUser(const Cell& cell) noexcept;  ///< The caller must hold the cell.
  CellUser(Borrowed, const Cell& cell) noexcept
      : word_(reinterpret_cast<std::uintptr_t>(&cell) | kBorrowed) {}
  CellUser(const CellUser& other) noexcept;
  CellUser(CellUser&& other) noexcept {
    if ((other.word_ & kBorrowed) != 0) other.own();
    word_ = std::exchange(other.word_, 0);
  }
  CellUser& operator=(CellUser other) noexcept {
    std::swap(word_, other.word_);
    return *this;
  }
  ~CellUser() {
    if (word_ != 0 && (word_ & kBorrowed) == 0) to_cell(word_)->release_user();
  }
  const Cell* get() const& noexcept { return cell(); }
  const Cell* get() const&& = delete;  // Give the CellUser a name first.
  CellRef ref() const noexcept;

  bool is_borrowed() const noexcept {
    return (shared().load(std::memory_order_relaxed) & kBorrowed) != 0;
  }
  /// Makes a borrowed one count.
  void own() const noexcept;

  /// Returns the decoded object, which the first caller makes and all users share. The pointer is
  /// valid while any CellUser of the cell lives.
  /// @par Errors   Decode: the bytes are not of the type. InvalidArgument: there is no cell.
  /// @par Blocks   While another thread decodes the same cell.
  Result<const void*> decoded() const&;
  Result<const void*> decoded() const&& = delete;  // Give the CellUser a name first.

 private:
  static constexpr std::uintptr_t kBorrowed = 1;
  static const Cell* to_cell(std::uintptr_t word) noexcept {
    return reinterpret_cast<const Cell*>(word & ~kBorrowed);
  }
  const Cell* cell() const noexcept { return to_cell(shared().load(std::memory_order_relaxed)); }
  /// For const functions: several threads may read, and so own(), the same element of a list.
  std::atomic_ref<std::uintptr_t> shared() const noexcept {
    return std::atomic_ref<std::uintptr_t>(word_);
  }

  mutable std::uintptr_t word_ = 0;  // the address of the cell, and kBorrowed
};

}  // namespace kube::cache

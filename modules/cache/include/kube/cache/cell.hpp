// SPDX-License-Identifier: Apache-2.0
//
// kube::cache::Cell: one object of a cluster as one immutable, reference-counted allocation: key,
// uid, resourceVersion and the object's own bytes. What a cache holds; users see Cached<T>.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>

#include <kube/base/result.hpp>
#include <kube/client/content.hpp>

namespace kube::cache {

using kube::Encoding;

/// How a cache keeps its objects.
enum class StoragePolicy : std::uint8_t {
  Wire,     ///< The bytes as received; decoded when somebody looks, until nobody does.
  Decoded,  ///< The decoded value, made on arrival; the bytes are not kept.
};

/// What a Cell must know of its C++ type to decode itself. One constant per type: cell_type<T>().
struct CellType {
  Result<void*> (*decode)(Encoding encoding, std::string_view body);
  void (*destroy)(void* object);
  std::size_t object_size;
  /// Null: one that any kind fits.
  const meta::TypeDescriptor& (*descriptor)() = nullptr;
  /// Whether a decoded object has this name. Null: all names fit.
  bool (*is_named)(const void* object, std::string_view namespace_,
                   std::string_view name) = nullptr;
};

class CellRef;

/// The header of the allocation; key, uid, version and body follow it in memory.
///
/// Invariants: (1) everything but `state_` and the decoded object is written before the cell is
/// shared and never again; (2) a decoded object exists only while a user holds the cell, or for
/// ever under policy Decoded; (3) at most one thread decodes, all others wait for it.
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
    std::string_view body;  ///< JSON, or a bare protobuf message: the type says of which kind.
  };
  static CellRef make(const CellType& type, const Parts& asked);
  /// What type.decode makes of the body. Decode also when that has another name than `parts`: a
  /// repeated member of metadata, which a cell is made without a look at, can give it one.
  static Result<void*> decode(const CellType& type, const Parts& parts);
  /// A cell that owns a decoded object (of type.decode's kind) instead of bytes.
  static CellRef make_decoded(const CellType& type, const Parts& parts_without_body, void* object);

  std::string_view key() const noexcept;  ///< "namespace/name" or "name"
  std::string_view namespace_() const noexcept;
  std::string_view name() const noexcept;
  std::string_view uid() const noexcept;
  std::string_view resource_version() const noexcept;
  Encoding encoding() const noexcept;
  std::string_view body() const noexcept;  ///< Empty under policy Decoded.
  const CellType& type() const noexcept { return *type_; }
  /// Bytes of the allocation, without a decoded object.
  std::size_t memory() const noexcept;

  Cell(const Cell&) = delete;
  Cell& operator=(const Cell&) = delete;

 private:
  friend class CellRef;
  friend class CellUser;
  explicit Cell(const CellType& type) noexcept : type_(&type) {}
  void add(std::uint64_t amount) const noexcept;
  void release_reference() const noexcept;
  void release_user() const noexcept;
  Result<const void*> decode() const;

  mutable std::atomic<std::uint64_t> state_;  ///< Users, references and the decode lock: cell.cpp.
  const CellType* type_;
  mutable void* decoded_ = nullptr;
  std::uint32_t body_size_ = 0;
  std::uint16_t namespace_size_ = 0;
  std::uint16_t name_size_ = 0;
  std::uint16_t uid_size_ = 0;
  std::uint16_t version_size_ = 0;
  Encoding encoding_ = Encoding::Json;
};

/// Holds a cell without looking inside: what stores, queues and indexes keep. Null when empty.
class CellRef {
 public:
  CellRef() noexcept = default;
  CellRef(const CellRef& other) noexcept;
  CellRef(CellRef&& other) noexcept : cell_(std::exchange(other.cell_, nullptr)) {}
  CellRef& operator=(CellRef other) noexcept {
    std::swap(cell_, other.cell_);
    return *this;
  }
  ~CellRef();
  const Cell* get() const& noexcept { return cell_; }
  const Cell* operator->() const& noexcept { return cell_; }
  const Cell& operator*() const& noexcept { return *cell_; }
  const Cell* get() const&& = delete;         // Give the CellRef a name first.
  const Cell* operator->() const&& = delete;  // Give the CellRef a name first.
  const Cell& operator*() const&& = delete;   // Give the CellRef a name first.
  explicit operator bool() const noexcept { return cell_ != nullptr; }
  friend bool operator==(const CellRef&, const CellRef&) = default;  ///< The same cell.

 private:
  friend class Cell;
  friend class CellUser;
  explicit CellRef(const Cell* adopted) noexcept : cell_(adopted) {}
  const Cell* cell_ = nullptr;
};

/// Holds a cell as a user: may decode, and keeps the decoded object alive.
class CellUser {
 public:
  CellUser() noexcept = default;
  explicit CellUser(const CellRef& cell) noexcept;
  explicit CellUser(const Cell& cell) noexcept;  ///< Of a cell that somebody holds meanwhile.
  CellUser(const CellUser& other) noexcept;
  CellUser(CellUser&& other) noexcept : cell_(std::exchange(other.cell_, nullptr)) {}
  CellUser& operator=(CellUser other) noexcept {
    std::swap(cell_, other.cell_);
    return *this;
  }
  ~CellUser();
  const Cell* get() const& noexcept { return cell_; }
  const Cell* get() const&& = delete;  // Give the CellUser a name first.
  CellRef ref() const noexcept;

  /// The decoded object, made by the first caller and shared by all users; Decode when the bytes
  /// are not of the type, InvalidArgument when there is no cell. The pointer is valid while any
  /// CellUser of the cell lives.
  Result<const void*> decoded() const&;
  Result<const void*> decoded() const&& = delete;  // Give the CellUser a name first.

 private:
  const Cell* cell_ = nullptr;
};

}  // namespace kube::cache

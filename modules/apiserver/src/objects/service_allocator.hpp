// SPDX-License-Identifier: Apache-2.0
//
// The cluster IPs and node ports of services: which are taken, and which a service gets.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <kube/base/mutex.hpp>
#include <kube/base/result.hpp>

#include "names/serving_names.hpp"
#include "storage/store.hpp"

namespace kube::apiserver {

/// A range of IPv4 addresses, as "10.0.0.0/24". The first and the last are no service's.
struct AddressRange {
  std::uint32_t network = 0;
  int prefix = 32;

  /// @par Errors   InvalidArgument for text of another form, and for fewer than 4 addresses.
  static Result<AddressRange> parse(std::string_view text);
  bool contains(std::uint32_t address) const { return (address ^ network) >> (32 - prefix) == 0; }
  std::uint32_t first() const { return network + 1; }
  std::uint32_t last() const { return network + ((std::uint32_t{1} << (32 - prefix)) - 1) - 1; }
  std::string to_string() const;
};

/// What services hold. Stored services hold theirs from the commit of one write to that of the
/// next, so that nothing has to be given back; a write that is on its way holds what it has taken
/// by a Hold.
///
/// @par Thread safety   All functions may be called from any thread.
class ServiceAllocator {
 public:
  explicit ServiceAllocator(AddressRange range) : range_(range) {}

  /// Addresses and ports that are taken until it ends.
  ///
  /// @par Thread safety   As a container.
  class Hold {
   public:
    Hold() = default;
    explicit Hold(ServiceAllocator& owner) : owner_(&owner) {}
    Hold(Hold&& other) noexcept
        : owner_(std::exchange(other.owner_, nullptr)),
          addresses_(std::move(other.addresses_)),
          ports_(std::move(other.ports_)) {}
    Hold& operator=(Hold&&) = delete;
    ~Hold();

   private:
    friend class ServiceAllocator;
    ServiceAllocator* owner_ = nullptr;
    std::vector<std::uint32_t> addresses_{};
    std::vector<std::int64_t> ports_{};
  };

  /// Why a port that a service has is refused.
  static constexpr std::string_view kTaken = "provided port is already allocated";

  const AddressRange& range() const { return range_; }

  /// Returns why an address can be no service's, whether it is free or not.
  std::optional<std::string> refuse_address(std::uint32_t address) const;
  /// Takes an address for a Hold. Returns why not.
  std::optional<std::string> take_address(Hold& hold, std::uint32_t address);
  /// Takes a free one; empty when there is none.
  std::optional<std::uint32_t> take_free_address(Hold& hold);
  /// Returns why a port can't be taken now, if it is one of those that services get.
  std::optional<std::string> refuse_port(std::int64_t port);
  std::optional<std::string> take_port(Hold& hold, std::int64_t port);
  std::optional<std::int64_t> take_free_port(Hold& hold);

  void observe(const Committed& committed);

 private:
  struct Held {
    std::vector<std::uint32_t> addresses{};
    std::vector<std::int64_t> ports{};
  };
  static Held held_by(const StoredObject& service);
  template <class Counts, class Values>
  static void count(Counts& counts, const Values& values, int by);
  void release(const Hold& hold);

  const AddressRange range_;
  Mutex mutex_;
  /// By how many services and writes each one is held.
  std::map<std::uint32_t, int> addresses_ KUBE_GUARDED_BY(mutex_);
  std::map<std::int64_t, int> ports_ KUBE_GUARDED_BY(mutex_);
  /// By key.
  std::map<std::string, Held> stored_ KUBE_GUARDED_BY(mutex_);
  /// Where the search for a free one begins: after the last, so that one is not used again at once.
  std::uint32_t next_address_ KUBE_GUARDED_BY(mutex_) = 0;
  std::int64_t next_port_ KUBE_GUARDED_BY(mutex_) = 0;
};

}  // namespace kube::apiserver

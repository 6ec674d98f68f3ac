// SPDX-License-Identifier: Apache-2.0
#include "objects/service_allocator.hpp"

#include <algorithm>

#include "validation/addresses.hpp"

namespace kube::apiserver {
namespace {

constexpr std::int64_t kFirstPort = 30'000;
constexpr std::int64_t kLastPort = 32'767;
// The lower part of a range is left to those who choose for themselves, as long as the upper part
// has free ones.
constexpr std::int64_t kPortOffset = 86;
constexpr std::uint32_t kMinAddressOffset = 16;
constexpr std::uint32_t kMaxAddressOffset = 256;

/// Returns the next free one from `next` on, within [middle, last], then within [first, middle).
template <class Number>
std::optional<Number> find_free(const std::map<Number, int>& taken, Number next, Number first,
                                Number middle, Number last) {
  const auto search = [&taken](Number from, Number to) -> std::optional<Number> {
    auto at = taken.lower_bound(from);
    for (Number each = from; each <= to; ++each, ++at) {
      if (at == taken.end() || at->first != each) return each;
    }
    return std::nullopt;
  };
  if (next < middle || next > last) next = middle;
  if (const auto found = search(next, last)) return found;
  if (next > middle) {
    if (const auto found = search(middle, next - 1)) return found;
  }
  return middle > first ? search(first, middle - 1) : std::nullopt;
}

}  // namespace

Result<AddressRange> AddressRange::parse(std::string_view text) {
  constexpr int kMinPrefix = 8;
  constexpr int kMaxPrefix = 30;
  const auto block = parse_cidr(text);
  const auto address = block ? ipv4_number(block->address) : std::nullopt;
  const int prefix = block ? block->prefix - CidrBlock::kV4Prefix : 0;
  if (!address || prefix < kMinPrefix || prefix > kMaxPrefix) {
    return Error(ErrorCode::InvalidArgument,
                 "service IP range \"" + std::string(text) +
                     "\": expected IPv4 addresses such as 10.0.0.0/24, at least 4");
  }
  return AddressRange{*address & ~((std::uint32_t{1} << (32 - prefix)) - 1), prefix};
}

std::string AddressRange::to_string() const {
  return format_ipv4(network) + "/" + std::to_string(prefix);
}

ServiceAllocator::Hold::~Hold() {
  if (owner_ != nullptr) owner_->release(*this);
}

template <class Counts, class Values>
void ServiceAllocator::count(Counts& counts, const Values& values, int by) {
  for (const auto value : values) {
    const auto at = counts.emplace(value, 0).first;
    at->second += by;
    if (at->second <= 0) counts.erase(at);
  }
}

void ServiceAllocator::release(const Hold& hold) {
  const MutexLock lock(mutex_);
  count(addresses_, hold.addresses_, -1);
  count(ports_, hold.ports_, -1);
}

std::optional<std::string> ServiceAllocator::refuse_address(std::uint32_t address) const {
  if (address >= range_.first() && address <= range_.last()) return std::nullopt;
  return "the provided IP (" + format_ipv4(address) +
         ") is not in the valid range. The range of valid IPs is " + range_.to_string();
}

std::optional<std::string> ServiceAllocator::take_address(Hold& hold, std::uint32_t address) {
  if (!range_.contains(address)) return "the provided network does not match the current range";
  if (auto refused = refuse_address(address)) return refused;
  const MutexLock lock(mutex_);
  if (addresses_.contains(address)) return "provided IP is already allocated";
  addresses_.emplace(address, 1);
  hold.addresses_.push_back(address);
  return std::nullopt;
}

std::optional<std::uint32_t> ServiceAllocator::take_free_address(Hold& hold) {
  const std::uint32_t size = range_.last() - range_.first() + 2;
  const std::uint32_t offset = size < kMinAddressOffset * 2
                                   ? 0
                                   : std::clamp(size / 16, kMinAddressOffset, kMaxAddressOffset);
  const MutexLock lock(mutex_);
  const auto found = find_free<std::uint32_t>(addresses_, next_address_, range_.first(),
                                              range_.first() + offset, range_.last());
  if (!found) return found;
  next_address_ = *found + 1;
  addresses_.emplace(*found, 1);
  hold.addresses_.push_back(*found);
  return found;
}

std::optional<std::string> ServiceAllocator::take_port(Hold& hold, std::int64_t port) {
  if (port < kFirstPort || port > kLastPort) {
    return "provided port is not in the valid range. The range of valid ports is " +
           std::to_string(kFirstPort) + "-" + std::to_string(kLastPort);
  }
  const MutexLock lock(mutex_);
  if (ports_.contains(port)) return std::string(kTaken);
  ports_.emplace(port, 1);
  hold.ports_.push_back(port);
  return std::nullopt;
}

std::optional<std::string> ServiceAllocator::refuse_port(std::int64_t port) {
  const MutexLock lock(mutex_);
  if (ports_.contains(port)) return std::string(kTaken);
  return std::nullopt;
}

std::optional<std::int64_t> ServiceAllocator::take_free_port(Hold& hold) {
  const MutexLock lock(mutex_);
  const auto found =
      find_free<std::int64_t>(ports_, next_port_, kFirstPort, kFirstPort + kPortOffset, kLastPort);
  if (!found) return found;
  next_port_ = *found + 1;
  ports_.emplace(*found, 1);
  hold.ports_.push_back(*found);
  return found;
}

ServiceAllocator::Held ServiceAllocator::held_by(const StoredObject& service) {
  Held held;
  const auto content = json::parse("{" + std::string(service.body));
  if (!content) return held;
  for (const json::Value& text : content->array_at({"spec", "clusterIPs"})) {
    if (const auto address = parse_ipv4(text.string_or_empty())) held.addresses.push_back(*address);
  }
  const auto hold_port = [&held](std::int64_t port) {
    // Two protocols may share a port.
    if (port != 0 && std::ranges::find(held.ports, port) == held.ports.end())
      held.ports.push_back(port);
  };
  for (const json::Value& port : content->array_at({"spec", "ports"}))
    hold_port(port.int_at({"nodePort"}).value_or(0));
  hold_port(content->int_at({"spec", "healthCheckNodePort"}).value_or(0));
  return held;
}

void ServiceAllocator::observe(const Committed& committed) {
  static const std::string kServices = builtin::kServices.storage();
  if (committed.collection.id() != kServices) return;
  const StoredObject& service = *committed.event->object;
  Held held = committed.event->type == EventType::Deleted ? Held{} : held_by(service);
  const MutexLock lock(mutex_);
  Held& before = stored_[service.key()];
  count(addresses_, held.addresses, 1);
  count(ports_, held.ports, 1);
  count(addresses_, before.addresses, -1);
  count(ports_, before.ports, -1);
  before = std::move(held);
  if (committed.event->type == EventType::Deleted) stored_.erase(service.key());
}

}  // namespace kube::apiserver

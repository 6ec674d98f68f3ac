// SPDX-License-Identifier: Apache-2.0
#include "object_index.hpp"

#include <array>
#include <bit>
#include <random>

#include <kube/json/key_hash.hpp>

namespace kube::json {
namespace {

using Key = std::array<std::uint64_t, 2>;

// The key differs in each process, so that no document can be made of names that collide.
const Key& secret() {
  static const Key key = [] {
    std::random_device random;
    const auto word = [&] { return std::uint64_t{random()} << 32U | random(); };
    return Key{word(), word()};
  }();
  return key;
}

// Computes SipHash-1-3.
std::uint64_t hash_of(std::string_view text) {
  const auto& [k0, k1] = secret();
  std::uint64_t v0 = k0 ^ 0x736f6d6570736575;
  std::uint64_t v1 = k1 ^ 0x646f72616e646f6d;
  std::uint64_t v2 = k0 ^ 0x6c7967656e657261;
  std::uint64_t v3 = k1 ^ 0x7465646279746573;
  const auto round = [&] {
    v0 += v1;
    v1 = std::rotl(v1, 13) ^ v0;
    v0 = std::rotl(v0, 32);
    v2 += v3;
    v3 = std::rotl(v3, 16) ^ v2;
    v0 += v3;
    v3 = std::rotl(v3, 21) ^ v0;
    v2 += v1;
    v1 = std::rotl(v1, 17) ^ v2;
    v2 = std::rotl(v2, 32);
  };
  const auto take = [&](std::uint64_t word) {
    v3 ^= word;
    round();
    v0 ^= word;
  };
  const char* at = text.data();
  std::size_t left = text.size();
  for (; left >= 8; left -= 8, at += 8) take(detail::load<std::uint64_t>(at));
  std::uint64_t last = std::uint64_t{text.size()} << 56U;
  for (std::size_t i = 0; i < left; ++i)
    last |= std::uint64_t{static_cast<std::uint8_t>(at[i])} << (8 * i);
  take(last);
  v2 ^= 0xff;
  for (int i = 0; i < 3; ++i) round();
  return v0 ^ v1 ^ v2 ^ v3;
}

}  // namespace

Object::Index::Index(const std::vector<Member>& members)
    : places_(std::bit_ceil(4 * members.size()), kEmpty) {
  for (std::size_t place = 0; place < members.size(); ++place) {
    std::uint32_t& slot = places_[slot_of(members, members[place].first)];
    if (slot != kEmpty) continue;
    slot = static_cast<std::uint32_t>(place);
    ++used_;
  }
}

std::size_t Object::Index::slot_of(const std::vector<Member>& members,
                                   std::string_view name) const {
  const std::size_t mask = places_.size() - 1;
  std::size_t slot = hash_of(name) & mask;
  while (places_[slot] != kEmpty && members[places_[slot]].first != name) slot = (slot + 1) & mask;
  return slot;
}

std::size_t Object::Index::find(const std::vector<Member>& members, std::string_view name) const {
  const std::uint32_t place = places_[slot_of(members, name)];
  return place == kEmpty ? members.size() : place;
}

bool Object::Index::append(const std::vector<Member>& members) {
  if (2 * (used_ + 1) > places_.size()) return false;
  std::uint32_t& slot = places_[slot_of(members, members.back().first)];
  if (slot != kEmpty) return true;  // the first member of that name stays
  slot = static_cast<std::uint32_t>(members.size() - 1);
  ++used_;
  return true;
}

bool Object::Index::erase(const std::vector<Member>& members, std::size_t place) {
  if (used_ != members.size()) return false;
  const std::size_t mask = places_.size() - 1;
  std::size_t hole = slot_of(members, members[place].first);
  // Later entries whose own slot was taken move up into the hole.
  for (std::size_t next = (hole + 1) & mask; places_[next] != kEmpty; next = (next + 1) & mask) {
    const std::size_t wanted = hash_of(members[places_[next]].first) & mask;
    if (((next - wanted) & mask) < ((next - hole) & mask)) continue;
    places_[hole] = places_[next];
    hole = next;
  }
  places_[hole] = kEmpty;
  --used_;
  for (std::uint32_t& each : places_) {
    if (each != kEmpty && each > place) --each;
  }
  return true;
}

}  // namespace kube::json

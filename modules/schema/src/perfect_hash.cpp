// SPDX-License-Identifier: Apache-2.0
#include <kube/schema/perfect_hash.hpp>

#include <algorithm>
#include <bit>
#include <limits>
#include <string_view>
#include <utility>

#include <kube/json/key_hash.hpp>

namespace kube::schema {

namespace {

// For more keys, finding a seed would require tables that grow with the square of their number.
constexpr std::size_t kMaxSearched = 128;

class Seeds {
 public:
  std::uint64_t next() {
    state_ += 0x9e3779b97f4a7c15;
    std::uint64_t seed = state_;
    seed = (seed ^ seed >> 30) * 0xbf58476d1ce4e5b9;
    seed = (seed ^ seed >> 27) * 0x94d049bb133111eb;
    return (seed ^ seed >> 31) | 1;
  }

 private:
  std::uint64_t state_ = 0x9e3779b97f4a7c15;
};

// Whether key_hash() treats two keys as equal before it uses the seed, and so for any seed.
bool hash_alike(const std::vector<std::string>& keys) {
  std::vector<std::size_t> whole;
  whole.reserve(keys.size());
  for (const std::string& key : keys) whole.push_back(json::key_hash(key, 1, 0));
  std::ranges::sort(whole);
  return std::ranges::adjacent_find(whole) != whole.end();
}

// Uses tables of four or more slots for each key, so that few keys share one.
PerfectHash hash_with_rest(const std::vector<std::string>& keys) {
  PerfectHash hash;
  const auto bits = static_cast<std::uint32_t>(std::bit_width(keys.size() * 4 - 1));
  hash.seed = Seeds().next();
  hash.shift = 64 - bits;
  hash.slots.assign(std::size_t{1} << bits, 0);
  std::vector<std::uint16_t> rest;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const auto place = static_cast<std::uint16_t>(i + 1);
    std::uint16_t& slot = hash.slots[json::key_hash(keys[i], hash.seed, hash.shift)];
    if (slot == 0) {
      slot = place;
    } else {
      rest.push_back(place);
    }
  }
  std::ranges::sort(rest, {},
                    [&](std::uint16_t place) -> const std::string& { return keys[place - 1U]; });
  hash.slots.insert(hash.slots.end(), rest.begin(), rest.end());
  return hash;
}

}  // namespace

std::optional<PerfectHash> find_perfect_hash(const std::vector<std::string>& keys) {
  PerfectHash hash;
  if (keys.empty()) return hash;
  if (keys.size() > std::numeric_limits<std::uint16_t>::max()) return std::nullopt;
  std::vector<std::string_view> sorted(keys.begin(), keys.end());
  std::ranges::sort(sorted);
  if (std::ranges::adjacent_find(sorted) != sorted.end()) return std::nullopt;
  if (keys.size() > kMaxSearched || hash_alike(keys)) return hash_with_rest(keys);
  // At most half full: then a seed is found soon, and most unknown keys hit an empty slot.
  const auto least = static_cast<std::uint32_t>(std::bit_width(keys.size() * 2 - 1));
  Seeds seeds;
  for (std::uint32_t bits = std::max(least, 1U); bits <= least + 4; ++bits) {
    hash.shift = 64 - bits;
    for (int attempt = 0; attempt < 20000; ++attempt) {
      hash.seed = seeds.next();
      hash.slots.assign(std::size_t{1} << bits, 0);
      bool distinct = true;
      for (std::size_t i = 0; i < keys.size() && distinct; ++i) {
        std::uint16_t& slot = hash.slots[json::key_hash(keys[i], hash.seed, hash.shift)];
        distinct = std::exchange(slot, static_cast<std::uint16_t>(i + 1)) == 0;
      }
      if (distinct) return hash;
    }
  }
  return hash_with_rest(keys);
}

}  // namespace kube::schema

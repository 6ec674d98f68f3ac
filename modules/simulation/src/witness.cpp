// SPDX-License-Identifier: Apache-2.0
#include "witness.hpp"

#include <algorithm>
#include <charconv>
#include <utility>

#include "stage.hpp"

namespace kube::testing {
namespace {

constexpr const char* kHistory = "a handler sees a history that could have happened";
constexpr const char* kSynced = "has synced only after the whole initial state was delivered";

std::uint64_t number_of(const std::string& version) {
  std::uint64_t out = 0;
  std::from_chars(version.data(), version.data() + version.size(), out);
  return out;
}

std::string show(const SeenObject& object) {
  return object.key + "@" + object.resource_version;
}

// A deletion of what the store does not have is reported (CTL-14), so a repeated one is, too; a
// late handler may hear the repetition alone.
bool may_come_again(const Lies& lies, std::uint64_t last, std::uint64_t version) {
  return lies.repeats && (lies.goes_back || last == 0 || last == version);
}

}  // namespace

ObservedInformer::Witness::Witness(Journal& journal_, const Truth& truth_, std::uint64_t oldest,
                                   InformerProbe probe_, std::size_t number)
    : journal(journal_),
      truth(truth_),
      probe(std::move(probe_)),
      name(probe.resource + " witness " + std::to_string(number)),
      began(oldest),
      began_restarts(truth_.restarts()) {
  auto selected = Selection::of(probe.namespace_, probe.label_selector, probe.field_selector);
  if (selected) {
    selection = *std::move(selected);
  } else {
    fail("observe() knows what the informer selects", selected.error().message());
  }
  if (!probe.status) return;
  const InformerStatus status = probe.status();
  is_late = status.synced;
  // A list that is under way may be older.
  if (status.state != InformerState::NotStarted) began = 0;
  if (is_late) had = probe.objects();
}

void ObservedInformer::Witness::fail(const std::string& rule, const std::string& what) {
  journal.fail(rule, name + ": " + what);
}

void ObservedInformer::Witness::heard(char what, const SeenObject& before, const SeenObject& after,
                                      bool flag) {
  const SeenObject& object = what == '-' ? before : after;
  journal.note([&] {
    return name + ": " + what + " " + show(object) +
           (what == '=' ? " from " + before.resource_version : "") +
           (flag ? (what == '+'   ? " (initial)"
                    : what == '=' ? " (same)"
                                  : " (inferred)")
                 : "");
  });
  if (released || leaves)
    fail("nothing runs after its handle is gone", std::string(1, what) + show(object));
  const auto known = mirror.find(object.key);
  const std::uint64_t version = number_of(object.resource_version);
  std::uint64_t& last = newest[object.key];
  const auto& writes = truth.of(probe.resource).writes;
  const auto write = writes.find(version);
  // What a selector no longer matches is deleted at the version of the object that took its place.
  const bool other_uid = what == '-' && !selection.knows_keys();
  if (write == writes.end() || write->second.key.to_string() != object.key ||
      (write->second.uid != object.uid && !other_uid)) {
    fail(kHistory, show(object) + " is a state that the server never had");
  }
  switch (what) {
    case '+':
      if (known != mirror.end()) fail(kHistory, show(object) + " is added twice");
      if (version <= last && !truth.lies().goes_back) {
        fail(kHistory, show(object) + " is added after " + std::to_string(last));
      }
      if (flag && handler_synced) fail(kSynced, show(object) + " comes later");
      if (flag) baseline = std::max(baseline, version);
      mirror[object.key] = object;
      break;
    case '=':
      if (known == mirror.end()) {
        fail(kHistory, show(object) + " is updated and was never added");
      } else if (known->second.resource_version != before.resource_version ||
                 known->second.uid != before.uid) {
        fail(kHistory,
             show(before) + " is not the state that came last, which is " + show(known->second));
      }
      if (!truth.lies().goes_back &&
          (version < last || (version == last && !flag && !probe.decoded))) {
        fail(kHistory, show(object) + " comes after " + std::to_string(last));
      }
      mirror[object.key] = object;
      break;
    default:
      if (known == mirror.end() && !may_come_again(truth.lies(), last, version)) {
        fail(kHistory, show(object) + " is deleted and was never added");
      }
      if (version < last && !truth.lies().goes_back) {
        fail(kHistory, show(object) + " is deleted after " + std::to_string(last));
      }
      mirror.erase(object.key);
  }
  last = std::max(last, version);
  versions.insert(version);
}

void ObservedInformer::Witness::look() {
  if (released) return;
  // An object that has not changed since is in every list that an informer can have received.
  const std::uint64_t oldest = truth.oldest_since(began_restarts, began);
  const auto check = [&](const auto& has) {
    if (is_late || truth.lies().ends_too_soon) return;
    for (const auto& [key, state] : truth.of(probe.resource).objects) {
      if (state.version <= oldest && !has(key) && selects(key)) fail(kSynced, key + " is missing");
    }
  };
  if (!handler_synced && registration_synced && registration_synced()) {
    handler_synced = true;
    if (const auto& writes = truth.of(probe.resource).writes; !writes.empty()) {
      joined = writes.rbegin()->first;
    }
    // What is gone by now may have gone before the handler was added on the informer's strand.
    for (const SeenObject& object : had.empty() ? had : probe.objects()) {
      const bool before = std::ranges::any_of(had, [&](const SeenObject& each) {
        return each.key == object.key && each.uid == object.uid;
      });
      if (before && !newest.contains(object.key)) fail(kSynced, show(object) + " was in the store");
    }
    check([&](const std::string& key) { return mirror.contains(key); });
  }
  if (!synced && handler_synced) {
    const InformerStatus status = probe.status();
    if (!status.synced) fail(kSynced, "a handler before its informer");
    synced = true;
    const std::vector<SeenObject> stored = probe.objects();
    check([&](const std::string& key) {
      return std::ranges::any_of(stored, [&](const SeenObject& each) { return each.key == key; });
    });
  }
}

bool ObservedInformer::Witness::selects(const std::string& key) const {
  const ObjectKey object = object_key_of(key);
  if (!selection.may_match(object) || selection.knows_keys()) return selection.may_match(object);
  const auto served = stage->server().get(probe.served_as, object);
  return served && selection.matches(*served);
}

std::string ObservedInformer::Witness::unrest() {
  if (released) return {};
  const InformerStatus status = probe.status();
  if (status.state == InformerState::NotStarted) return name + ": the informer was never started";
  if (status.state == InformerState::Stopped) {
    return name + ": the informer has stopped, and its witness was not released";
  }
  if (!status.synced) return name + ": the informer has not synced";
  if (!handler_synced) return name + ": the handler has not synced";
  std::map<std::string, SeenObject> stored;
  for (SeenObject& object : probe.objects()) {
    std::string key = object.key;
    stored.emplace(std::move(key), std::move(object));
  }
  const Truth::Resource& real = truth.of(probe.resource);
  std::size_t count = 0;
  for (const auto& [key, state] : real.objects) {
    if (!selects(key)) continue;
    ++count;
    const std::string version = std::to_string(state.version);
    const auto in_store = stored.find(key);
    if (in_store == stored.end()) return name + ": the cache lacks " + key + "@" + version;
    if (in_store->second.resource_version != version || in_store->second.uid != state.uid) {
      return name + ": the cache has " + show(in_store->second) + ", the server " + version;
    }
    const auto in_mirror = mirror.find(key);
    if (in_mirror == mirror.end()) return name + ": the handler lacks " + key + "@" + version;
    if (in_mirror->second.resource_version != version) {
      return name + ": the handler has " + show(in_mirror->second) + ", the server " + version;
    }
  }
  if (stored.size() != count) return name + ": the cache has objects that the server lacks";
  if (mirror.size() != count) return name + ": the handler has objects that the server lacks";
  for (const HandlerStatus& handler : status.handlers) {
    if (handler.pending != 0) return name + ": notifications wait for " + handler.name;
  }
  if (std::string other = other_content(); !other.empty()) return other;
  // Which labels an object had is not known.
  if (status.lists > 1 || truth.lies().leaves_out || !selection.knows_keys()) return {};
  // Without a relist nothing may be skipped from the first event on; what is newer may still be on
  // its way. Where older states come again the first event may be one of them.
  const auto first =
      versions.upper_bound(truth.lies().goes_back ? std::max(baseline, joined) : baseline);
  for (const auto& [version, write] : real.writes) {
    if (first == versions.end() || version <= *first || !selection.may_match(write.key)) continue;
    if (version > *versions.rbegin()) break;
    if (!versions.contains(version)) {
      fail(kHistory, write.key.to_string() + "@" + std::to_string(version) + " was never reported");
    }
  }
  return {};
}

std::string ObservedInformer::Witness::other_content() const {
  if (truth.lies().other_content || probe.other_content) return {};
  for (const auto& [key, state] : truth.of(probe.resource).objects) {
    if (!selects(key)) continue;
    const ObjectKey object = object_key_of(key);
    const auto served = stage->server().get(probe.served_as, object);
    if (!served || !probe.has(object, *served)) {
      return name + ": the cache has another content of " + key + "@" +
             std::to_string(state.version);
    }
  }
  return {};
}

ObservedInformer::ObservedInformer(std::shared_ptr<Witness> witness,
                                   HandlerRegistration registration)
    : witness_(std::move(witness)),
      registration_(std::make_shared<HandlerRegistration>(std::move(registration))) {
  witness_->registration_synced = [weak = std::weak_ptr(registration_)] {
    const auto alive = weak.lock();
    return alive && alive->has_synced();
  };
}

ObservedInformer& ObservedInformer::operator=(ObservedInformer&& other) noexcept {
  release();
  witness_ = std::move(other.witness_);
  registration_ = std::move(other.registration_);
  return *this;
}

ObservedInformer::~ObservedInformer() {
  release();
}

void ObservedInformer::release() {
  if (!registration_) return;
  registration_->unregister();
  {
    const auto held = witness_->lock();
    // A call that has begun by now may be heard later where threads take no turns.
    witness_->leaves = witness_->stage->takes_turns();
  }
  registration_->unregister_and_wait();
  {
    const auto held = witness_->lock();
    witness_->released = true;
  }
  registration_.reset();
}

}  // namespace kube::testing

// SPDX-License-Identifier: Apache-2.0
#include "reconciles.hpp"

#include "witness.hpp"

namespace kube::testing {

Result<ReconcileResult> Reconciles::reconcile(const Reconciler& reconciler,
                                              const ReconcileRequest& request,
                                              std::stop_token stop) {
  const std::string name = request.key.to_string();
  auto held = lock_();
  State& state = keys_[name];
  state.key = request.key;
  if (state.in_hands) {
    journal_.fail("no key is in the hands of two workers", resource_ + " " + name);
  }
  state.in_hands = true;
  state.succeeded = false;
  state.version = version_(request.key);
  journal_.note([&] { return "reconcile " + name + "@" + state.version; });
  held = {};
  Result<ReconcileResult> result = reconciler(request, std::move(stop));
  held = lock_();
  state.in_hands = false;
  state.succeeded = result.has_value();
  journal_.note(
      [&] { return "reconciled " + name + (result ? "" : ": " + result.error().to_string()); });
  return result;
}

std::string Reconciles::unrest(const Truth& truth, const ObservedInformer::Witness* witness) const {
  const auto& objects = truth.of(resource_).objects;
  const char* const where = witness != nullptr ? "the server" : "the cache";
  const auto version_of = [&](const ObjectKey& key, const std::string& name) -> std::string {
    if (witness == nullptr) return version_(key);
    const auto object = objects.find(name);
    if (object == objects.end() || !witness->selects(name)) return {};
    return std::to_string(object->second.version);
  };
  for (const auto& [name, state] : keys_) {
    const std::string version = version_of(state.key, name);
    if (state.in_hands || !state.succeeded || state.version != version) {
      return "the last reconcile of " + name + " has seen \"" + state.version + "\", " + where +
             " has \"" + version + "\"" + (state.succeeded ? "" : ", and did not succeed");
    }
  }
  for (const auto& [name, object] : objects) {
    if (keys_.contains(name)) continue;
    if (!version_of(object_key_of(name), name).empty()) return name + " was never reconciled";
  }
  return {};
}

Reconciler watched_reconciler(std::shared_ptr<Reconciles> reconciles, Reconciler reconcile) {
  return [reconciles = std::move(reconciles), reconcile = std::move(reconcile)](
             const ReconcileRequest& request, std::stop_token stop) {
    return reconciles->reconcile(reconcile, request, std::move(stop));
  };
}

}  // namespace kube::testing

// SPDX-License-Identifier: Apache-2.0
//
// The example of docs/howto/simulate-your-controller.md: a controller that counts claims, once with
// a race.
#include <string>

#include <kube/api/core/v1/config_map.hpp>
#include <kube/patch/patch.hpp>
#include <kube/simulation/simulation.hpp>

namespace {

using kube::core::v1::ConfigMap;
using kube::testing::Simulation;

// [reconciler]
// Counts the claims that it has seen in the annotation "used" of the ConfigMap "summary".
class Counter {
 public:
  Counter(const kube::Client& client, bool races)
      : api_(client.api<ConfigMap>("claims")), races_(races) {}

  kube::Result<kube::ReconcileResult> reconcile(const kube::ReconcileRequest& request,
                                                const std::stop_token& stop) {
    if (request.key.name == "summary") return kube::ReconcileResult::done();
    auto summary = api_.get("summary", {}, stop);
    if (!summary) return summary.error();
    auto& notes = summary->metadata.annotations;
    if (notes.contains("seen-" + request.key.name)) return kube::ReconcileResult::done();
    notes["seen-" + request.key.name] = "true";
    notes["used"] = std::to_string(std::stoi(notes["used"]) + 1);
    // Without a resourceVersion the server takes it, whatever has been written since the get.
    if (races_) summary->metadata.resource_version.clear();
    auto updated = api_.update(*summary, {}, stop);
    if (!updated) return updated.error();  // a Conflict is retried
    return kube::ReconcileResult::done();
  }

 private:
  const kube::Api<ConfigMap> api_;
  const bool races_;
};
// [reconciler]

kube::Unstructured claim(const std::string& name, kube::json::Object annotations) {
  return kube::Unstructured(kube::json::Object{
      {"apiVersion", "v1"},
      {"kind", "ConfigMap"},
      {"metadata",
       kube::json::Object{
           {"name", name}, {"namespace", "claims"}, {"annotations", std::move(annotations)}}}});
}

// [scenario]
void count_claims(Simulation& sim, bool races) {
  static_cast<void>(sim.server().load(claim("summary", {{"used", "0"}})));
  const kube::InformerOptions options{.namespace_ = "claims"};
  kube::SharedInformer<ConfigMap> claims(sim.client().rest(), options);
  const auto observed = sim.observe(claims, options);

  Counter counter(sim.client(), races);
  kube::Controller controller(
      sim.runtime(),
      sim.watched(claims, [&](const kube::ReconcileRequest& request,
                              std::stop_token stop) { return counter.reconcile(request, stop); }),
      {.workers = 2, .executor = sim.runtime().executor});
  static_cast<void>(controller.watch(claims));
  static_cast<void>(controller.start());
  static_cast<void>(claims.start());

  int made = 0;
  sim.at_rest("every claim is counted", [&]() -> std::string {
    const auto summary = sim.server().get({"", "v1", "configmaps"}, {"claims", "summary"});
    if (!summary) return summary.error().to_string();
    const auto used = summary->content.string_at({"metadata", "annotations", "used"});
    if (used == std::to_string(made)) return {};
    return std::string(used) + " are counted, " + std::to_string(made) + " were made";
  });
  for (int i = 0; i < 6; ++i) {
    sim.step("make a claim", [&] {
      static_cast<void>(sim.server().load(claim("claim-" + std::to_string(i), {})));
      ++made;
    });
    sim.run_for(std::chrono::milliseconds(sim.draw(30)));
  }
  sim.rest();
  controller.stop_and_wait();
}
// [scenario]

}  // namespace

// [main]
int main(int argc, char** argv) {
  const kube::testing::NamedScenario scenarios[] = {
      {"races", [](Simulation& sim) { count_claims(sim, true); }},
      {"conflicts", [](Simulation& sim) { count_claims(sim, false); }},
  };
  return kube::testing::simulation_main(argc, argv, scenarios);
}
// [main]

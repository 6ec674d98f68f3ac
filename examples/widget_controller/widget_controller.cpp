// SPDX-License-Identifier: Apache-2.0
#include "widget_controller.hpp"

#include <algorithm>
#include <string>

#include <kube/api/apiextensions/v1/custom_resource_definition.hpp>
#include <kube/client/api.hpp>
#include <kube/codec/codec.hpp>
#include <kube/json/yaml.hpp>
#include <kube/meta/errors.hpp>

namespace example {
namespace {

using acme::v1::Widget;
using acme::v1::WidgetStatus;
using acme::v1::WidgetStatusPhase;
using kube::ReconcileResult;
using kube::Result;
using kube::apiextensions::v1::CustomResourceDefinition;

bool is_established(const CustomResourceDefinition& definition) {
  return std::ranges::any_of(definition.status.conditions, [](const auto& condition) {
    return condition.type == "Established" && condition.status == "True";
  });
}

}  // namespace

// [install]
Result<void> install_definition(const kube::Client& client, std::string_view yaml,
                                std::stop_token stop) {
  const auto document = kube::yaml::parse(yaml);
  if (!document) return document.error();
  const auto definition =
      kube::meta::from_json<CustomResourceDefinition>(kube::json::dump(*document));
  if (!definition) return definition.error();
  const auto api = client.api<CustomResourceDefinition>();
  const auto created = api.create(*definition, {}, stop);
  if (!created && !kube::is_already_exists(created.error())) return created.error();

  auto changes = api.watch({.field_selector = "metadata.name=" + definition->metadata.name}, stop);
  if (!changes) return changes.error();
  while (auto event = changes->next(stop)) {
    if (!*event) return event->error();
    if ((*event)->error) return *(*event)->error;
    if (is_established((*event)->object)) return {};
  }
  return changes->end_reason();
}
// [install]

WidgetController::WidgetController(kube::Client client)
    : client_(std::move(client)),
      widgets_(client_.rest()),
      controller_(client_.rest().runtime(),
                  [this](const kube::ReconcileRequest& request, std::stop_token stop) {
                    return reconcile(request, std::move(stop));
                  },
                  {.name = "widgets"}) {}

Result<void> WidgetController::start() {
  if (auto watched = controller_.watch(widgets_); !watched) return watched;
  if (auto started = controller_.start(); !started) return started;
  return widgets_.start();
}

void WidgetController::stop() {
  controller_.stop_and_wait();
  widgets_.stop_and_wait();
}

// [reconcile]
Result<ReconcileResult> WidgetController::reconcile(const kube::ReconcileRequest& request,
                                                    std::stop_token stop) {
  const auto current = widgets_.lister().find(request.key);
  if (!current) return ReconcileResult::done();
  std::int32_t parts = 0;
  for (const auto& part : current->spec.parts) parts += part.count.value_or(1);

  Widget next = *current;
  WidgetStatus& status = next.status.ensure();
  status.phase = parts == 0 ? WidgetStatusPhase::Pending : WidgetStatusPhase::Ready;
  status.parts = parts;
  status.observed_generation = next.metadata.generation;
  if (next == *current) return ReconcileResult::done();
  auto updated =
      client_.api<Widget>(request.key.namespace_).update_status(next, {}, std::move(stop));
  // A conflict means that the cache is outdated: its next event repeats the work.
  if (!updated && !kube::is_conflict(updated.error())) return updated.error();
  return ReconcileResult::done();
}
// [reconcile]

}  // namespace example

// SPDX-License-Identifier: Apache-2.0
//
// Pointers, views and iterators into a value without a name are gone before anybody can use them:
// one example for each type that hands such out.
#include <string>
#include <string_view>

#include <kube/api/apps/v1/deployment.hpp>
#include <kube/client/client.hpp>
#include <kube/client/list.hpp>
#include <kube/client/watch_stream.hpp>
#include <kube/codec/field_view.hpp>
#include <kube/codec/nested.hpp>
#include <kube/meta/aggregate.hpp>
#include <kube/meta/conditions.hpp>
#include <kube/meta/errors.hpp>
#include <kube/meta/owner_references.hpp>
#include <kube/names/int_or_string.hpp>
#include <kube/validation/runtime_schema.hpp>

using kube::Error;
using kube::Result;
using kube::Unstructured;
using kube::apps::v1::Deployment;
using kube::json::Value;

Value document();
Unstructured object();
Result<kube::Client> client();
Result<Deployment> deployment();
Result<kube::RawList> raw_list();
Error failure();
kube::transport::Headers headers();
kube::meta::FieldView field();
kube::meta::RuntimeSchema schema();
std::vector<kube::meta::Condition> conditions();
kube::WatchStream<Deployment>& stream();
void use(const void* pointer);
void use(std::string_view view);

void run() {
#ifndef WRONG
  const Value named = document();
  use(named.if_string());
  use(named.string_at({"kind"}));
  if (const auto* members = named.if_object()) {
    for (const auto& member : *members) use(member.first);
  }
  const Unstructured pod = object();
  use(pod.name());
  const auto& message = failure().message();
  use(message);
  const auto& rest = client().value().rest();
  use(rest.config().host);
  const auto& surge = deployment().value().spec.strategy.rolling_update.value().max_surge;
  use(&surge);
  const Error error = failure();
  use(kube::meta::status_of(error));
  const auto& event = stream().next().value().value();
  use(event.object.metadata.name);
  const auto& reason = *kube::aggregate({failure()});
  use(reason.message());
  const auto& node = *kube::nested_string(document(), {"spec", "nodeName"}).value();
  use(node);
  const auto list = conditions();
  use(kube::find_status_condition(list, "Ready"));
#elif WRONG == 1
  use(document().if_string());
#elif WRONG == 2
  use(document().at_path({"metadata", "name"}));
#elif WRONG == 3
  use(document().string_at({"metadata", "name"}));
#elif WRONG == 4
  use(kube::json::Object().find("kind"));
#elif WRONG == 5
  const auto first = kube::json::Object().begin();
  use(first->first);
#elif WRONG == 6
  use(object().name());
#elif WRONG == 7
  use(object().resource_version());
#elif WRONG == 8
  use(kube::meta::IntOrString("http").if_string());
#elif WRONG == 9
  use(*headers().find("Content-Type"));
#elif WRONG == 10
  use(headers().begin()->second);
#elif WRONG == 11
  std::string scratch;
  use(*field().text(scratch));
#elif WRONG == 12
  use(raw_list().value().item(0));
#elif WRONG == 13
  const auto first = kube::List<Deployment>().begin();
  use(first->metadata.name);
#elif WRONG == 14
  const auto& surge = deployment().value().spec.strategy.rolling_update->max_surge;
  use(&surge);
#elif WRONG == 15
  use(kube::meta::status_of(failure()));
#elif WRONG == 16
  use(kube::errors_of(failure()));
#elif WRONG == 17
  use(*kube::nested_field(document(), {"spec"}));
#elif WRONG == 18
  use(kube::find_status_condition(conditions(), "Ready"));
#elif WRONG == 19
  use(schema().find({"acme.io", "v1", "Widget"}));
#elif WRONG == 20
  const std::string* message = &failure().message();
  use(*message);
#elif WRONG == 21
  const kube::RestClient* rest = &client().value().rest();
  use(rest);
#elif WRONG == 22
  const auto* resource = &client().value().api<Deployment>().resource();
  use(resource);
#elif WRONG == 24
  use(stream().next()->value().object.spec.strategy.type);
#elif WRONG == 25
  for (const auto& container : stream().next()->value().object.spec.template_.spec->containers)
    use(container.name);
#elif WRONG == 26
  const auto& message = stream().next().value().value().error->message();
  use(message);
#elif WRONG == 27
  const auto& message = kube::aggregate({failure()})->message();
  use(message);
#elif WRONG == 28
  const auto& name = kube::get_controller_of(object())->name;
  use(name);
#elif WRONG == 29
  const std::string& node = *(kube::nested_string(document(), {"spec"})->operator->());
  use(node);
#elif WRONG == 23
  Value& made = document().ensure_path({"metadata", "name"});
  use(&made);
#endif
}

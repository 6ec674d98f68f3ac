// SPDX-License-Identifier: Apache-2.0
//
// Pointers, views and iterators into a value without a name are gone before anybody can use them:
// one example for each type that hands such out. What a Result holds goes with it, too.
#include <string>
#include <string_view>
#include <vector>

#include <kube/api/apps/v1/deployment.hpp>
#include <kube/base/ascii.hpp>
#include <kube/base/printable.hpp>
#include <kube/client/api.hpp>
#include <kube/client/client.hpp>
#include <kube/client/list.hpp>
#include <kube/client/watch_splitter.hpp>
#include <kube/client/watch_stream.hpp>
#include <kube/codec/converter.hpp>
#include <kube/codec/field_dropper.hpp>
#include <kube/codec/field_view.hpp>
#include <kube/codec/nested.hpp>
#include <kube/codec/protobuf.hpp>
#include <kube/codec/watch_frames.hpp>
#include <kube/codec/wire.hpp>
#include <kube/json/cursor.hpp>
#include <kube/json/json_path.hpp>
#include <kube/json/json_path_template.hpp>
#include <kube/json/object_members.hpp>
#include <kube/json/yaml.hpp>
#include <kube/meta/aggregate.hpp>
#include <kube/meta/conditions.hpp>
#include <kube/meta/errors.hpp>
#include <kube/meta/owner_references.hpp>
#include <kube/names/go_text.hpp>
#include <kube/names/int_or_string.hpp>
#include <kube/schema/model.hpp>
#include <kube/validation/runtime_schema.hpp>

using kube::Api;
using kube::Error;
using kube::read_beginning_of_event;
using kube::read_watch_event;
using kube::Result;
using kube::Unstructured;
using kube::apps::v1::Deployment;
using kube::json::Value;
using kube::yaml::read_documents;

Value document();
Unstructured object();
Result<kube::Client> client();
Result<Deployment> deployment();
Result<kube::RawList> raw_list();
const Api<Deployment>& deployments();
Error failure();
kube::schema::Package package();
std::string text();
const std::string const_text();
kube::transport::Headers headers();
kube::meta::FieldView field();
kube::meta::RuntimeSchema schema();
std::vector<kube::meta::Condition> conditions();
kube::WatchStream<Deployment>& stream();
void use(const void* pointer);
void use(std::string_view view);

void right() {
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
  const auto& spec = deployments().get("front").value().spec;  // lives as long as `spec`
  use(&spec);
  for (const Deployment& each : deployments().list_all().value()) use(each.metadata.name);
  const Error& refusal = deployments().get("front").error();
  use(refusal.message());
  const Result<Deployment> found = deployments().get("front");
  use(found->metadata.name);
  const auto list = conditions();
  use(kube::find_status_condition(list, "Ready"));
}

void right(const kube::json::JsonPath& path, const kube::json::JsonPathTemplate& lines,
           const kube::meta::FieldLocator& field_of, const kube::meta::FieldDropper& dropper) {
  const Value named = document();
  use(path.find(named)[0]);
  use(path.find_first(named));
  use(lines.find(named).value()[0][0]);
  std::string scratch;
  const std::string kept = text();
  std::string changing = text();
  const kube::meta::FieldView found = field_of.find(kept).value();
  use(*found.text(scratch));
  use(dropper.drop_in_json(kept, scratch).value());
  use(dropper.drop_in_json(changing, scratch).value());
  use(dropper.drop_in_json("{}", scratch).value());
  use(kube::yaml::read_documents("kind: Pod").value()[0].json);
  use(kube::meta::open_envelope(std::string_view(kept)).value().raw);
  use(kube::ascii::trim_space(" literals stay "));
  kube::json::Cursor cursor(std::string_view(kept).substr(1));
  use(&cursor);
}

void wrong() {
  use(document().if_string());                           // wrong: deleted if_string
  use(document().at_path({"metadata", "name"}));         // wrong: deleted at_path
  use(document().string_at({"metadata", "name"}));       // wrong: deleted string_at
  use(&document().ensure_path({"metadata", "name"}));    // wrong: temporary
  use(kube::json::Object().find("kind"));                // wrong: deleted find
  use(kube::json::Object().begin()->first);              // wrong: deleted begin
  use(object().name());                                  // wrong: deleted name
  use(object().resource_version());                      // wrong: deleted resource_version
  use(kube::meta::IntOrString("http").if_string());      // wrong: deleted if_string
  use(*headers().find("Content-Type"));                  // wrong: deleted find
  use(headers().begin()->second);                        // wrong: deleted begin
  use(raw_list().value().item(0));                       // wrong: deleted item
  use(kube::List<Deployment>().begin()->metadata.name);  // wrong: deleted begin
  use(schema().find({"acme.io", "v1", "Widget"}));       // wrong: deleted find
  use(package().find("Widget"));                         // wrong: deleted find
  std::string scratch;
  use(*field().text(scratch));                              // wrong: deleted text
  use(&failure().message());                                // wrong: temporary
  use(&client().value().rest());                            // wrong: temporary
  use(&client().value().api<Deployment>().resource());      // wrong: temporary
  use(kube::aggregate({failure()})->message());             // wrong: deleted operator->
  use(kube::get_controller_of(object())->name);             // wrong: deleted operator->
  use(stream().next()->value().object.spec.strategy.type);  // wrong: deleted operator->
  use(stream().next().value().value().error->message());    // wrong: deleted operator->
  {                                                         // wrong: deleted operator->
    const auto& surge = deployment().value().spec.strategy.rolling_update->max_surge;
    use(&surge);
  }
  {  // wrong: deleted operator->
    for (const auto& container : stream().next()->value().object.spec.template_.spec->containers)
      use(container.name);
  }
  {  // wrong: deleted operator->
    use(*(kube::nested_string(document(), {"spec"})->operator->()));
  }
  use(&deployments().get("front")->spec);                               // wrong: deleted operator->
  use(&deployments().get("front").value());                             // wrong: temporary
  use(&*deployments().get("front"));                                    // wrong: temporary
  use(&deployments().get("front").error());                             // wrong: temporary
  Deployment& found = deployments().get("front").value();               // wrong: temporary
  for (const auto& each : deployments().list_all()->items) use(&each);  // wrong: deleted operator->
}

// What points into an argument: an Error, a list, a document, text.
void wrong(const kube::json::JsonPath& path, const kube::json::JsonPathTemplate& lines,
           const kube::meta::FieldLocator& field_of, const kube::meta::FieldDropper& dropper) {
  use(kube::meta::status_of(failure()));                    // wrong: deleted status_of
  use(kube::errors_of(failure()));                          // wrong: deleted errors_of
  use(*kube::nested_field(document(), {"spec"}));           // wrong: deleted nested_field
  use(kube::find_status_condition(conditions(), "Ready"));  // wrong: deleted find_status_condition
  use(path.find(document())[0]);                            // wrong: deleted find
  use(path.find(kube::meta::to_value(Deployment()))[0]);    // wrong: deleted find
  use(path.find_first(document()));                         // wrong: deleted find_first
  use(lines.find(document()).value()[0][0]);                // wrong: deleted find

  std::string scratch;
  const auto encoding = kube::Encoding::Json;
  (void)field_of.find(text());                               // wrong: deleted find
  (void)field_of.find_in_message(text());                    // wrong: deleted find_in_message
  use(dropper.drop_in_json(text(), scratch).value());        // wrong: deleted drop_in_json
  use(dropper.drop_in_message(text(), scratch).value());     // wrong: deleted drop_in_message
  (void)read_documents(text());                              // wrong: deleted read_documents
  use(kube::meta::open_envelope(text()).value().raw);        // wrong: deleted open_envelope
  use(kube::meta::read_watch_frame(text()).value().object);  // wrong: deleted read_watch_frame
  (void)read_watch_event(text(), encoding);                  // wrong: deleted read_watch_event
  (void)read_beginning_of_event(text(), encoding);         // wrong: deleted read_beginning_of_event
  use(kube::json::string_value(text(), scratch).value());  // wrong: deleted string_value
  use(kube::go::split(text(), ',')[0]);                    // wrong: deleted split
  use(kube::whole_characters(text(), 9));                  // wrong: deleted whole_characters
  use(kube::ascii::trim_space(text()));                    // wrong: deleted trim_space
  use(kube::ascii::trim_blanks(const_text()));             // wrong: deleted trim_blanks
  const kube::json::Cursor cursor(text());                 // wrong: deleted Cursor
  const kube::meta::wire::Fields fields(text());           // wrong: deleted Fields
}

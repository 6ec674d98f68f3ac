// SPDX-License-Identifier: Apache-2.0
//
// The tables of rules, and what no recorded refusal shows.
#include <algorithm>
#include <map>
#include <set>

#include <kube/api/types.hpp>

#include "refusal_fixture.hpp"
#include "validation/addresses.hpp"
#include "validation/rule.hpp"
#include "validation/schedule.hpp"
#include "validation/type_validation.hpp"

namespace kube::apiserver::test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

using TypesByName = std::map<std::string_view, const meta::TypeDescriptor*>;

void add_type(TypesByName& types, const meta::TypeDescriptor& type);

// An inlined type is a part of others: rules are of those.
void add_types_of_fields(TypesByName& types, const meta::TypeDescriptor& type) {
  for (const meta::FieldDescriptor& field : type.fields) {
    if (field.message == nullptr) continue;
    field.inline_ ? add_types_of_fields(types, *field.message) : add_type(types, *field.message);
  }
}

void add_type(TypesByName& types, const meta::TypeDescriptor& type) {
  if (types.emplace(type.name, &type).second) add_types_of_fields(types, type);
}

TypesByName types_by_name() {
  TypesByName types;
  for (const meta::TypeDescriptor* type : api::all_types()) add_type(types, *type);
  return types;
}

bool has_field(const meta::TypeDescriptor& type, std::string_view name) {
  return std::ranges::find(type.keys.fields, name, &meta::FieldDescriptor::json) !=
         type.keys.fields.end();
}

TEST(TypeRules, NameTypesAndFieldsThatExist) {
  const TypesByName types = types_by_name();
  std::set<std::string_view> seen;
  for (const TypeRules& each : all_type_rules()) {
    EXPECT_TRUE(seen.insert(each.type).second) << each.type << " has two tables";
    const auto type = types.find(each.type);
    ASSERT_NE(type, types.end()) << each.type;
    for (const Rule& rule : each.rules) {
      EXPECT_TRUE(rule.field.empty() || has_field(*type->second, rule.field))
          << each.type << ' ' << rule.field;
      for (const Member& member : rule.members)
        EXPECT_TRUE(has_field(*type->second, member.field)) << each.type << ' ' << member.field;
    }
  }
}

TEST(Schedules, AreRefusedInTheWordsOfTheirReader) {
  for (const auto& [schedule, problem] : std::vector<std::pair<std::string, std::string>>{
           {"60 * * * *", "end of range (60) above maximum (59): 60"},
           {"* 24 * * *", "end of range (24) above maximum (23): 24"},
           {"a * * * *",
            R"(failed to parse int from a: strconv.Atoi: parsing "a": invalid syntax)"},
           {"-1 * * * *", R"(failed to parse int from : strconv.Atoi: parsing "": invalid syntax)"},
           {"5-1 * * * *", "beginning of range (5) beyond end of range (1): 5-1"},
           {"*/0 * * * *", "step of range should be a positive number: */0"},
           {"1-2-3 * * * *", "too many hyphens: 1-2-3"},
           {"1/2/3 * * * *", "too many slashes: 1/2/3"},
           {"* * 0 * *", "beginning of range (0) below minimum (1): 0"},
           {"* * * 13 *", "end of range (13) above maximum (12): 13"},
           {"* * * * 7", "end of range (7) above maximum (6): 7"},
           {"@foo", "unrecognized descriptor: @foo"},
           {"* * *", "expected exactly 5 fields, found 3: [* * *]"},
           {"", "empty spec string"}}) {
    EXPECT_EQ(schedule_problem(schedule), problem);
  }
  for (const std::string_view schedule :
       {"* * * Feb Sun", "*/15 1-5,7 ? jan-dec 0-6", "@daily", "@every 5m", "0,30 * * * mon-fri"})
    EXPECT_EQ(schedule_problem(schedule), std::nullopt) << schedule;
}

TEST(Schedules, AreOfATimeZoneThatThereIs) {
  for (const std::string_view zone :
       {"Africa/Abidjan", "Europe/Berlin", "Etc/GMT+3", "UTC", "Zulu"})
    EXPECT_TRUE(is_time_zone(zone)) << zone;
  for (const std::string_view zone : {"Foo/Bar", "europe/berlin", "Europe", "UTC WET", " ", ""})
    EXPECT_FALSE(is_time_zone(zone)) << zone;
}

TEST(Addresses, AreReadAsGoReadsThem) {
  for (const std::string_view text : {"1.2.3.4", "::1", "2001:db8::ffff"})
    EXPECT_THAT(ip_problems(text), IsEmpty()) << text;
  for (const std::string_view text : {"", "1.2.3", "1.2.3.256", "a", "1::2::3", "fe80::1%eth0"})
    EXPECT_THAT(ip_problems(text),
                ElementsAre("must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)"))
        << text;
  EXPECT_THAT(ip_problems("01.2.3.4"), ElementsAre("must not have leading 0s"));
  EXPECT_THAT(ip_problems("::ffff:1.2.3.4"),
              ElementsAre("must not be an IPv4-mapped IPv6 address"));
  for (const std::string_view text : {"10.0.0.0/8", "0.0.0.0/0", "2001:db8::/64", "1.2.3.4/32"})
    EXPECT_THAT(cidr_problems(text), IsEmpty()) << text;
  EXPECT_THAT(cidr_problems("10.0.0.1/8"),
              ElementsAre("must not have bits set beyond the prefix length"));
  EXPECT_THAT(cidr_problems("10.0.0.0/08"),
              ElementsAre("must not have leading 0s in IP or prefix length"));
  EXPECT_THAT(cidr_problems("10.0.0.0/33").size(), 1U);
}

class TypeValidation : public ServerTest {};

constexpr std::string_view kTestPods = "/api/v1/namespaces/t/pods";

// A volume without a source is an empty directory, a port without a protocol TCP, and so on.
TEST_F(TypeValidation, FieldsWithADefaultMayBeAbsent) {
  const Answer pod = post(kTestPods, R"({"metadata":{"name":"a"},"spec":{
    "volumes":[{"name":"v"}],
    "containers":[{"name":"c","image":"i","ports":[{"containerPort":1}],
      "env":[{"name":"N","valueFrom":{"fieldRef":{"fieldPath":"metadata.name"}}}],
      "livenessProbe":{"httpGet":{"port":"a"}},
      "volumeMounts":[{"name":"v","mountPath":"/v"}]}]}})");
  EXPECT_EQ(pod.status, 201) << pod.body;
  const Answer service = post("/api/v1/namespaces/t/services",
                              R"({"metadata":{"name":"1a"},"spec":{"ports":[{"port":1}]}})");
  EXPECT_EQ(service.status, 201) << service.body;
}

TEST_F(TypeValidation, AStatefulSetsClaimsAreVolumesOfItsPods) {
  const Answer made = post("/apis/apps/v1/namespaces/t/statefulsets", R"({"metadata":{"name":"a"},
    "spec":{"selector":{"matchLabels":{"a":"b"}},
      "volumeClaimTemplates":[{"metadata":{"name":"d"},"spec":{"accessModes":["ReadWriteOnce"],
        "resources":{"requests":{"storage":"1Gi"}}}}],
      "template":{"metadata":{"labels":{"a":"b"}},"spec":{"hostname":"a.b","containers":[
        {"name":"c","image":"i","volumeDevices":[{"name":"d","devicePath":"/d"}]}]}}}})");
  EXPECT_EQ(made.status, 201) << made.body;
}

TEST_F(TypeValidation, AnUpdateIsCheckedAsANewObject) {
  const std::string target = "/apis/apps/v1/namespaces/t/deployments";
  ASSERT_EQ(post(target, R"({"metadata":{"name":"a"},"spec":{
    "selector":{"matchLabels":{"a":"b"}},"template":{"metadata":{"labels":{"a":"b"}},
    "spec":{"containers":[{"name":"c","image":"i"}]}}}})")
                .status,
            201);
  const Answer wrong = merge(target + "/a", R"({"spec":{"replicas":-1}})");
  expect_status(wrong, 422, "Invalid");
  EXPECT_THAT(errors_of(wrong), ElementsAre("spec.replicas: Invalid value: -1: must be greater "
                                            "than or equal to 0"));
}

// Only what is loaded can be stored and wrong.
TEST_F(TypeValidation, WhatWasWrongBeforeAnUpdateIsNoErrorOfIt) {
  ASSERT_TRUE(server().load_text(R"({"apiVersion":"v1","kind":"Pod",
    "metadata":{"name":"a","namespace":"t"},"spec":{"containers":[{"name":"c"}]}})"));
  const std::string target = std::string(kTestPods) + "/a";
  EXPECT_EQ(merge(target, R"({"metadata":{"labels":{"a":"b"}}})").status, 200);
  const Answer wrong = merge(target, R"({"spec":{"restartPolicy":"Sometimes"}})");
  expect_status(wrong, 422, "Invalid");
}

TEST_F(TypeValidation, SaysThatThereMayBeMoreThanAHundredErrors) {
  json::Array containers;
  for (int i = 0; i < 10'000; ++i)
    containers.push_back(json::Object{{"name", "c" + std::to_string(i)}});
  const json::Value pod =
      json::Object{{"metadata", json::Object{{"name", "a"}}},
                   {"spec", json::Object{{"containers", std::move(containers)}}}};
  const Answer answer = post(kTestPods, json::dump(pod));
  expect_status(answer, 422, "Invalid");
  EXPECT_EQ(errors_of(answer).size(), 100U);
  EXPECT_THAT(answer.at({"message"}), ::testing::HasSubstr("there may be more"));
}

}  // namespace
}  // namespace kube::apiserver::test

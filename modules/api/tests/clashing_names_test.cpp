// SPDX-License-Identifier: Apache-2.0
//
// Types of users' definitions that use the names of the generator's own tables and helpers: that
// they compile is half of the test. Headers of the system come first, with the macros that they
// have.
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <netdb.h>
#include <signal.h>
#include <unistd.h>

#include <cassert>
#include <cerrno>
#include <climits>
#include <cmath>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <ctime>

#include <gmock/gmock.h>

#include <algorithm>
#include <set>
#include <string>
#include <string_view>

#include <clash/all_resources.hpp>
#include <clash/cardinality.hpp>
#include <clash/clash.hpp>
#include <clash/descriptors.hpp>
#include <clash/kube_gen_.hpp>
#include <clash/kube_meta.hpp>
#include <clash/meta.hpp>
#include <clash/resource_tables.hpp>
#include <clash/v1.hpp>
#include <clash/v1/resources.hpp>
#include <clash/value_kind.hpp>
#include <clash/zero_json.hpp>
#include <clone_/v1.hpp>
#include <descriptors/descriptors.hpp>
#include <descriptors/v1.hpp>
#include <kube_gen_/clashing.hpp>
#include <kube_gen_/v1.hpp>
#include <meta/api.hpp>
#include <meta/meta.hpp>
#include <time_/clock.hpp>
#include <time_/time.hpp>

#include <kube/codec/codec.hpp>
#include <kube/codec/descriptor.hpp>
#include <kube/meta/object_meta.hpp>

namespace kube {
namespace {

// An object of a type with all its fields, of which no two texts are equal.
std::string text_of(const meta::TypeDescriptor& type, int& texts) {
  std::string text;
  for (const meta::FieldDescriptor& field : type.fields) {
    if (field.message == &meta::ObjectMeta::descriptor()) continue;
    std::string value = field.kind == meta::ValueKind::Message
                            ? text_of(*field.message, texts)
                            : "\"text " + std::to_string(++texts) + "\"";
    if (field.cardinality == meta::Cardinality::List) value = "[" + value + "]";
    if (type.json_form == meta::JsonForm::List) return value;
    text += (text.empty() ? "\"" : ",\"") + std::string(field.json) + "\":" + value;
  }
  return "{" + text + "}";
}

// Reads an object with all fields of a kind and expects to write the same.
template <class T>
void expect_all_fields() {
  const meta::TypeDescriptor& type = T::descriptor();
  int texts = 0;
  std::string text = text_of(type, texts);
  text.insert(1, "\"kind\":\"" + std::string(type.kind) + "\",\"apiVersion\":\"" +
                     std::string(type.group) + "/" + std::string(type.version) +
                     "\",\"metadata\":{},");
  const auto read = meta::from_json<T>(text);
  ASSERT_TRUE(read) << read.error().to_string();
  EXPECT_EQ(meta::to_json(*read), text);
}

// The types below a type, with it.
void collect(const meta::TypeDescriptor& type, std::set<std::string_view>& names) {
  if (!names.insert(type.name).second) return;
  for (const meta::FieldDescriptor& field : type.fields) {
    if (field.kind == meta::ValueKind::Message) collect(*field.message, names);
  }
}

TEST(ClashingNames, EachObjectHasTablesOfItsOwn) {
  expect_all_fields<clash::v1::Table>();
  std::set<std::string_view> names;
  collect(clash::v1::Table::descriptor(), names);
  // Each property of Table has three structs and one for the list in a list.
  EXPECT_EQ(std::ranges::count_if(names, [](auto name) { return name.starts_with("clash.io"); }),
            1 + 4 * std::ssize(clash::v1::Table::descriptor().fields.subspan(1)));
  EXPECT_EQ(clash::v1::TableFieldsFields::descriptor().name, "clash.io.v1.TableFieldsFields");
  EXPECT_EQ(clash::v1::TableFields::field_facts().size(), 3U);
}

TEST(ClashingNames, EachPropertyHasAMemberOfItsOwn) {
  expect_all_fields<clash::v1::Member>();
  const auto& members = clash::v1::Member::descriptor().fields;
  for (const std::string_view key : {"own", "keywords", "macros", "same", "odd", "objects"}) {
    const auto found = std::ranges::find(members, key, &meta::FieldDescriptor::json);
    ASSERT_NE(found, members.end()) << key;
    std::set<std::uint32_t> offsets;
    for (const meta::FieldDescriptor& field : found->message->fields) offsets.insert(field.offset);
    EXPECT_EQ(offsets.size(), found->message->fields.size()) << key;
  }
}

TEST(ClashingNames, AKindHasItsNameAndAPartOfAnotherKindANumber) {
  EXPECT_EQ(clash::v1::MemberOwn::descriptor().kind, "MemberOwn");
  EXPECT_EQ(clash::v1::MemberOwn2::descriptor().kind, "");
  EXPECT_EQ(clash::v1::TableOwnFieldsFacts::descriptor().kind, "TableOwnFieldsFacts");
  EXPECT_EQ(clash::v1::TableOwnFieldsFacts2::A, "a");
  EXPECT_EQ(clash::v1::Resources::descriptor().kind, "Resources");
  EXPECT_EQ(clash::v1::Namespace::descriptor().kind, "Namespace");
}

TEST(ClashingNames, VersionsAndGroupsAreCalledAsTheyAre) {
  EXPECT_EQ(clash::v1::all_resources().size(), 7U);
  EXPECT_EQ(clash::meta::Part::descriptor().version, "meta");
  EXPECT_EQ(clash::descriptors::Part::descriptor().version, "descriptors");
  EXPECT_EQ(clash::kube_gen_::Part::descriptor().version, "kube-gen");
  EXPECT_EQ(clash::all_resources::Part::descriptor().version, "all-resources");
  EXPECT_EQ(::meta::meta::Meta::descriptor().group, "meta.io");
  EXPECT_EQ(::descriptors::descriptors::Descriptor::descriptor().group, "descriptors.io");
  EXPECT_EQ(kube_gen_::v1::Generator::descriptor().group, "kube-gen.io");
  EXPECT_EQ(time_::time::Time::descriptor().group, "time.io");
  EXPECT_EQ(clone_::v1::Clone::descriptor().group, "clone.io");
}

}  // namespace
}  // namespace kube

// SPDX-License-Identifier: Apache-2.0
//
// Types of users' definitions whose names C++ can't have as they are: that they compile is half of
// the test. Headers of the system come first, with the macros that they have.
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <netdb.h>
#include <signal.h>

#include <cassert>
#include <cerrno>
#include <cstdio>

#include <gmock/gmock.h>

#include <odd/class_.hpp>
#include <odd/class_/resources.hpp>
#include <odd/kube_.hpp>
#include <odd/std_.hpp>
#include <odd/v1_beta.hpp>

#include <kube/codec/codec.hpp>
#include <kube/codec/descriptor.hpp>

namespace kube {
namespace {

using odd::class_::Odd;

TEST(OddNames, EveryPropertyHasAMemberOfItsOwn) {
  std::string text = R"({"kind":"Odd","apiVersion":"odd.io/class","metadata":{"name":"a"})";
  const meta::TypeDescriptor& type = Odd::descriptor();
  for (const meta::FieldDescriptor& field : type.fields) {
    const std::string key(field.json);
    if (field.kind == meta::ValueKind::String) text += ",\"" + key + "\":\"of " + key + "\"";
  }
  text += "}";
  const auto odd = meta::from_json<Odd>(text);
  ASSERT_TRUE(odd) << odd.error().to_string();
  EXPECT_EQ(odd->field_facts_, "of fieldFacts");
  EXPECT_EQ(odd->field_facts__, "of field_facts");
  EXPECT_EQ(odd->class_, "of class");
  EXPECT_EQ(odd->class__, "of class_");
  EXPECT_EQ(odd->errno_, "of errno");
  EXPECT_EQ(odd->st_mtime_, "of st_mtime");
  EXPECT_EQ(odd->null, "of NULL");
  EXPECT_EQ(odd->hidden, "of _hidden");
  EXPECT_EQ(odd->hidden_, "of __hidden");
  EXPECT_EQ(odd->_1st, "of 1st");
  EXPECT_EQ(odd->field, "of $");
  EXPECT_EQ(odd->field_, "of -");
  EXPECT_EQ(meta::to_json(*odd).size(), text.size());
}

TEST(OddNames, FactsAreThoseOfTheProperties) {
  EXPECT_EQ(Odd::field_facts().size(), Odd::descriptor().fields.size());
  EXPECT_EQ(Odd::descriptor().version, "class");
  EXPECT_EQ(odd::std_::Odd::descriptor().version, "std");
  EXPECT_EQ(odd::kube_::Odd::descriptor().version, "kube");
  EXPECT_EQ(odd::v1_beta::Odd::descriptor().version, "v1-beta");
}

TEST(OddNames, KindsMayBeCalledAsTheTablesCallTheirParts) {
  EXPECT_EQ(odd::class_::Kind::descriptor().kind, "Kind");
  EXPECT_EQ(odd::class_::Cardinality::descriptor().kind, "Cardinality");
  EXPECT_EQ(odd::class_::all_resources().size(), 5U);
}

}  // namespace
}  // namespace kube

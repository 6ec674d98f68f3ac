// SPDX-License-Identifier: Apache-2.0
#include <kube/codec/descriptor.hpp>

#include <gtest/gtest.h>

#include <kube/api/example/v1.hpp>

namespace kube::meta {
namespace {

using example::v1::Everything;
using example::v1::Lists;
using example::v1::NamedSource;

static_assert(Described<Everything>);
static_assert(!Described<int>);

TEST(Descriptor, CarriesTheFactsOfProtobufAndStrategicMerge) {
  const TypeDescriptor& lists = Lists::descriptor();
  EXPECT_EQ(lists.fields[5].number, 6);
  EXPECT_EQ(lists.fields[5].patch_merge_key, "name");
  EXPECT_TRUE(lists.fields[5].patch_merge);
  EXPECT_FALSE(lists.fields[5].patch_retain_keys);
  EXPECT_TRUE(lists.fields[6].patch_retain_keys);
  // An inlined type is a message of its own to protobuf.
  const FieldDescriptor& source = NamedSource::descriptor().fields[1];
  EXPECT_TRUE(source.inline_);
  EXPECT_EQ(source.number, 2);
  EXPECT_TRUE(source.zero_proto);
  EXPECT_EQ(source.message->fields.size(), 3U);
  EXPECT_EQ(source.message->fields[2].message->fields[0].json, "level");
}

}  // namespace
}  // namespace kube::meta

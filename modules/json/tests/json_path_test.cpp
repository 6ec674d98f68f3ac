// SPDX-License-Identifier: Apache-2.0
#include <kube/json/json_path.hpp>

#include <gtest/gtest.h>

namespace kube::json {
namespace {

TEST(JsonPaths, LookAtABoundedNumberOfValues) {
  const Value root = Array(300, Array(1000, Value(1)));
  const auto all = JsonPath::compile("$[*][*]");
  EXPECT_LT(all->find(root).size(), JsonPath::kMaxLooks);
  EXPECT_EQ(all->find_first(root), &(*(*root.if_array())[0].if_array())[0]);
  Array late(JsonPath::kMaxLooks, Value());
  const auto items = JsonPath::compile("$[*]");
  late.back() = 1;
  const Value within = late;
  EXPECT_NE(items->find_first(within), nullptr);
  late.back() = nullptr;
  late.emplace_back(1);
  const Value beyond = late;
  EXPECT_EQ(items->find_first(beyond), nullptr);
}

TEST(JsonPaths, LeadToValues) {
  const Value root = *parse(R"({"a":{"b.c":1,"l":[{"t":"x","v":1},{"t":"y","v":2}]},"n":null})");
  const auto found = [&](std::string_view text) {
    const auto path = JsonPath::compile(text);
    if (!path) return path.error().message();
    std::string out;
    for (const Value* value : path->find(root)) out += dump(*value) + " ";
    return out;
  };
  EXPECT_EQ(found(R"(.a['b\.c'])"), "1 ");
  EXPECT_EQ(found(".a['b.c']"), "") << "two names, as in kubectl";
  EXPECT_EQ(found(R"(.a.b\.c)"), "1 ");
  EXPECT_EQ(found("{.a.l[*].v}"), "1 2 ");
  EXPECT_EQ(found(".a.l[-1].v"), "2 ");
  EXPECT_EQ(found(".a.l[7].v"), "");
  EXPECT_EQ(found(R"(.a.l[?(@.t=="y")].v)"), "2 ");
  EXPECT_EQ(found(".a.l[?(@.v != 2)].t"), "\"x\" ");
  EXPECT_EQ(found(".n.x"), "");
  EXPECT_EQ(found(".a[x]"), "JSON path .a[x], offset 3: invalid array index x");
  EXPECT_EQ(found(".a[?(x)]"), "JSON path .a[?(x)], offset 5: unrecognized identifier x");
  EXPECT_EQ(found("!a"), "JSON path !a, offset 0: unrecognized character in action: U+0021 '!'");
  EXPECT_EQ(found("'a'"), "JSON path 'a', offset 0: expected a name or an index");
  EXPECT_EQ(found(".a.l[*]['t','v']"), "\"x\" \"y\" 1 2 ") << "the values of each name together";
  EXPECT_EQ(found(".a['l']['t']"), "") << "an array has no member: nothing";
  EXPECT_EQ(found(".a[0]"), "") << "an object has no index: nothing";
}

}  // namespace
}  // namespace kube::json

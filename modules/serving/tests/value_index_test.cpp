// SPDX-License-Identifier: Apache-2.0
//
// Lists by the value of a label or a field: what is selected, and what is looked at for it.
#include "storage/value_index.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "storage/selection.hpp"
#include "storage/store.hpp"

namespace kube::serving {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

Resource labelled() {
  Resource resource;
  resource.gvk = {"", "v1", "Thing"};
  resource.plural = "things";
  resource.stored_gvk = resource.gvk;
  resource.storage = "/things";
  return resource;
}

std::unique_ptr<StoredObject> labelled_object(const std::string& namespace_,
                                              const std::string& name, const std::string& app) {
  json::Object labels;
  if (!app.empty()) labels.set("app", app);
  return prepare_object(json::Object{{"metadata", json::Object{{"name", name},
                                                               {"namespace", namespace_},
                                                               {"uid", "u"},
                                                               {"labels", std::move(labels)}}}},
                        labelled());
}

std::vector<std::string> keys_of(const std::vector<ObjectPtr>& objects) {
  std::vector<std::string> out;
  for (const ObjectPtr& each : objects) out.push_back(each->key());
  return out;
}

class ValueIndexTest : public ::testing::Test {
 protected:
  void put(const std::string& namespace_, const std::string& name, const std::string& app) {
    auto next = labelled_object(namespace_, name, app);
    const ObjectPtr current = things_.get(next->key());
    ASSERT_TRUE(store_.put(things_, current, std::move(next)));
  }
  void fill(int count) {
    for (int i = 0; i < count; ++i) {
      put("n" + std::to_string(i % 10), std::to_string(i), i % 10'000 == 0 ? "rare" : "usual");
    }
  }
  static Selection select(std::string_view labels) {
    return Selection::make(labelled(), labels, "").value();
  }
  /// Asks often enough for an index.
  void make_index(const std::vector<Equality>& equalities) {
    things_.make_indexes(equalities);
    things_.make_indexes(equalities);
  }
  std::vector<std::string> page(const Selection& selection, Collection::Page page,
                                const Scope& scope) {
    Snapshot out;
    EXPECT_EQ(things_.page(scope, page, out), ReadError::None);
    std::erase_if(out.objects, [&](const ObjectPtr& each) { return !selection.matches(*each); });
    return keys_of(out.objects);
  }

  Store store_{{{10'000, std::size_t{64} << 20U}, 100, {}}};
  Collection& things_ = store_.collection("/things");
};

TEST_F(ValueIndexTest, TenOfAHundredThousandAreFoundWithoutLookingAtTheOthers) {
  fill(100'000);
  std::size_t looked_at = 0;
  std::vector<Equality> rare = select("app=rare").equalities();
  ASSERT_EQ(rare.size(), 1U);
  rare.front().read = [&looked_at, read = rare.front().read](const StoredObject& object) {
    ++looked_at;
    return read(object);
  };
  make_index(rare);
  EXPECT_EQ(looked_at, 100'000U) << "once, to make the index";
  looked_at = 0;
  Snapshot found;
  ASSERT_TRUE(things_.select({}, rare, found));
  EXPECT_EQ(found.objects.size(), 10U);
  EXPECT_EQ(found.revision, store_.revision());
  Snapshot of_one;
  ASSERT_TRUE(things_.select({"n0"}, rare, of_one));
  EXPECT_EQ(of_one.objects.size(), 10U);
  Snapshot of_another;
  ASSERT_TRUE(things_.select({"n1"}, rare, of_another));
  EXPECT_THAT(of_another.objects, IsEmpty());
  EXPECT_EQ(looked_at, 0U);
  put("n3", "new", "rare");
  EXPECT_EQ(looked_at, 1U) << "the object that is written";
  EXPECT_FALSE(things_.select({}, select("app=usual").equalities(), found))
      << "many are better shared";
}

TEST_F(ValueIndexTest, AnIndexIsMadeForTheSecondListAndEightAtMostAreKept) {
  fill(300);
  const auto once = select("app=rare").equalities();
  things_.make_indexes(once);
  EXPECT_EQ(things_.indexes(), 0U);
  things_.make_indexes(once);
  EXPECT_EQ(things_.indexes(), 1U);
  for (int i = 0; i < 20; ++i) make_index(select("l" + std::to_string(i) + "=x").equalities());
  EXPECT_EQ(things_.indexes(), 8U);
  EXPECT_THAT(page(select("app=rare"), {}, {}), ElementsAre("n0/0")) << "without its index";
  std::vector<ObjectPtr> objects = things_.snapshot({}).objects;
  store_.restart(things_, std::move(objects), store_.revision() + 1);
  EXPECT_EQ(things_.indexes(), 0U) << "of objects that are gone";
}

TEST_F(ValueIndexTest, OnlyEqualitiesHaveAnIndex) {
  EXPECT_THAT(select("app").equalities(), IsEmpty());
  EXPECT_THAT(select("app!=a,tier in (a,b),!x,y notin (a)").equalities(), IsEmpty());
  EXPECT_EQ(select("app=a,tier in (b),x==c,y=d").equalities().size(), 3U);
}

// Random writes; each state, present and past, is the same with an index as without.
TEST_F(ValueIndexTest, SelectsTheSameAsAWalkInEachStateOfTheHistory) {
  fill(300);
  const auto rare = select("app=rare");
  make_index(rare.equalities());
  ASSERT_EQ(things_.indexes(), 1U);
  std::mt19937 random(7);
  const std::uint64_t first = store_.revision();
  const std::vector<std::string> apps = {"", "rare", "usual"};
  for (int step = 0; step < 2'000; ++step) {
    const int number = static_cast<int>(random() % 60);
    const std::string namespace_ = "n" + std::to_string(number % 10);
    const ObjectPtr stored = things_.get(namespace_ + "/" + std::to_string(number));
    if (stored && random() % 4 == 0) {
      ASSERT_TRUE(store_.remove(things_, stored));
    } else {
      put(namespace_, std::to_string(number), apps[random() % apps.size()]);
    }
    Collection::Page at;
    at.at = first + random() % (store_.revision() - first + 1);
    if (random() % 2 == 0) at.start = "n5/3";
    const Scope scope{random() % 2 == 0 ? "" : "n5"};
    const auto walked = page(rare, at, scope);
    at.only = rare.equalities();
    ASSERT_EQ(page(rare, at, scope), walked) << "step " << step;
  }
}

}  // namespace
}  // namespace kube::serving

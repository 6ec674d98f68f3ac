// SPDX-License-Identifier: Apache-2.0
//
// Chapter 9.9 of the reference: namespaces.
#include <kube/testing/eventually.hpp>

#include "server_fixture.hpp"

namespace kube::apiserver::test {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

class Namespaces : public ServerTest {};

constexpr std::string_view kNamespaces = "/api/v1/namespaces";

TEST_F(Namespaces, TheServerHasItsService) {
  const Answer service = get("/api/v1/namespaces/default/services/kubernetes");
  ASSERT_EQ(service.status, 200) << service.body;
  EXPECT_EQ(service.at({"metadata", "labels"}),
            R"({"component":"apiserver","provider":"kubernetes"})");
  EXPECT_EQ(service.at({"spec", "type"}), "ClusterIP");
  EXPECT_EQ(service.at({"spec", "clusterIP"}), "10.0.0.1");
  EXPECT_EQ(service.at({"spec", "ports"}),
            R"([{"name":"https","protocol":"TCP","port":443,"targetPort":6443}])");
  EXPECT_EQ(names_of(get("/api/v1/services")), "kubernetes");
}

TEST_F(Namespaces, TheUsualOnesExistFromTheStart) {
  EXPECT_EQ(names_of(get(kNamespaces)), "default kube-node-lease kube-public kube-system t");
}

TEST_F(Namespaces, API_170_GetTheirFinalizerPhaseAndLabel) {
  const Answer made = post(kNamespaces, R"({"metadata":{"name":"n"}})");
  EXPECT_EQ(made.status, 201);
  EXPECT_EQ(made.at({"status", "phase"}), "Active");
  EXPECT_EQ(made.at({"spec", "finalizers"}), R"(["kubernetes"])");
  EXPECT_EQ(made.at({"metadata", "labels", "kubernetes.io/metadata.name"}), "n");
}

TEST_F(Namespaces, API_170_KeepFinalizersThatTheyComeWith) {
  const Answer made =
      post(kNamespaces, R"({"metadata":{"generateName":"n"},"spec":{"finalizers":["x.io/y"]}})");
  EXPECT_EQ(made.at({"spec", "finalizers"}), R"(["x.io/y","kubernetes"])");
  EXPECT_EQ(made.at({"metadata", "labels", "kubernetes.io/metadata.name"}),
            made.at({"metadata", "name"}));
}

TEST_F(Namespaces, API_170_KeepTheirFinalizerAndLabelWhateverAnUpdateLeavesOut) {
  make_config_map("a");
  const std::string item = std::string(kNamespaces) + "/t";
  const auto expect_kept = [](const Answer& answer) {
    EXPECT_EQ(answer.status, 200) << answer.body;
    EXPECT_EQ(answer.at({"spec", "finalizers"}), R"(["kubernetes"])");
    EXPECT_EQ(answer.at({"metadata", "labels", "kubernetes.io/metadata.name"}), "t");
    EXPECT_EQ(answer.at({"status", "phase"}), "Active");
  };
  expect_kept(call("PUT", item, R"({"metadata":{"name":"t","labels":{"a":"b"}}})"));
  expect_kept(call("PUT", item, R"({"metadata":{"name":"t"},"spec":{"finalizers":["x.io/y"]}})"));
  expect_kept(merge(item, R"({"metadata":{"labels":null},"spec":null,"status":null})"));
  expect_kept(merge(item, R"({"metadata":{"labels":{"kubernetes.io/metadata.name":"other"}}})"));
  WatchClient watch(port(), std::string(kConfigMaps) + "?watch=true&resourceVersion=" + revision());
  remove(item);
  EXPECT_EQ(watch.next_text(), "DELETED a");
}

TEST_F(Namespaces, API_171_DeletionAnswersWithTheTerminatingNamespace) {
  const Answer answer = remove(std::string(kNamespaces) + "/t");
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.at({"kind"}), "Namespace");
  EXPECT_EQ(answer.at({"status", "phase"}), "Terminating");
  EXPECT_THAT(answer.at({"metadata", "deletionTimestamp"}), Not(IsEmpty()));
}

TEST_F(Namespaces, API_172_NothingCanBeCreatedInATerminatingOne) {
  make_config_map("held", "{}", "t", R"("finalizers":["x.io/y"])");
  remove(std::string(kNamespaces) + "/t");
  const Answer answer = post(kConfigMaps, config_map("a"));
  expect_status(answer, 403, "Forbidden");
  EXPECT_EQ(first_cause(answer), "NamespaceTerminating metadata.namespace");
  EXPECT_THAT(answer.at({"message"}),
              HasSubstr("unable to create new content in namespace t because it is being "
                        "terminated"));
  // Updates still work, and the namespace ends with its last finalizer.
  WatchClient watch(port(),
                    std::string(kNamespaces) + "?watch=true&fieldSelector=metadata.name%3Dt");
  EXPECT_EQ(watch.next_text(), "ADDED t");
  EXPECT_EQ(merge(std::string(kConfigMaps) + "/held", R"({"metadata":{"finalizers":null}})").status,
            200);
  EXPECT_EQ(watch.next_text(), "DELETED t");
  EXPECT_EQ(get(std::string(kNamespaces) + "/t").status, 404);
}

TEST_F(Namespaces, API_173_ContentVanishesBeforeTheNamespace) {
  make_config_map("a");
  ASSERT_EQ(post("/api/v1/namespaces/t/pods", pod("p")).status, 201);
  ASSERT_EQ(post("/apis/coordination.k8s.io/v1/namespaces/t/leases", R"({"metadata":{"name":"l"}})")
                .status,
            201);
  const std::string from = "?watch=true&resourceVersion=" + revision();
  WatchClient maps(port(), std::string(kConfigMaps) + from);
  WatchClient pods(port(), "/api/v1/namespaces/t/pods" + from);
  WatchClient leases(port(), "/apis/coordination.k8s.io/v1/namespaces/t/leases" + from);
  WatchClient namespaces(port(), std::string(kNamespaces) + from);
  remove(std::string(kNamespaces) + "/t");
  EXPECT_EQ(maps.next_text(), "DELETED a");
  EXPECT_EQ(leases.next_text(), "DELETED l");
  const auto pod_gone = pods.next();
  EXPECT_EQ(text_at_path(*pod_gone, {"type"}), "DELETED");
  EXPECT_EQ(namespaces.next_text(), "MODIFIED t");
  const auto gone = namespaces.next();
  EXPECT_EQ(text_at_path(*gone, {"type"}), "DELETED");
  EXPECT_GT(std::stoll(text_at_path(*gone, {"object", "metadata", "resourceVersion"})),
            std::stoll(text_at_path(*pod_gone, {"object", "metadata", "resourceVersion"})));
}

TEST_F(Namespaces, API_174_TheSystemsOwnCanNotBeDeleted) {
  for (const std::string_view name : {"default", "kube-system", "kube-public"}) {
    const Answer answer = remove(std::string(kNamespaces) + "/" + std::string(name));
    expect_status(answer, 403, "Forbidden");
    EXPECT_THAT(answer.at({"message"}), HasSubstr("this namespace may not be deleted"));
  }
}

TEST_F(Namespaces, API_176_ListInAMissingOneIsEmpty) {
  const Answer answer = get("/api/v1/namespaces/absent/configmaps");
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.at({"items"}), "[]");
}

TEST_F(Namespaces, API_177_TheSameNameInTwoIsTwoObjects) {
  make_namespace("u");
  make_config_map("a");
  make_config_map("a", "{}", "u");
  EXPECT_EQ(keys_of(get("/api/v1/configmaps")), "t/a u/a");
}

class BareNamespaces : public ServerTest {
 protected:
  ApiServer::Options options() const override {
    auto options = ServerTest::options();
    options.finalize_namespaces = false;
    return options;
  }
};

TEST_F(BareNamespaces, API_175_FinalizeRemovesATerminatingOne) {
  const Answer dying = remove(std::string(kNamespaces) + "/t");
  EXPECT_EQ(get(std::string(kNamespaces) + "/t").status, 200);
  json::Value body = with(dying.json(), {"spec", "finalizers"}, json::Array{});
  EXPECT_EQ(put(std::string(kNamespaces) + "/t/finalize", body).status, 200);
  EXPECT_EQ(get(std::string(kNamespaces) + "/t").status, 404);
}

TEST_F(BareNamespaces, DeletingATerminatingOneAgainIsASuccess) {
  const Answer first = remove(std::string(kNamespaces) + "/t");
  const Answer second = remove(std::string(kNamespaces) + "/t");
  EXPECT_EQ(second.status, 200);
  EXPECT_EQ(second.body, first.body);
}

TEST_F(Namespaces, OneThatIsMadeAgainIsNotEmptiedForTheOldOne) {
  for (int i = 0; i < 200; ++i) {
    ASSERT_TRUE(::kube::testing::eventually([&] {
      return post("/api/v1/namespaces", R"({"metadata":{"name":"again"}})").status == 201;
    }));
    ASSERT_EQ(make_config_map("a", "{}", "again").status, 201) << i;
    ASSERT_EQ(make_config_map("b", "{}", "again").status, 201) << i;
    ASSERT_EQ(get("/api/v1/namespaces/again").at({"spec", "finalizers"}), R"(["kubernetes"])") << i;
    ASSERT_EQ(remove("/api/v1/namespaces/again").at({"status", "phase"}), "Terminating") << i;
  }
}

}  // namespace
}  // namespace kube::apiserver::test

// SPDX-License-Identifier: Apache-2.0
//
// The typed clients: what they have, what they have not, and what the special methods send.
#include <kube/client/clientset/apps_v1.hpp>
#include <kube/client/clientset/authentication_v1.hpp>
#include <kube/client/clientset/certificates_v1.hpp>
#include <kube/client/clientset/core_v1.hpp>
#include <kube/client/clientset/extensions_v1beta1.hpp>
#include <kube/client/clientset/policy_v1.hpp>

#include <kube/meta/errors.hpp>

#include "client_fixture.hpp"

namespace kube {
namespace {

using clientset::AppsV1;
using clientset::CoreV1;
using ::testing::HasSubstr;

// Only what the facts list is there.
template <class C>
concept HasCreate = requires(const C& client) {
  client.create({});
};
template <class C>
concept CanGet = requires(const C& client) {
  client.get("a");
};
template <class C>
concept CanDeleteCollection = requires(const C& client) {
  client.delete_collection();
};
template <class C>
concept CanUpdateStatus = requires {
  &C::update_status;
};
static_assert(CanGet<clientset::core_v1::Pods> && CanUpdateStatus<clientset::core_v1::Pods>);
static_assert(HasCreate<clientset::core_v1::Pods>);
static_assert(HasCreate<clientset::authentication_v1::TokenReviews>);
static_assert(!CanGet<clientset::authentication_v1::TokenReviews>, "it can only be created");
static_assert(!HasCreate<clientset::policy_v1::Evictions>, "evictions can only be evicted");
static_assert(!CanUpdateStatus<clientset::core_v1::ConfigMaps>, "it has no status");
static_assert(CanDeleteCollection<clientset::core_v1::Pods>);
static_assert(!CanDeleteCollection<clientset::core_v1::Namespaces>);
static_assert(!std::is_convertible_v<clientset::core_v1::Pods, Api<core::v1::Pod>>);

class ClientsetTest : public ClientTest {
 protected:
  std::string sent_line() const { return request_line(last_request()); }
  std::string type() const { return header(last_request(), "Content-Type"); }

  RestClient client = make({.host = "https://h", .content_type = "application/json"});
  CoreV1 core{client};
  AppsV1 apps{client};
};

constexpr const char* kEmptySuccess =
    R"({"kind":"Status","apiVersion":"v1","metadata":{},"status":"Success","code":201})";

TEST_F(ClientsetTest, CS_05_PathsFollowGroupAndScope) {
  answer(200, R"({"kind":"PodList","apiVersion":"v1","metadata":{},"items":[]})");
  ASSERT_TRUE(core.pods("web").list());
  EXPECT_EQ(sent_line(), "GET /api/v1/namespaces/web/pods");
  ASSERT_TRUE(core.pods("").list());
  EXPECT_EQ(sent_line(), "GET /api/v1/pods");
  answer(200, R"({"kind":"Node","apiVersion":"v1","metadata":{"name":"n"}})");
  ASSERT_TRUE(core.nodes().get("n"));
  EXPECT_EQ(sent_line(), "GET /api/v1/nodes/n");
  answer(200, R"({"kind":"Deployment","apiVersion":"apps/v1","metadata":{"name":"d"}})");
  ASSERT_TRUE(apps.deployments("web").get("d"));
  EXPECT_EQ(sent_line(), "GET /apis/apps/v1/namespaces/web/deployments/d");
  EXPECT_EQ(apps.rest_client(), client);
}

TEST_F(ClientsetTest, CS_17_GetWithAnEmptyNameFails) {
  EXPECT_THAT(core.pods("web").get("").error().to_string(),
              HasSubstr("resource name may not be empty"));
  EXPECT_EQ(sent(), 0U);
}

TEST_F(ClientsetTest, AppliesJsonText) {
  answer(200, R"({"kind":"Pod","apiVersion":"v1","metadata":{"name":"a"}})");
  ASSERT_TRUE(core.pods("web").apply_text(R"({"metadata":{"name":"a"}})", {.field_manager = "me"}));
  EXPECT_EQ(sent_line(), "PATCH /api/v1/namespaces/web/pods/a?fieldManager=me&force=false");
  ASSERT_TRUE(
      core.pods("web").apply_status_text(R"({"metadata":{"name":"a"}})", {.field_manager = "me"}));
  EXPECT_EQ(sent_line(), "PATCH /api/v1/namespaces/web/pods/a/status?fieldManager=me&force=false");
}

TEST_F(ClientsetTest, CS_14_ScaleIsReadReplacedAndApplied) {
  answer(200, R"({"kind":"Scale","apiVersion":"autoscaling/v1","metadata":{"name":"d"},)"
              R"("spec":{"replicas":3}})");
  const auto deployments = apps.deployments("web");
  auto scale = deployments.get_scale("d");
  ASSERT_TRUE(scale) << scale.error().to_string();
  EXPECT_EQ(scale->spec.replicas, 3);
  EXPECT_EQ(sent_line(), "GET /apis/apps/v1/namespaces/web/deployments/d/scale");
  scale->spec.replicas = 4;
  ASSERT_TRUE(deployments.update_scale("d", *scale));
  EXPECT_EQ(sent_line(), "PUT /apis/apps/v1/namespaces/web/deployments/d/scale");
  EXPECT_THAT(last_request().body, HasSubstr(R"("replicas":4)"));
  ASSERT_TRUE(deployments.apply_scale("d", *scale, {.field_manager = "me"}));
  EXPECT_EQ(sent_line(),
            "PATCH /apis/apps/v1/namespaces/web/deployments/d/scale?fieldManager=me&force=false");
  EXPECT_EQ(type(), "application/apply-patch+yaml");
  EXPECT_THAT(last_request().body, HasSubstr(R"("spec":{"replicas":4})"));
  autoscaling::v1::Scale none;
  ASSERT_TRUE(deployments.apply_scale("d", none, {.field_manager = "me"}));
  EXPECT_EQ(last_request().body,
            R"({"kind":"Scale","apiVersion":"autoscaling/v1","spec":{"replicas":0}})");
}

TEST_F(ClientsetTest, CS_14_BindAndEvictPostBelowThePod) {
  answer(201, kEmptySuccess);
  core::v1::Binding binding;
  binding.metadata.name = "a";
  binding.target.kind = "Node";
  binding.target.name = "n1";
  ASSERT_TRUE(core.pods("web").bind(binding, {.field_manager = "scheduler"}));
  EXPECT_EQ(sent_line(), "POST /api/v1/namespaces/web/pods/a/binding?fieldManager=scheduler");
  EXPECT_THAT(last_request().body, HasSubstr(R"("kind":"Binding")"));
  EXPECT_THAT(last_request().body, HasSubstr(R"("target":{"kind":"Node","name":"n1"})"));
  EXPECT_FALSE(core.pods("").bind(binding)) << "fails the preflight check";

  policy::v1::Eviction eviction;
  eviction.metadata.name = "a";
  ASSERT_TRUE(core.pods("web").evict(eviction));
  EXPECT_EQ(sent_line(), "POST /api/v1/namespaces/web/pods/a/eviction");
  EXPECT_THAT(last_request().body, HasSubstr(R"("kind":"Eviction","apiVersion":"policy/v1")"));
  ASSERT_TRUE(clientset::PolicyV1(client).evictions("web").evict(eviction));
  EXPECT_EQ(sent_line(), "POST /api/v1/namespaces/web/pods/a/eviction");
  policy::v1beta1::Eviction old;
  old.metadata.name = "a";
  ASSERT_TRUE(core.pods("web").evict_v1beta1(old));
  EXPECT_THAT(last_request().body, HasSubstr(R"("apiVersion":"policy/v1beta1")"));

  answer(409, status_json(409, "Conflict", "pod a is already assigned to node n2"));
  EXPECT_TRUE(is_conflict(core.pods("web").bind(binding).error()));
  answer(429, status_json(429, "TooManyRequests", "the disruption budget forbids it"));
  EXPECT_TRUE(is_too_many_requests(core.pods("web").evict(eviction).error()));
  const auto unknown = core.pods("").evict(eviction);
  EXPECT_EQ(unknown.error().code(), ErrorCode::InvalidArgument) << "CS-07";
}

TEST_F(ClientsetTest, CS_14_SubresourcesOfPodsAreReplacedByPut) {
  answer(200, R"({"kind":"Pod","apiVersion":"v1","metadata":{"name":"a"}})");
  core::v1::Pod pod;
  pod.metadata.name = "a";
  const auto pods = core.pods("web");
  ASSERT_TRUE(pods.update_ephemeral_containers(pod));
  EXPECT_EQ(sent_line(), "PUT /api/v1/namespaces/web/pods/a/ephemeralcontainers");
  ASSERT_TRUE(pods.update_resize(pod));
  EXPECT_EQ(sent_line(), "PUT /api/v1/namespaces/web/pods/a/resize");
  ASSERT_TRUE(pods.update_status(pod));
  EXPECT_EQ(sent_line(), "PUT /api/v1/namespaces/web/pods/a/status");
  ASSERT_TRUE(pods.patch_subresource("a", "status", Patch::merge(json::Object{})));
  EXPECT_EQ(sent_line(), "PATCH /api/v1/namespaces/web/pods/a/status");
}

TEST_F(ClientsetTest, CS_14_TokensApprovalsAndFinalizers) {
  answer(201, R"({"kind":"TokenRequest","apiVersion":"authentication.k8s.io/v1","metadata":{},)"
              R"("status":{"token":"t"}})");
  const auto token = core.service_accounts("web").create_token("robot", {});
  ASSERT_TRUE(token) << token.error().to_string();
  EXPECT_EQ(token->status.token, "t");
  EXPECT_EQ(sent_line(), "POST /api/v1/namespaces/web/serviceaccounts/robot/token");

  answer(200, R"({"kind":"CertificateSigningRequest","apiVersion":"certificates.k8s.io/v1",)"
              R"("metadata":{"name":"c"}})");
  certificates::v1::CertificateSigningRequest request;
  request.metadata.name = "c";
  ASSERT_TRUE(
      clientset::CertificatesV1(client).certificate_signing_requests().update_approval(request));
  EXPECT_EQ(sent_line(), "PUT /apis/certificates.k8s.io/v1/certificatesigningrequests/c/approval");

  answer(200, R"({"kind":"Namespace","apiVersion":"v1","metadata":{"name":"web"}})");
  core::v1::Namespace web;
  web.metadata.name = "web";
  ASSERT_TRUE(core.namespaces().finalize(web));
  EXPECT_EQ(sent_line(), "PUT /api/v1/namespaces/web/finalize");

  answer(201, kEmptySuccess);
  extensions::v1beta1::DeploymentRollback rollback;
  rollback.name = "d";
  ASSERT_TRUE(clientset::ExtensionsV1beta1(client).deployments("web").rollback(rollback));
  EXPECT_EQ(sent_line(), "POST /apis/extensions/v1beta1/namespaces/web/deployments/d/rollback");

  answer(200, R"({"kind":"Node","apiVersion":"v1","metadata":{"name":"n"}})");
  ASSERT_TRUE(core.nodes().patch_status("n", json::Object{}));
  EXPECT_EQ(sent_line(), "PATCH /api/v1/nodes/n/status");
  EXPECT_EQ(type(), "application/strategic-merge-patch+json");
}

TEST_F(ClientsetTest, CS_14_EventsAreFoundAndWrittenInTheirNamespace) {
  answer(200, R"({"kind":"EventList","apiVersion":"v1","metadata":{},"items":[]})");
  core::v1::ObjectReference about;
  about.kind = "Pod";
  about.name = "a";
  about.namespace_ = "web";
  ASSERT_TRUE(core.events("").search(about));
  EXPECT_EQ(sent_line(),
            "GET /api/v1/namespaces/web/events?fieldSelector=involvedObject.kind%3DPod%2C"
            "involvedObject.name%3Da%2CinvolvedObject.namespace%3Dweb");
  EXPECT_EQ(core.events("other").search(about).error().code(), ErrorCode::InvalidArgument);
  answer(201, R"({"kind":"Event","apiVersion":"v1","metadata":{"name":"e"}})");
  core::v1::Event event;
  event.metadata.name = "e";
  event.metadata.namespace_ = "web";
  ASSERT_TRUE(core.events("").create_with_event_namespace(event));
  EXPECT_EQ(sent_line(), "POST /api/v1/namespaces/web/events");
  ASSERT_TRUE(core.events("web").update_with_event_namespace(event));
  EXPECT_EQ(sent_line(), "PUT /api/v1/namespaces/web/events/e");
  ASSERT_TRUE(core.events("").patch_with_event_namespace(event, Patch::merge(json::Object{})));
  EXPECT_EQ(sent_line(), "PATCH /api/v1/namespaces/web/events/e");
  EXPECT_FALSE(core.events("other").update_with_event_namespace(event));
  EXPECT_FALSE(
      core.events("other").patch_with_event_namespace(event, Patch::merge(json::Object{})));
  EXPECT_EQ(clientset::core_v1::Events::get_field_selector("a", "web", "", "u1"),
            "involvedObject.name=a,involvedObject.namespace=web,involvedObject.uid=u1");
  EXPECT_FALSE(core.events("other").create_with_event_namespace(event));
}

}  // namespace
}  // namespace kube

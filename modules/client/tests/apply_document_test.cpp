// SPDX-License-Identifier: Apache-2.0
//
// Server-side apply of typed objects: the fields that are sent.
#include <kube/client/apply_document.hpp>

#include <kube/client/clientset/apps_v1.hpp>
#include <kube/client/clientset/core_v1.hpp>
#include <kube/meta/errors.hpp>

#include "client_fixture.hpp"

namespace kube {
namespace {

using clientset::AppsV1;
using clientset::CoreV1;
using ::testing::HasSubstr;

class ApplyDocumentTest : public ClientTest {
 protected:
  std::string sent_line() const { return request_line(last_request()); }
  std::string type() const { return header(last_request(), "Content-Type"); }

  RestClient client = make({.host = "https://h", .content_type = "application/json"});
  CoreV1 core{client};
  AppsV1 apps{client};
};

TEST_F(ApplyDocumentTest, CS_12_ATypedApplySendsWhatIsSet) {
  answer(200, R"({"kind":"Deployment","apiVersion":"apps/v1","metadata":{"name":"d"}})");
  apps::v1::Deployment deployment;
  deployment.metadata.name = "d";
  deployment.spec.replicas = 0;
  core::v1::Container container;
  container.name = "main";
  deployment.spec.template_.spec.containers.push_back(container);
  core::v1::Volume volume;
  volume.name = "scratch";
  volume.empty_dir.emplace();
  deployment.spec.template_.spec.volumes.push_back(volume);
  ASSERT_TRUE(apps.deployments("web").apply(deployment, {.force = true, .field_manager = "me"}));
  EXPECT_EQ(sent_line(),
            "PATCH /apis/apps/v1/namespaces/web/deployments/d?fieldManager=me&force=true");
  EXPECT_EQ(type(), "application/apply-patch+yaml");
  EXPECT_EQ(last_request().body,
            R"({"kind":"Deployment","apiVersion":"apps/v1","metadata":{"name":"d"},)"
            R"("spec":{"replicas":0,"template":{"spec":{"volumes":[{"name":"scratch",)"
            R"("emptyDir":{}}],"containers":[{"name":"main"}]}}}})");
}

TEST_F(ApplyDocumentTest, APPLY_05_AZeroThatIsSetIsSentAndOneThatIsNotIsNot) {
  answer(200, R"({"kind":"Deployment","apiVersion":"apps/v1","metadata":{"name":"d"}})");
  ApplyConfiguration<apps::v1::Deployment> deployment;
  deployment.metadata.name = "d";
  deployment.zeros.ensure_path({"spec", "paused"}) = false;
  ASSERT_TRUE(apps.deployments("web").apply(deployment, {.field_manager = "me"}));
  EXPECT_EQ(last_request().body,
            R"({"kind":"Deployment","apiVersion":"apps/v1","metadata":{"name":"d"},)"
            R"("spec":{"paused":false}})");
  deployment.spec.paused = true;
  ASSERT_TRUE(apps.deployments("web").apply(deployment, {.field_manager = "me"}));
  EXPECT_THAT(last_request().body, HasSubstr(R"("spec":{"paused":true})"));
  ASSERT_TRUE(apps.deployments("web").apply_status(deployment, {.field_manager = "me"}));
  EXPECT_THAT(last_request().body, HasSubstr(R"("spec":{"paused":true})"));
}

// The document of a pod with two containers, without kind and metadata.
std::string spec_with(std::string_view zeros) {
  ApplyConfiguration<core::v1::Pod> pod;
  for (const char* name : {"a", "b"}) pod.spec.containers.push_back({.name = name});
  pod.spec.security_context.emplace();
  pod.zeros = json::parse(zeros).value();
  const json::Value document = apply_document(pod).value();
  return json::dump(*document.at_path({"spec"}));
}

TEST_F(ApplyDocumentTest, ZerosNameTheirItemByItsKeysOrItsIndex) {
  const std::string rest = R"(,"securityContext":{}})";
  EXPECT_EQ(spec_with(R"({"spec":{"containers":[{"name":"b","stdin":null}]}})"),
            R"({"containers":[{"name":"a"},{"name":"b","stdin":false}])" + rest);
  EXPECT_EQ(spec_with(R"({"spec":{"containers":[{},{"args":null,"image":""}]}})"),
            R"({"containers":[{"name":"a"},{"name":"b","args":[],"image":""}])" + rest);
  EXPECT_EQ(spec_with(R"({"spec":{"containers":[{"name":"c","stdin":false},7]}})"),
            R"({"containers":[{"name":"a"},{"name":"b"}])" + rest);
}

TEST_F(ApplyDocumentTest, ZerosAreForFieldsThatCanBeZeroWithoutBeingSet) {
  const std::string plain = R"({"containers":[{"name":"a"},{"name":"b"}],"securityContext":{}})";
  for (const char* zeros : {"null", "[]", R"({"spec":null})", R"({"nothing":0,"spec":{"other":0}})",
                            R"({"spec":{"hostNetwork":true,"nodeName":"n"}})",
                            R"({"spec":{"priority":0,"affinity":{"podAffinity":null}}})"}) {
    EXPECT_EQ(spec_with(zeros), plain) << zeros;
  }
  EXPECT_THAT(spec_with(R"({"spec":{"nodeSelector":null}})"), HasSubstr(R"("nodeSelector":{})"));
}

TEST_F(ApplyDocumentTest, ApplyNeedsAName) {
  EXPECT_THAT(core.pods("web").apply(core::v1::Pod{}, {.field_manager = "me"}).error().to_string(),
              HasSubstr("obj.Name must be provided to Apply"));
}

}  // namespace
}  // namespace kube

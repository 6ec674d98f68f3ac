// SPDX-License-Identifier: Apache-2.0
//
// The objects of manifests, and one object on a server with and without server-side apply. Whole
// manifests are applied in tests of module fake, on the embedded server.
#include <kube/client/apply_manifest.hpp>

#include <unistd.h>

#include <cstdlib>
#include <filesystem>

#include "api_fixture.hpp"

namespace kube {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class TemporaryFile {
 public:
  explicit TemporaryFile(std::string_view text) {
    const int file = ::mkstemp(path_.data());
    EXPECT_GE(file, 0);
    EXPECT_EQ(::write(file, text.data(), text.size()), static_cast<ssize_t>(text.size()));
    ::close(file);
  }
  ~TemporaryFile() { ::unlink(path_.c_str()); }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_ = (std::filesystem::temp_directory_path() / "manifest-XXXXXX").string();
};

TEST(Manifest, IsDocumentsOfObjectsAndLists) {
  const auto objects = read_manifest(R"(
apiVersion: v1
kind: Node
metadata: {name: n1}
---
# nothing
---
{"apiVersion": "v1", "kind": "PodList", "items": [{"metadata": {"name": "a"}}]}
)");
  ASSERT_TRUE(objects) << objects.error().to_string();
  std::vector<std::string> lines;
  for (const ManifestObject& each : *objects)
    lines.push_back(each.where + " " + std::string(each.object.kind()) + " " +
                    std::string(each.object.name()));
  EXPECT_THAT(lines, ElementsAre("document 1 Node n1", "document 2: items[0] Pod a"));
  EXPECT_TRUE(read_manifest("").value().empty());
}

TEST(Manifest, ErrorsNameTheDocument) {
  const auto error = [](std::string_view text) { return read_manifest(text).error().message(); };
  EXPECT_EQ(error("a: b"), "document 1: expected an object with a kind, found none");
  EXPECT_EQ(error("{kind: Node, apiVersion: v1}"),
            "document 1: metadata.name: expected a name, found none");
  EXPECT_EQ(error("{kind: List, apiVersion: v1, items: 1}"),
            "document 1: items: expected an array, found a number");
  EXPECT_EQ(error("{kind: List, apiVersion: v1, items: [{kind: List, apiVersion: v1, items: []}]}"),
            "document 1: items[0]: a list in a list is not supported");
  EXPECT_THAT(error("a: ["), HasSubstr("line 1"));
}

TEST(Manifest, OfAFileIsNamedByFileAndLine) {
  const TemporaryFile file(R"(# two maps and a list
apiVersion: v1
kind: ConfigMap
metadata: {name: a}
---

{"apiVersion": "v1", "kind": "PodList", "items": [{"metadata": {"name": "p"}}]}
---
# a comment
apiVersion: v1
kind: Node
metadata: {name: n1}
...
apiVersion: v1
kind: Node
metadata: {name: n2}
)");
  const auto objects = read_manifest_file(file.path());
  ASSERT_TRUE(objects) << objects.error().to_string();
  std::vector<std::string> lines;
  for (const ManifestObject& each : *objects) lines.push_back(each.where);
  const std::string line = file.path() + ": line ";
  EXPECT_THAT(lines, ElementsAre(line + "2: document 1", line + "7: document 2: items[0]",
                                 line + "10: document 3", line + "14: document 4"));
  const TemporaryFile bad("a: 1\n---\n\nb: c\n");
  EXPECT_EQ(read_manifest_file(bad.path()).error().message(),
            bad.path() + ": line 1: document 1: expected an object with a kind, found none");
  const TemporaryFile broken("kind: [\n");
  EXPECT_THAT(read_manifest_file(broken.path()).error().to_string(),
              ::testing::StartsWith(broken.path() + ": yaml: line "));
  const auto none = read_manifest_file("/no/such/file.yaml");
  EXPECT_EQ(none.error().code(), ErrorCode::Config);
  EXPECT_THAT(none.error().message(), HasSubstr("/no/such/file.yaml: "));
}

class ApplyObject : public ApiTest {
 protected:
  static constexpr const char* kDeployment =
      R"({"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"web","namespace":"web",)"
      R"("resourceVersion":"%"}})";
  static std::string deployment(const std::string& version) {
    std::string text = kDeployment;
    return text.replace(text.find('%'), 1, version);
  }
  Result<AppliedObject> apply(bool dry_run = false, ApplyMode mode = ApplyMode::Automatic,
                              bool read_before = true) {
    const auto object =
        json::parse(R"({"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"web"},)"
                    R"("spec":{"replicas":2}})");
    return apply_object(any, Unstructured(*object),
                        {.field_manager = "me",
                         .force = true,
                         .dry_run = dry_run,
                         .mode = mode,
                         .read_before = read_before});
  }
};

TEST_F(ApplyObject, SaysWhatItChanged) {
  next_answer(404, status_json(404, "NotFound", "x"));
  next_answer(201, deployment("5"));
  EXPECT_EQ(apply().value().change, AppliedObject::Change::Created);
  next_answer(200, deployment("5"));
  next_answer(200, deployment("6"));
  EXPECT_EQ(apply().value().change, AppliedObject::Change::Configured);
  const transport::HttpRequest sent = last_request();
  EXPECT_EQ(request_line(sent),
            "PATCH /apis/apps/v1/namespaces/web/deployments/web?fieldManager=me"
            "&fieldValidation=Strict&force=true");
  EXPECT_EQ(header(sent, "Content-Type"), "application/apply-patch+yaml");
  next_answer(200, deployment("6"));
  next_answer(200, deployment("6"));
  EXPECT_EQ(apply().value().change, AppliedObject::Change::Unchanged);
  next_answer(500, status_json(500, "InternalError", "no"));
  EXPECT_EQ(apply().error().http_status(), 500);
}

TEST_F(ApplyObject, WhoMayApplyNeedNotBeAllowedToRead) {
  const std::string refused = status_json(403, "Forbidden", "no");
  for (const ApplyMode mode : {ApplyMode::Automatic, ApplyMode::ServerSide}) {
    next_answer(403, refused);
    next_answer(201, deployment("5"));
    EXPECT_EQ(apply(false, mode).value().change, AppliedObject::Change::Created);
    next_answer(403, refused);
    next_answer(200, deployment("5"));
    EXPECT_EQ(apply(false, mode).value().change, AppliedObject::Change::Configured);
  }
  next_answer(403, refused);
  EXPECT_TRUE(is_forbidden(apply(false, ApplyMode::ClientSide).error()));
  next_answer(403, refused);
  next_answer(415, status_json(415, "UnsupportedMediaType", "x"));
  EXPECT_TRUE(is_forbidden(apply().error())) << "a patch can't be made without the object";
}

TEST_F(ApplyObject, WithoutTheReadOnlyTheApplyIsSent) {
  next_answer(201, deployment("5"));
  EXPECT_EQ(apply(false, ApplyMode::ServerSide, false).value().change,
            AppliedObject::Change::Created);
  EXPECT_EQ(last_request().method, "PATCH");
  next_answer(200, deployment("5"));
  EXPECT_EQ(apply(false, ApplyMode::ServerSide, false).value().change,
            AppliedObject::Change::Configured);
  EXPECT_EQ(sent(), 2U);
}

TEST_F(ApplyObject, AServerWithoutServerSideApplyGetsAPatchAsFromKubectl) {
  const std::string refused = status_json(415, "UnsupportedMediaType", "x");
  next_answer(404, status_json(404, "NotFound", "x"));
  next_answer(415, refused);
  next_answer(201, deployment("5"));
  EXPECT_EQ(apply().value().change, AppliedObject::Change::Created);
  EXPECT_EQ(last_request().method, "POST");
  EXPECT_THAT(last_request().body, HasSubstr("kubectl.kubernetes.io/last-applied-configuration"));

  next_answer(200, deployment("5"));
  next_answer(415, refused);
  next_answer(200, deployment("6"));
  EXPECT_EQ(apply().value().change, AppliedObject::Change::Configured);
  EXPECT_EQ(header(last_request(), "Content-Type"), "application/strategic-merge-patch+json");
  EXPECT_THAT(last_request().body, HasSubstr(R"("replicas":2)"));
}

TEST_F(ApplyObject, ADryRunComparesTheObjectWhoseVersionStays) {
  std::string other = deployment("5");
  other.insert(other.size() - 1, R"(,"spec":{"replicas":2})");
  next_answer(200, deployment("5"));
  next_answer(200, other);
  EXPECT_EQ(apply(true).value().change, AppliedObject::Change::Configured);
  EXPECT_THAT(last_request().url, HasSubstr("dryRun=All"));
  next_answer(200, deployment("5"));
  next_answer(200, deployment("5"));
  EXPECT_EQ(apply(true).value().change, AppliedObject::Change::Unchanged);
}

TEST_F(ApplyObject, TheModeDecidesWhoComputesTheChange) {
  next_answer(200, deployment("5"));
  next_answer(415, status_json(415, "UnsupportedMediaType", "x"));
  EXPECT_TRUE(is_unsupported_media_type(apply(false, ApplyMode::ServerSide).error()));
  next_answer(200, deployment("5"));
  next_answer(200, deployment("6"));
  EXPECT_EQ(apply(false, ApplyMode::ClientSide).value().change, AppliedObject::Change::Configured);
  EXPECT_EQ(header(last_request(), "Content-Type"), "application/strategic-merge-patch+json");
  EXPECT_EQ(sent(), 4U);
}

TEST_F(ApplyObject, AManifestNeedsAFieldManagerAndObjects) {
  EXPECT_THAT(apply_manifest(client, "", {}).error().message(), HasSubstr("a field manager"));
  EXPECT_EQ(apply_manifest(client, "[1]", {.field_manager = "me"}).error().code(),
            ErrorCode::Decode);
  EXPECT_THAT(apply_file(client, "x", {}).error().message(), HasSubstr("a field manager"));
  EXPECT_EQ(apply_file(client, "-", {.field_manager = "me"}).error().code(), ErrorCode::Config)
      << "a file that does not exist, and not standard input";
  EXPECT_EQ(sent(), 0U);
}

// A server with server-side apply that begins to serve a defined kind after a while.
class ApplyManifest : public ApiTest {
 protected:
  ApplyManifest() {
    server->on("", "*", [this](ScriptedCall call) {
      const std::string url = call.request().url;
      const std::size_t path = url.find('/', 8);
      answer_to(call, call.request().method, url.substr(path, url.find('?') - path));
    });
  }

  void answer_to(ScriptedCall& call, const std::string& method, const std::string& path) {
    const bool listed = elapsed() >= listed_after;
    if (method == "GET" && !path.starts_with("/apis/acme.com/v1/") &&
        path.find("/customresourcedefinitions/") == std::string::npos)
      ++discovery_requests;
    if (path == "/api") return respond(call, 200, R"({"kind":"APIVersions","versions":["v1"]})");
    if (path == "/apis") {
      return respond(call, 200,
                     R"({"kind":"APIGroupList","apiVersion":"v1","groups":[)" +
                         group("apiextensions.k8s.io") + (listed ? "," + group("acme.com") : "") +
                         "]}");
    }
    if (path == "/api/v1") return respond(call, 200, resources("v1", "pods", "Pod"));
    if (path == "/apis/apiextensions.k8s.io/v1") {
      return respond(call, 200,
                     resources("apiextensions.k8s.io/v1", "customresourcedefinitions",
                               "CustomResourceDefinition"));
    }
    if (path == "/apis/acme.com/v1")
      return respond(call, listed ? 200 : 404, resources("acme.com/v1", "toys", "Toy"));
    const bool served = elapsed() >= served_after || path.find("/toys/") == std::string::npos;
    if (method != "PATCH" || !served) return respond(call, 404, missing);
    ++applied;
    respond(call, 201, call.request().body);
  }
  static void respond(ScriptedCall& call, int status, const std::string& body) {
    call.respond(status, body, {{"Content-Type", "application/json"}});
  }
  static std::string group(const std::string& name) {
    const std::string version = R"({"groupVersion":")" + name + R"(/v1","version":"v1"})";
    return R"({"name":")" + name + R"(","versions":[)" + version + R"(],"preferredVersion":)" +
           version + "}";
  }
  static std::string resources(const std::string& version, const std::string& plural,
                               const std::string& kind) {
    return R"({"kind":"APIResourceList","apiVersion":"v1","groupVersion":")" + version +
           R"(","resources":[{"name":")" + plural + R"(","singularName":"","namespaced":)" +
           (kind == "Toy" ? "true" : "false") + R"(,"kind":")" + kind +
           R"(","verbs":["get","patch"]}]})";
  }
  static std::string toys(int number) {
    std::string text = kDefinition;
    for (int i = 0; i < number; ++i) {
      text += "---\n{apiVersion: acme.com/v1, kind: Toy, metadata: {name: t" + std::to_string(i) +
              "}}\n";
    }
    return text;
  }
  // How each object ended: "ok", or its error.
  std::vector<std::string> apply(const std::string& text, bool dry_run = false) {
    const auto all = apply_manifest(
        client, text, {.field_manager = "me", .dry_run = dry_run, .mode = ApplyMode::ServerSide},
        stop.get_token());
    if (!all) return {all.error().to_string()};
    std::vector<std::string> lines;
    for (const AppliedObject& each : *all)
      lines.push_back(each.result ? "ok" : each.result.error().to_string());
    return lines;
  }

  static constexpr const char* kDefinition = R"(apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: toys.acme.com}
spec:
  group: acme.com
  names: {plural: toys, kind: Toy}
  versions: [{name: v0, served: false}, {name: v1, served: true}]
)";
  static constexpr const char* kNoMatch = R"(no matches for kind "Toy" in version "acme.com/v1")";
  Duration listed_after = std::chrono::hours(1);
  Duration served_after{};
  std::string missing = status_json(404, "NotFound", "the server has no such resource");
  int discovery_requests = 0;
  int applied = 0;
};

TEST_F(ApplyManifest, AKindThatTheManifestDefinesIsAwaited) {
  listed_after = std::chrono::seconds(3);
  served_after = std::chrono::seconds(5);
  EXPECT_THAT(apply(toys(2)), ElementsAre("ok", "ok", "ok"));
  EXPECT_EQ(applied, 3);
  EXPECT_GE(elapsed(), served_after);
  EXPECT_LE(elapsed(), served_after + std::chrono::seconds(1));
}

TEST_F(ApplyManifest, ANewKindIsAwaitedForABoundedTimeOnce) {
  EXPECT_THAT(apply(toys(3)),
              ElementsAre("ok", HasSubstr(kNoMatch), HasSubstr(kNoMatch), HasSubstr(kNoMatch)));
  EXPECT_EQ(elapsed(), kServeNewKind);
}

TEST_F(ApplyManifest, TheWaitForANewKindCanBeStopped) {
  const Timer timer = stop_after(std::chrono::seconds(2));
  EXPECT_THAT(apply(toys(1)), ElementsAre("ok", HasSubstr("stopped while waiting")));
  EXPECT_EQ(elapsed(), std::chrono::seconds(2));
}

TEST_F(ApplyManifest, AFileIsAppliedWithAnErrorForEachDocument) {
  listed_after = {};
  const TemporaryFile file(toys(1) +
                           "---\n{apiVersion: v9, kind: Ghost, metadata: {name: g}}\n"
                           "---\n{apiVersion: acme.com/v1, kind: Toy, "
                           "metadata: {name: last}}\n");
  const auto all = apply_file(client, file.path(), {.field_manager = "me", .force = true});
  ASSERT_TRUE(all) << all.error().to_string();
  std::vector<std::string> lines;
  for (const AppliedObject& each : *all)
    lines.push_back(each.where.substr(file.path().size()) + ": " +
                    (each.result ? "ok" : each.result.error().message()));
  EXPECT_THAT(lines,
              ElementsAre(": line 1: document 1: ok", ": line 9: document 2: ok",
                          R"(: line 11: document 3: no matches for kind "Ghost" in version "v9")",
                          ": line 13: document 4: ok"));
}

constexpr const char* kDuplicates = R"(apiVersion: acme.com/v1
kind: Toy
metadata: {name: t0}
spec:
  level: 1
  level: 2
---
{"apiVersion": "acme.com/v1", "kind": "Toy", "metadata": {"name": "t1", "name": "t2"}}
---
{apiVersion: acme.com/v1, kind: Toy, metadata: {name: t3}}
)";

TEST_F(ApplyManifest, ADuplicateFieldIsAnErrorOfItsObjectUnderStrict) {
  listed_after = {};
  applied = 1;  // the kind is served
  const std::string of_yaml = R"(line 6: key "level" already set in map)";
  const std::string of_json = R"(duplicate field "metadata.name")";
  EXPECT_THAT(apply(kDuplicates),
              ElementsAre(HasSubstr("strict decoding error: " + of_yaml),
                          HasSubstr("strict decoding error: " + of_json), "ok"));
  EXPECT_EQ(applied, 2);
  const TemporaryFile file(kDuplicates);
  const auto strict = apply_file(client, file.path(), {.field_manager = "me"});
  ASSERT_TRUE(strict) << strict.error().to_string();
  EXPECT_EQ(strict->at(0).result.error().code(), ErrorCode::Decode);
  EXPECT_EQ(strict->at(0).where, file.path() + ": line 1: document 1");
  EXPECT_TRUE(strict->at(2).result);

  const auto warned =
      apply_file(client, file.path(), {.field_manager = "me", .field_validation = "Warn"});
  ASSERT_TRUE(warned) << warned.error().to_string();
  for (const AppliedObject& each : *warned) EXPECT_TRUE(each.result);
  EXPECT_THAT(warned->at(0).warnings, ElementsAre(of_yaml));
  EXPECT_THAT(warned->at(1).warnings, ElementsAre(of_json));
  EXPECT_THAT(warned->at(2).warnings, ElementsAre());
  const auto ignored =
      apply_file(client, file.path(), {.field_manager = "me", .field_validation = "Ignore"});
  EXPECT_THAT(ignored.value().at(0).warnings, ElementsAre());
}

TEST(Manifest, TheDuplicateFieldsOfAListAreThoseOfItsObjects) {
  const auto objects = read_manifest(
      "{kind: List, apiVersion: v1, apiVersion: v1, items: [{kind: Node, apiVersion: v1, "
      "metadata: {name: a}}]}\n---\n{kind: Node, apiVersion: v1, metadata: {name: b}}");
  ASSERT_TRUE(objects) << objects.error().to_string();
  EXPECT_THAT(objects->at(0).duplicate_fields,
              ElementsAre(R"(line 1: key "apiVersion" already set in map)"));
  EXPECT_THAT(objects->at(1).duplicate_fields, ElementsAre());
}

TEST_F(ApplyManifest, ASecondManifestAsksForNoDiscovery) {
  listed_after = {};
  missing = R"({"kind":"Status","apiVersion":"v1","status":"Failure","reason":"NotFound",)"
            R"("message":"no","code":404,"details":{"name":"it","kind":"them"}})";
  EXPECT_THAT(apply(toys(1)), ElementsAre("ok", "ok"));
  const int before = discovery_requests;
  EXPECT_THAT(apply(toys(2)), ElementsAre("ok", "ok", "ok"));
  EXPECT_EQ(discovery_requests, before);
}

TEST_F(ApplyManifest, NothingElseIsAwaited) {
  EXPECT_THAT(apply(toys(1), true), ElementsAre("ok", HasSubstr(kNoMatch)))
      << "a dry run defines nothing";
  listed_after = {};
  served_after = std::chrono::hours(1);
  missing = R"({"kind":"Status","apiVersion":"v1","status":"Failure","reason":"NotFound",)"
            R"("message":"namespaces \"mine\" not found","code":404,)"
            R"("details":{"name":"mine","kind":"namespaces"}})";
  EXPECT_THAT(apply(toys(1)), ElementsAre("ok", HasSubstr("namespaces \"mine\" not found")));
  EXPECT_EQ(elapsed(), Duration::zero());
}

TEST_F(ApplyManifest, AnUnknownKindIsLookedUpOnceForAllItsObjects) {
  std::string text = "{apiVersion: acme.com/v1, kind: Toy, metadata: {name: t}}\n";
  for (int i = 1; i < 20; ++i) text += "---\n" + text.substr(0, text.find('\n') + 1);
  EXPECT_THAT(apply(text), ::testing::SizeIs(20));
  // Two lists of versions, and the two groups of these.
  EXPECT_EQ(discovery_requests, 2 * 4);
}

}  // namespace
}  // namespace kube

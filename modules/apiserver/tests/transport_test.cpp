// SPDX-License-Identifier: Apache-2.0
//
// Chapter 9.1 of the reference: transport, negotiation, generic errors.
#include <fcntl.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <future>
#include <random>
#include <stdexcept>

#include <kube/testing/eventually.hpp>
#include <kube/testing/recording_logger.hpp>

#include "http/io_threads.hpp"
#include "server_fixture.hpp"

namespace kube::apiserver::test {

using namespace serving;

namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class Transport : public ServerTest {};

TEST_F(Transport, API_001_API_020_ListWithoutAcceptIsPlainJson) {
  const Answer answer = get(kConfigMaps);
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.header("content-type"), "application/json");
  EXPECT_EQ(answer.at({"kind"}), "ConfigMapList");
  EXPECT_EQ(answer.at({"apiVersion"}), "v1");
  EXPECT_THAT(answer.header("content-encoding"), IsEmpty());
}

TEST_F(Transport, API_002_AnswersAreInTheFirstTypeThatThereIs) {
  const Answer answer = get(kConfigMaps, {{"Accept", "application/cbor, application/json"}});
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.header("content-type"), "application/json");
  EXPECT_EQ(answer.at({"kind"}), "ConfigMapList");
}

TEST_F(Transport, API_003_UnknownMediaTypeIsNotAcceptable) {
  expect_status(get(kConfigMaps, {{"Accept", "text/html"}}), 406, "NotAcceptable");
}

TEST_F(Transport, QualityDecidesBetweenAcceptableTypes) {
  make_config_map("a");
  const Answer answer =
      get(std::string(kConfigMaps) + "/a",
          {{"Accept", "application/json;q=0.1, application/yaml;q=0.9, text/html"}});
  EXPECT_EQ(answer.header("content-type"), "application/yaml");
}

TEST_F(Transport, API_004_AnObjectCanBeHadInYaml) {
  make_config_map("a", R"({"k":"v"})");
  const Answer answer = get(std::string(kConfigMaps) + "/a", {{"Accept", "application/yaml"}});
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.header("content-type"), "application/yaml");
  EXPECT_THAT(answer.body, HasSubstr("k: v"));
}

TEST_F(Transport, API_005_BodyOfUnknownTypeIsRefused) {
  expect_status(call("POST", kConfigMaps, config_map("a"), {{"Content-Type", "text/plain"}}), 415,
                "UnsupportedMediaType");
}

TEST_F(Transport, API_006_BodyWithoutTypeIsJson) {
  const std::string body = config_map("a");
  HttpClient client(port());
  client.write("POST " + std::string(kConfigMaps) + " HTTP/1.1\r\nHost: t\r\nContent-Length: " +
               std::to_string(body.size()) + "\r\n\r\n" + body);
  EXPECT_EQ(client.read_answer().status, 201);
}

TEST_F(Transport, API_007_BodyInYamlIsTaken) {
  const Answer answer = call("POST", kConfigMaps, "metadata:\n  name: a\ndata:\n  k: \"1\"\n",
                             {{"Content-Type", "application/yaml"}});
  EXPECT_EQ(answer.status, 201) << answer.body;
  EXPECT_EQ(answer.at({"data", "k"}), "1");
}

TEST_F(Transport, API_008_ParametersOfTheTypeAreIgnored) {
  const Answer answer = call("POST", kConfigMaps, config_map("a"),
                             {{"Content-Type", "application/json; charset=utf-8"}});
  EXPECT_EQ(answer.status, 201);
}

TEST_F(Transport, API_009_BrokenJsonIsABadRequest) {
  expect_status(post(kConfigMaps, "{"), 400, "BadRequest");
}

TEST_F(Transport, API_010_TooLargeABodyIsRefusedAndNamesTheLimit) {
  const std::string data = "{\"k\":\"" + std::string(3'145'729, 'x') + "\"}";
  const Answer answer = post(kConfigMaps, config_map("a", data));
  expect_status(answer, 413, "RequestEntityTooLarge");
  EXPECT_THAT(answer.at({"message"}), HasSubstr("3145728"));
}

TEST_F(Transport, API_010_TheLimitItselfIsTakenAndAByteMoreIsRefused) {
  std::string body = R"({"metadata":{"name":"a"},"data":{"k":"v"}})";
  body.append(3'145'728 - body.size(), ' ');
  EXPECT_EQ(post(kConfigMaps, body).status, 201);
  expect_status(post(kConfigMaps, body + ' '), 413, "RequestEntityTooLarge");
}

TEST_F(Transport, API_010_TooLargeAChunkedBodyIsRefusedToo) {
  HttpClient client(port());
  client.write("POST " + std::string(kConfigMaps) +
               " HTTP/1.1\r\nHost: t\r\nTransfer-Encoding: chunked\r\n\r\n");
  const std::string megabyte(std::size_t{1} << 20U, 'x');
  for (int i = 0; i < 4; ++i) client.write("100000\r\n" + megabyte + "\r\n");
  client.write("0\r\n\r\n");
  expect_status(client.read_answer(), 413, "RequestEntityTooLarge");
}

TEST_F(Transport, API_011_UnknownGroupIsAPlain404) {
  const Answer answer = get("/apis/no.such.group/v1/things");
  EXPECT_EQ(answer.status, 404);
  EXPECT_EQ(answer.body, "404 page not found\n");
}

TEST_F(Transport, API_012_UnknownResourceOfAKnownVersionIsA404Status) {
  expect_status(get("/api/v1/nosuchresources"), 404, "NotFound");
}

TEST_F(Transport, API_013_API_014_MethodsThatAPathDoesNotHaveAre405) {
  expect_status(call("PUT", kConfigMaps, config_map("a")), 405, "MethodNotAllowed");
  expect_status(post("/api/v1/configmaps", config_map("a")), 405, "MethodNotAllowed");
  expect_status(post(std::string(kConfigMaps) + "/a", config_map("a")), 405, "MethodNotAllowed");
  expect_status(call("DELETE", "/api/v1/configmaps"), 405, "MethodNotAllowed");
  expect_status(call("OPTIONS", kConfigMaps), 405, "MethodNotAllowed");
}

TEST_F(Transport, API_015_API_017_MissingObjectOfTheCoreGroup) {
  const Answer answer = get(std::string(kConfigMaps) + "/x");
  expect_status(answer, 404, "NotFound");
  EXPECT_EQ(answer.at({"message"}), "configmaps \"x\" not found");
  EXPECT_EQ(answer.at({"details", "name"}), "x");
  EXPECT_EQ(answer.at({"details", "kind"}), "configmaps");
  EXPECT_THAT(answer.at({"details", "group"}), IsEmpty());
}

TEST_F(Transport, API_016_MissingObjectOfANamedGroup) {
  const Answer answer = get("/apis/apps/v1/namespaces/t/deployments/x");
  expect_status(answer, 404, "NotFound");
  EXPECT_EQ(answer.at({"message"}), "deployments.apps \"x\" not found");
  EXPECT_EQ(answer.at({"details", "group"}), "apps");
}

TEST_F(Transport, API_018_API_019_AuditIdAndCacheControlAreOnEveryAnswer) {
  const Answer answer = get(kConfigMaps);
  EXPECT_EQ(answer.header("audit-id").size(), 36U);
  EXPECT_EQ(answer.header("cache-control"), "no-cache, private");
  EXPECT_EQ(get(kConfigMaps, {{"Audit-ID", "abc"}}).header("audit-id"), "abc");
  for (const std::string& target :
       {std::string("/apis"), std::string("/version"), std::string("/healthz"),
        std::string(kConfigMaps) + "/none", std::string("/apis/no.such.group/v1/things"),
        std::string(kConfigMaps) + "?limit=x"}) {
    EXPECT_EQ(get(target).header("audit-id").size(), 36U) << target;
    EXPECT_EQ(get(target, {{"Audit-ID", "abc"}}).header("audit-id"), "abc") << target;
  }
}

TEST_F(Transport, API_019_ObjectsErrorsAndDiscoveryAreNotCachedEither) {
  EXPECT_EQ(make_config_map("a").header("cache-control"), "no-cache, private");
  for (const char* const path : {"/api/v1/namespaces/t/configmaps/a",
                                 "/api/v1/namespaces/t/configmaps/x", "/api/v1/nosuch", "/apis"}) {
    EXPECT_EQ(get(path).header("cache-control"), "no-cache, private") << path;
  }
}

TEST_F(Transport, API_022_JsonIsOneLineWithANewline) {
  const std::string body =
      get(kConfigMaps, {{"User-Agent", "app/v1.2 (linux/amd64) kubernetes/abc"}}).body;
  EXPECT_EQ(body.find('\n'), body.size() - 1);
}

TEST_F(Transport, API_022_PrettyJsonIsIndentedByTwoBlanks) {
  make_config_map("a", R"({"k":"{\"v\":[]}","n":""})");
  const std::string object = std::string(kConfigMaps) + "/a";
  const Answer plain = get(object);
  const Answer answer = get(object + "?pretty=true");
  EXPECT_THAT(answer.body,
              ::testing::StartsWith("{\n  \"kind\": \"ConfigMap\",\n  \"apiVersion\": \"v1\",\n"
                                    "  \"metadata\": {\n    \"name\": \"a\",\n"));
  EXPECT_THAT(answer.body, ::testing::EndsWith("\n}"));
  EXPECT_EQ(answer.json(), plain.json());
  EXPECT_EQ(get(object + "?pretty=1").body, answer.body);
  for (const char* const other : {"?pretty=false", "?pretty=0", "?pretty", "?pretty=nonsense"}) {
    EXPECT_EQ(get(object + other).body, plain.body) << other;
  }
  EXPECT_THAT(get(object + "b?pretty=true").body,
              ::testing::StartsWith("{\n  \"kind\": \"Status\",\n"));
  EXPECT_THAT(get("/api/v1?pretty=true").body,
              ::testing::StartsWith("{\n  \"kind\": \"APIResourceList\",\n"));
  EXPECT_EQ(get(object + "?pretty=true", {{"Accept", "application/yaml"}}).body,
            get(object, {{"Accept", "application/yaml"}}).body);
}

TEST_F(Transport, API_022_PrettyListsAreIndentedWhateverTheirSize) {
  EXPECT_THAT(get(std::string(kConfigMaps) + "?pretty=true").body,
              HasSubstr("\n  \"items\": []\n}"));
  const std::string data = R"({"k":")" + std::string(50'000, 'x') + "\"}";
  for (const char* const name : {"a", "b", "c", "d"}) make_config_map(name, data);
  const Answer answer = get(std::string(kConfigMaps) + "?pretty=true");
  EXPECT_EQ(names_of(answer), "a b c d");
  EXPECT_EQ(answer.json(), get(kConfigMaps).json());
  EXPECT_THAT(answer.body, HasSubstr("\n  \"items\": [\n    {\n      \"metadata\": {\n"));
}

TEST_F(Transport, API_022_WatchesStayOneLineForAnEvent) {
  make_config_map("a");
  WatchClient watch(port(), std::string(kConfigMaps) + "?watch=true&pretty=true");
  EXPECT_EQ(watch.next_text(), "ADDED a");
}

TEST_F(Transport, API_023_UnreadableTimeoutIsABadRequest) {
  const Answer answer = get(std::string(kConfigMaps) + "?timeout=abc");
  expect_status(answer, 400, "BadRequest");
  EXPECT_THAT(answer.at({"message"}), HasSubstr("invalid timeout specified in the request URL"));
  EXPECT_EQ(get(std::string(kConfigMaps) + "?timeout=32s").status, 200);
}

TEST_F(Transport, API_024_API_025_UnknownParametersAndHeadersAreIgnored) {
  EXPECT_EQ(get(std::string(kConfigMaps) + "?foo=bar",
                {{"Kubectl-Command", "kubectl get"}, {"X-Foo", "1"}})
                .status,
            200);
  EXPECT_EQ(post(std::string(kConfigMaps) + "?foo=bar", config_map("a")).status, 201);
  EXPECT_EQ(get(std::string(kConfigMaps) + "/a?foo=bar").status, 200);
}

TEST_F(Transport, API_026_ManyRequestsRunOnOneConnection) {
  HttpClient client(port());
  for (int i = 0; i < 100; ++i) ASSERT_EQ(client.send("GET", kConfigMaps).status, 200);
  // The connections of this client and of the fixture.
  EXPECT_EQ(server().statistics().connections, 2U);
}

TEST_F(Transport, API_028_PercentEncodedNamesAreDecoded) {
  const Answer made = post("/apis/rbac.authorization.k8s.io/v1/clusterroles",
                           R"({"metadata":{"name":"system:a b"}})");
  ASSERT_EQ(made.status, 201) << made.body;
  const Answer answer = get("/apis/rbac.authorization.k8s.io/v1/clusterroles/system%3Aa%20b");
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.at({"metadata", "name"}), "system:a b");
  expect_status(get(std::string(kConfigMaps) + "/%zz"), 400, "BadRequest");
}

TEST_F(Transport, API_030_ExportIsRejected) {
  make_config_map("a");
  expect_status(get(std::string(kConfigMaps) + "/a?export=true"), 400, "BadRequest");
}

TEST_F(Transport, HeadAnswersLikeGetWithoutABody) {
  HttpClient client(port());
  const Answer head = client.send("HEAD", kConfigMaps);
  EXPECT_EQ(head.status, 200);
  EXPECT_NE(head.header("content-length"), "0");
  EXPECT_EQ(client.send("GET", kConfigMaps).status, 200);
}

TEST_F(Transport, ExpectContinueIsAnsweredBeforeTheBodyIsRead) {
  const std::string body = config_map("a");
  HttpClient client(port());
  client.write("POST " + std::string(kConfigMaps) +
               " HTTP/1.1\r\nHost: t\r\nExpect: 100-continue\r\nContent-Length: " +
               std::to_string(body.size()) + "\r\n\r\n");
  EXPECT_EQ(client.read_head().status, 100);
  client.write(body);
  EXPECT_EQ(client.read_answer().status, 201);
}

TEST_F(Transport, Http10ClientsGetAnAnswerThatEndsWithTheConnection) {
  HttpClient client(port());
  client.write("GET " + std::string(kConfigMaps) + " HTTP/1.0\r\n\r\n");
  const Answer answer = client.read_answer();
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.header("connection"), "close");
  EXPECT_TRUE(client.closed_by_peer());
}

TEST_F(Transport, PipelinedRequestsAreAnsweredInOrder) {
  HttpClient client(port());
  client.write("GET /version HTTP/1.1\r\nHost: t\r\n\r\nGET /healthz HTTP/1.1\r\nHost: t\r\n\r\n");
  EXPECT_THAT(client.read_answer().body, HasSubstr("gitVersion"));
  EXPECT_EQ(client.read_answer().body, "ok");
}

TEST_F(Transport, HostileBytesGetAnErrorAndLeaveTheServerServing) {
  for (const std::string_view bytes :
       {std::string_view("\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", 11),
        std::string_view("GET\r\n\r\n"), std::string_view("GET / HTTP/9.9\r\n\r\n"),
        std::string_view("GET /\0x HTTP/1.1\r\n\r\n", 20),
        std::string_view("GET / HTTP/1.1\r\nHost: t\r\nContent-Length: -1\r\n\r\n"),
        std::string_view(
            "GET / HTTP/1.1\r\nHost: t\r\nContent-Length: 99999999999999999999\r\n\r\n"),
        std::string_view("POST /api/v1/namespaces HTTP/1.1\r\nHost: t\r\nTransfer-Encoding: "
                         "chunked\r\n\r\nzz\r\n\r\n"),
        std::string_view(": : :\r\n\r\n")}) {
    HttpClient client(port());
    client.write(bytes);
    const Answer answer = client.read_answer();
    EXPECT_TRUE(answer.status == 0 || answer.status == 400 || answer.status == 413)
        << bytes << " gave " << answer.status;
  }
  for (const std::string_view target :
       {"*", "//", "/%", "/api/v1/%2e%2e", "/apis//", "/api/v1/namespaces//pods", "http://x/api/v1",
        "/api/v1/watch", "/api/v1/namespaces/a/b/c/d/e/f"}) {
    HttpClient client(port());
    EXPECT_NE(client.send("GET", target).status, 500) << target;
  }
  EXPECT_EQ(get("/healthz").body, "ok");
}

TEST_F(Transport, OtherTransferCodingsThanChunkedAreNotImplemented) {
  const auto answer = [&](std::string_view codings) {
    HttpClient client(port());
    client.write("POST /api/v1/namespaces HTTP/1.1\r\nHost: t\r\n" + std::string(codings) +
                 "\r\n0\r\n\r\n");
    return client.read_answer();
  };
  for (const std::string_view codings :
       {"Transfer-Encoding: gzip, chunked\r\n", "Transfer-Encoding: gzip\r\n",
        "Transfer-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n"}) {
    const Answer refused = answer(codings);
    EXPECT_EQ(refused.status, 501) << codings;
    EXPECT_EQ(refused.header("connection"), "close");
  }
  EXPECT_EQ(answer("Transfer-Encoding: Chunked\r\n").status, 400);  // an empty body
}

// kube-apiserver's handlers do not read the field.
TEST_F(Transport, AContentEncodingOfARequestChangesNothing) {
  const Headers headers = {{"Content-Encoding", "gzip"}};
  EXPECT_EQ(call("POST", kConfigMaps, config_map("a"), headers).status, 201);
  const std::string_view zipped("\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03\xab\xae\x05\x00", 14);
  expect_status(call("POST", kConfigMaps, zipped, headers), 400, "BadRequest");
}

TEST_F(Transport, TooLongAHeadIsRefused) {
  HttpClient client(port());
  client.write("GET /version HTTP/1.1\r\nX-Long: " + std::string(std::size_t{2} << 20U, 'x'));
  client.write("\r\n\r\n");
  EXPECT_EQ(client.read_answer().status, 431);
}

TEST_F(Transport, AFieldOf65533BytesIsTakenAndALongerOneRefused) {
  const std::string long_text(65'533, 'x');
  const auto status = [&](const std::string& field) {
    HttpClient client(port());
    client.write("GET /version HTTP/1.1\r\nHost: t\r\n" + field + "\r\n\r\n");
    return client.read_answer();
  };
  EXPECT_EQ(status("X-Long: " + long_text).status, 200);
  EXPECT_EQ(status(long_text + ": a").status, 200);
  const Answer refused = status("X-Long: " + long_text + "x");
  EXPECT_EQ(refused.status, 431);
  EXPECT_EQ(refused.body, "431 Request Header Fields Too Large\n");
  EXPECT_EQ(status(long_text + "x: a").status, 431);
  EXPECT_EQ(status("X-Long: " + std::string(900'000, 'x')).status, 431);
}

TEST_F(Transport, ManyFieldsOfLessThanAMegabyteAreTaken) {
  std::string head = "GET /version HTTP/1.1\r\nHost: t\r\n";
  for (int i = 0; i < 16; ++i) head += "X-Long: " + std::string(60'000, 'x') + "\r\n";
  HttpClient client(port());
  client.write(head + "\r\n");
  EXPECT_EQ(client.read_answer().status, 200);
}

TEST_F(Transport, TooLongAFieldBehindABodyIsRefused) {
  const std::string body = config_map("a");
  std::array<char, 16> size{};
  std::snprintf(size.data(), size.size(), "%zx", body.size());
  HttpClient client(port());
  client.write("POST " + std::string(kConfigMaps) +
               " HTTP/1.1\r\nHost: t\r\nTransfer-Encoding: chunked\r\nTrailer: X-Long\r\n\r\n" +
               size.data() + "\r\n" + body + "\r\n0\r\nX-Long: " + std::string(70'000, 'x') +
               "\r\n\r\n");
  EXPECT_EQ(client.read_answer().status, 431);
  EXPECT_EQ(get("/healthz").body, "ok");
}

TEST_F(Transport, Http11RequestsNeedExactlyOneHost) {
  const auto answer = [&](std::string_view bytes) {
    HttpClient client(port());
    client.write(bytes);
    return client.read_answer();
  };
  const Answer missing = answer("GET /version HTTP/1.1\r\nX-Foo: 1\r\n\r\n");
  EXPECT_EQ(missing.status, 400);
  EXPECT_EQ(missing.body, "400 Bad Request: missing required Host header\n");
  EXPECT_EQ(missing.header("connection"), "close");
  EXPECT_EQ(answer("GET /version HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n").status, 400);
  EXPECT_EQ(answer("GET /version HTTP/1.1\r\nHost:\r\n\r\n").status, 200);
}

// Runs tasks that throw and one that doesn't.
void run_throwing_tasks(std::shared_ptr<Logger> logger) {
  std::promise<void> ran;
  IoThreads io;
  io.post([] { throw std::runtime_error("first"); });
  io.post([] { throw 2; });
  io.post([&ran] { ran.set_value(); });
  io.start("apiserver", 1, std::move(logger));
  EXPECT_EQ(ran.get_future().wait_for(kPatience), std::future_status::ready);
  io.stop();
}

TEST(IoThreads, LogTheExceptionsOfTasksAndGoOn) {
  const auto logger = std::make_shared<kube::testing::RecordingLogger>(LogLevel::Error);
  run_throwing_tasks(logger);
  EXPECT_THAT(logger->lines(),
              ElementsAre("error apiserver: task threw error=first",
                          "error apiserver: task threw error=not a std::exception"));
}

TEST(IoThreads, AreSilentWithoutALogger) {
  ::testing::internal::CaptureStderr();
  run_throwing_tasks(nullptr);
  EXPECT_THAT(::testing::internal::GetCapturedStderr(), IsEmpty());
}

TEST_F(Transport, DeeplyNestedJsonIsABadRequest) {
  std::string body = R"({"metadata":{"name":"a"},"data":)";
  body += std::string(100'000, '[');
  expect_status(post(kConfigMaps, body), 400, "BadRequest");
}

// Requests that are nearly valid: valid ones with bytes changed, removed or doubled.
TEST_F(Transport, NearlyRightRequestsAreNeverAnInternalError) {
  const std::vector<std::string> targets = {
      "/api/v1/namespaces/t/configmaps?limit=2&continue=eyJ2IjoibWV0YS5rOHMuaW8vdjEifQ",
      "/api/v1/namespaces/t/"
      "configmaps?labelSelector=a+in+(b,c),!d&fieldSelector=metadata.name!%3Dx",
      "/api/v1/namespaces/t/configmaps?resourceVersion=101&resourceVersionMatch=Exact",
      "/apis/apps/v1/namespaces/t/deployments/d/scale?dryRun=All&fieldManager=m",
      "/api/v1/namespaces/t/pods/p/status?fieldValidation=Strict&timeout=10s",
      "/api/v1/namespaces/t/pods/p?gracePeriodSeconds=5&propagationPolicy=Foreground"};
  const std::vector<std::string> bodies = {
      pod("p", R"("nodeName":"n","tolerations":[{"key":"k"}])",
          R"("labels":{"a":"b"},"finalizers":["x.io/y"])"),
      R"([{"op":"replace","path":"/metadata/labels/a","value":"\u00e9"},{"op":"remove","path":"/spec"}])",
      R"({"metadata":{"name":"p","resourceVersion":"7","ownerReferences":[{"uid":"1"}]},"spec":{"replicas":1e3}})",
      R"({"kind":"DeleteOptions","gracePeriodSeconds":1,"preconditions":{"uid":"u"},"dryRun":["All"]})"};
  const std::vector<std::string> types = {
      "application/json", "application/yaml", "application/json-patch+json",
      "application/merge-patch+json", "application/strategic-merge-patch+json"};
  const std::vector<std::string> methods = {"GET", "POST", "PUT", "PATCH", "DELETE"};
  ASSERT_EQ(post("/api/v1/namespaces/t/pods", pod("p")).status, 201);
  std::mt19937 random(7);
  const auto pick = [&random](std::size_t count) { return random() % count; };
  const auto spoil = [&](std::string text, bool for_head) {
    for (std::size_t changes = pick(4); changes > 0 && !text.empty(); --changes) {
      const std::size_t at = pick(text.size());
      char byte = static_cast<char>(pick(256));
      // The request line must stay one line, or this would test the reader of heads.
      if (for_head && (byte <= ' ' || byte >= 127)) byte = '%';
      switch (pick(3)) {
        case 0:
          text[at] = byte;
          break;
        case 1:
          text.erase(at, 1 + pick(5));
          break;
        default:
          text.insert(at, text.substr(at, pick(9)));
          break;
      }
    }
    if (for_head && !text.starts_with('/')) text.insert(0, "/");
    return text;
  };
  for (int i = 0; i < 3000; ++i) {
    const std::string target = spoil(targets[pick(targets.size())], true);
    if (target.find("watch") != std::string::npos) continue;
    const std::string& method = methods[pick(methods.size())];
    const std::string body = method == "GET" ? "" : spoil(bodies[pick(bodies.size())], false);
    const Answer answer = call(method, target, body, {{"Content-Type", types[pick(types.size())]}});
    // kube-apiserver, too, has no other code for this.
    const bool has_version =
        answer.at({"message"}).starts_with("resourceVersion should not be set");
    ASSERT_TRUE(answer.status >= 200 && (answer.status != 500 || has_version))
        << method << " " << target << " " << body << ": " << answer.status << " " << answer.body;
  }
  EXPECT_EQ(get("/healthz").body, "ok");
}

TEST(ImpatientServer, CutsClientsThatNeverFinishTheirRequest) {
  ApiServer::Options options;
  options.header_timeout = std::chrono::milliseconds(50);
  options.body_timeout = std::chrono::milliseconds(50);
  const auto server = ApiServer::start(options).value();
  HttpClient slow_head(server->port());
  slow_head.write("GET /version HTTP/1.1\r\nX-");
  HttpClient slow_body(server->port());
  slow_body.write("POST /api/v1/namespaces HTTP/1.1\r\nHost: t\r\nContent-Length: 100\r\n\r\n{");
  EXPECT_TRUE(slow_head.closed_by_peer());
  EXPECT_TRUE(slow_body.closed_by_peer());
  // On a busy machine a whole request may take as long.
  EXPECT_TRUE(kube::testing::eventually(
      [&] { return HttpClient(server->port()).send("GET", "/healthz").body == "ok"; }));
}

// The descriptors of this process that are bound to a port.
std::vector<int> sockets_on(std::uint16_t port) {
  std::vector<int> found;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
    const int descriptor = std::stoi(entry.path().filename());
    sockaddr_in address{};
    socklen_t size = sizeof address;
    if (::getsockname(descriptor, reinterpret_cast<sockaddr*>(&address), &size) == 0 &&
        address.sin_family == AF_INET && ntohs(address.sin_port) == port) {
      found.push_back(descriptor);
    }
  }
  return found;
}

TEST_F(Transport, ProgramsThatAreStartedDoNotInheritSockets) {
  get(kConfigMaps);
  const std::vector<int> sockets = sockets_on(port());
  EXPECT_EQ(sockets.size(), 2u) << "one that listens, one with the connection";
  for (const int socket : sockets) EXPECT_NE(::fcntl(socket, F_GETFD) & FD_CLOEXEC, 0) << socket;
}

}  // namespace
}  // namespace kube::apiserver::test

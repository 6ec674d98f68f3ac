// SPDX-License-Identifier: Apache-2.0
#include <kube/client/rest_request.hpp>

#include <fstream>

#include <kube/api/core/v1/pod.hpp>
#include <kube/api/core/v1/pod_log_options.hpp>
#include <kube/meta/errors.hpp>
#include <kube/meta/options.hpp>

#include "client_fixture.hpp"

namespace kube {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class RestRequestTest : public ClientTest {
 protected:
  RestRequest request(const char* host = "http://h") { return RestRequest(make({.host = host})); }
  RestRequest core() { return {make({.host = "http://h"}), {"", "v1"}}; }
  static std::string message(const RestRequest& built) {
    return built.error() ? built.error()->message() : "no error";
  }
};

TEST_F(RestRequestTest, URL_09_ATrailingSlashOfThePrefixStaysWhenNothingFollows) {
  EXPECT_EQ(request().prefix({"/path/"}).url(), "http://h/path/");
  EXPECT_EQ(request().prefix({"/path/"}).resource("r").url(), "http://h/path/r");
}

TEST_F(RestRequestTest, URL_10_AnAbsolutePathKeepsItsSlash) {
  EXPECT_EQ(request().abs_path({"/foo/"}).url(), "http://h/foo/");
  EXPECT_EQ(request().abs_path({"foo/bar", "baz"}).url(), "http://h/foo/bar/baz");
  EXPECT_EQ(request("http://h/").abs_path({"/"}).url(), "http://h/");
}

TEST_F(RestRequestTest, URL_11_AnAbsolutePathIsBelowTheBaseAndKeepsTheParameters) {
  EXPECT_EQ(request("http://h/base").param("a", "1").abs_path({"/foo"}).url(),
            "http://h/base/foo?a=1");
  EXPECT_EQ(core().abs_path({"/version"}).url(), "http://h/version");
}

TEST_F(RestRequestTest, URL_12_ARequestUriReplacesPathAndParameters) {
  EXPECT_EQ(request().param("foo", "a").request_uri("/test?foo=b&a=b&c=1&c=2").url(),
            "http://h/test?a=b&c=1&c=2&foo=b");
  EXPECT_EQ(request().request_uri("/a%2fb?x=%26+y").url(), "http://h/a%2fb?x=%26+y");
  RestRequest wrong = request();
  EXPECT_THAT(message(wrong.request_uri("/a?x=%zz")), HasSubstr("hexadecimal"));
}

TEST_F(RestRequestTest, ARequestUriIsEscapedWhereAUrlNeedsIt) {
  EXPECT_EQ(request().request_uri("/a b").url(), "http://h/a%20b");
  EXPECT_EQ(request().request_uri("/x?q=a b").url(), "http://h/x?q=a+b");
  EXPECT_EQ(request().request_uri("/\u00fc/\"<\n").url(), "http://h/%C3%BC/%22%3C%0A");
  EXPECT_EQ(request().request_uri("/a:1/b@c;d,e(f)%20").url(), "http://h/a:1/b@c;d,e(f)%20");
  EXPECT_EQ(request().request_uri("/api/").url(), "http://h/api/");
  RestRequest wrong = request();
  EXPECT_THAT(message(wrong.request_uri("/a%2")), HasSubstr("hexadecimal"));
}

TEST_F(RestRequestTest, TheLimitOfSilenceCanBeSet) {
  answer(200);
  EXPECT_TRUE(request().idle_timeout(5min).do_raw());
  EXPECT_EQ(last_request().idle_timeout, 5min);
}

TEST_F(RestRequestTest, URL_13_ARelativeRequestUriIsJoinedAndCleaned) {
  EXPECT_EQ(request("http://h/context").request_uri("../test").url(), "http://h/test");
  EXPECT_EQ(request("http://h/context/").request_uri("test").url(), "http://h/context/test");
}

TEST_F(RestRequestTest, URL_14_ANamespaceAloneComesAfterThePrefixOfTheClient) {
  EXPECT_EQ(request().namespace_("foo").url(), "http://h/namespaces/foo");
  EXPECT_EQ(core().namespace_("foo").url(), "http://h/api/v1/namespaces/foo");
  EXPECT_EQ(RestRequest(make({.host = "http://h"}), {"apps", "v1"}).namespace_("foo").url(),
            "http://h/apis/apps/v1/namespaces/foo");
}

TEST_F(RestRequestTest, URL_15_ThePartsOfAPathHaveOneOrder) {
  RestRequest built = request();
  built.suffix({"test"}).sub_resource({"a", "b"}).name("bar").resource("baz").namespace_("foo");
  EXPECT_EQ(built.prefix({"test"}).url(), "http://h/test/namespaces/foo/baz/bar/a/b/test");
}

TEST_F(RestRequestTest, URL_18_ATemplateHasNoValuesAndLeavesTheRequestAlone) {
  RestRequest built = request("http://h/some/base");
  built.prefix({"api", "v1"}).namespace_("ns").resource("r1").name("nm").param("p0", "v0");
  const std::string before = built.url();
  EXPECT_EQ(built.url_template(),
            "http://h/some/base/api/v1/namespaces/{namespace}/r1/{name}?p0={value}");
  EXPECT_EQ(built.url(), before);
}

TEST_F(RestRequestTest, URL_19_WhatATemplateReplaces) {
  const auto of = [&](const char* uri) { return request().request_uri(uri).url_template(); };
  for (const std::string base : {"/api/v1", "/apis/apps/v1"}) {
    const auto expect = [&](const std::string& path, const std::string& expected) {
      EXPECT_EQ(of((base + path).c_str()), "http://h" + base + expected);
    };
    expect("/nodes", "/nodes");
    expect("/nodes/n1", "/nodes/{name}");
    expect("/nodes/n1/status", "/nodes/{name}/status");
    expect("/namespaces/n1/finalize", "/namespaces/{name}/finalize");
    expect("/namespaces/n1/pods", "/namespaces/{namespace}/pods");
    expect("/namespaces/n1/pods/p1", "/namespaces/{namespace}/pods/{name}");
    expect("/namespaces/n1/pods/p1/log", "/namespaces/{namespace}/pods/{name}/log");
    expect("/namespaces/n1/pods/status", "/namespaces/{namespace}/pods/status");
    expect("/namespaces/n1/pods/finalize", "/namespaces/{namespace}/pods/finalize");
  }
}

TEST_F(RestRequestTest, URL_20_ATemplateOfAnotherPath) {
  EXPECT_EQ(request().request_uri("/pre1/n1/pods?a=b").url_template(), "http://h/{prefix}");
  for (const char* path : {"/version", "/"}) {
    EXPECT_EQ(request().request_uri(path).url_template(), std::string("http://h") + path);
  }
}

TEST_F(RestRequestTest, REST_02_HeadersReachTheWireAndAreReplaced) {
  answer(200);
  RestRequest built = request();
  built.set_header("X-A", {"1"}).set_header("X-A", {"2"}).set_header("Accept", {"text/plain"});
  (void)built.do_raw();
  EXPECT_EQ(header(last_request(), "X-A"), "2");
  EXPECT_EQ(header(last_request(), "Accept"), "text/plain");
}

TEST_F(RestRequestTest, REST_03_AfterAnErrorNoSetterHasAnEffect) {
  answer(200);
  RestRequest built = request();
  built.name("").verb("POST").prefix({"p"}).suffix({"s"}).abs_path({"a"}).request_uri("/u?x=%zz");
  built.namespace_("..").resource("..").name("..").sub_resource({".."}).param("p", "v");
  built.set_header("H", {"v"}).timeout(1s).max_retries(1).body("b").body_file("/none");
  built.back_off(nullptr).throttle(nullptr).warning_handler(nullptr).patch("t").body(
      Unstructured());
  EXPECT_EQ(message(built), "resource name may not be empty");
  EXPECT_EQ(built.url(), "");
  EXPECT_EQ(built.do_().error().value().message(), "resource name may not be empty");
  EXPECT_FALSE(built.do_raw());
  EXPECT_FALSE(built.stream());
  EXPECT_FALSE(built.watch());
  EXPECT_EQ(sent(), 0U);
}

TEST_F(RestRequestTest, REST_04_APartThatIsSetTwiceIsAnErrorWithBothValues) {
  EXPECT_EQ(message(request().name("a").name("b")),
            "resource name already set to \"a\", cannot change to \"b\"");
  EXPECT_EQ(message(request().namespace_("a").namespace_("b")),
            "namespace already set to \"a\", cannot change to \"b\"");
  EXPECT_EQ(message(request().namespace_("").namespace_if_scoped("b", true)),
            "namespace already set to \"\", cannot change to \"b\"");
  EXPECT_EQ(message(request().resource("a").resource("b")),
            "resource already set to \"a\", cannot change to \"b\"");
  EXPECT_EQ(message(request().sub_resource({"a"}).sub_resource({"b", "c"})),
            "subresource already set to \"a\", cannot change to \"b/c\"");
  EXPECT_EQ(message(request().namespace_("a").namespace_if_scoped("b", false)), "no error");
}

TEST_F(RestRequestTest, REST_05_WhatIsNoSegmentIsRefused) {
  for (const auto& [text, why] :
       {std::pair("..", "may not be '..'"), std::pair(".", "may not be '.'"),
        std::pair("test/segment", "may not contain '/'"),
        std::pair("test%2bsegment", "may not contain '%'")}) {
    EXPECT_THAT(message(request().namespace_(text)), HasSubstr(why));
    EXPECT_THAT(message(request().resource(text)), HasSubstr(why));
    EXPECT_THAT(message(request().name(text)), HasSubstr(why));
    EXPECT_THAT(message(request().sub_resource({text})), HasSubstr(why));
  }
}

TEST_F(RestRequestTest, REST_06_AnEmptyNameIsRefused) {
  EXPECT_EQ(message(request().name("")), "resource name may not be empty");
}

TEST_F(RestRequestTest, REST_07_ParametersOfOneNameAddUp) {
  EXPECT_EQ(request().param("bar", "1").param("bar", "2").url(), "http://h/?bar=1&bar=2");
}

TEST_F(RestRequestTest, REST_08_ZeroFieldsOfOptionsAreLeftOut) {
  core::v1::PodLogOptions options;
  options.follow = true;
  options.container = "bar";
  EXPECT_EQ(request().versioned_params(options).url(), "http://h/?container=bar&follow=true");
}

TEST_F(RestRequestTest, REST_09_OptionsAddUp) {
  ListOptions one;
  one.resource_version = "1";
  ListOptions two;
  two.resource_version = "2";
  two.timeout_seconds = 10;
  EXPECT_EQ(request().versioned_params(one).versioned_params(two).url(),
            "http://h/?resourceVersion=1&resourceVersion=2&timeoutSeconds=10");
}

TEST_F(RestRequestTest, BodiesAreBytesFilesAndObjects) {
  answer(200);
  RestRequest bytes = request();
  (void)bytes.put().body("{}").do_raw();
  EXPECT_EQ(last_request().body, "{}");
  EXPECT_EQ(header(last_request(), "Content-Type"), "application/json");
  RestRequest yaml = request();
  (void)yaml.post().body("a: b", "application/yaml").do_raw();
  EXPECT_EQ(header(last_request(), "Content-Type"), "application/yaml");

  const std::string path = ::testing::TempDir() + "kube-rest-request-body";
  std::ofstream(path) << "from the file";
  RestRequest file = request();
  (void)file.post().body_file(path).do_raw();
  EXPECT_EQ(last_request().body, "from the file");
  RestRequest missing = request();
  EXPECT_THAT(message(missing.post().body_file(path + "-none")), HasSubstr("-none"));
  EXPECT_FALSE(missing.do_raw());

  core::v1::Pod pod;
  pod.metadata.name = "a";
  RestRequest object = request();
  (void)object.post().body(pod).do_raw();
  EXPECT_EQ(header(last_request(), "Content-Type"), "application/vnd.kubernetes.protobuf");
  EXPECT_EQ(decode_object<core::v1::Pod>(last_request().body).value().metadata.name, "a");
  RestRequest none = request();
  (void)none.post().body(static_cast<const core::v1::Pod*>(nullptr)).do_raw();
  EXPECT_EQ(last_request().body, "");
  EXPECT_EQ(header(last_request(), "Content-Type"), "none");
}

TEST_F(RestRequestTest, REST_12_EveryParameterNameIsAccepted) {
  EXPECT_EQ(request().param("timeout", "5").param("watch", "x").param("labelSelector", "a").url(),
            "http://h/?labelSelector=a&timeout=5&watch=x");
}

TEST_F(RestRequestTest, REST_14_REST_15_REST_16_EmptyNamespacesAreFoundBeforeSending) {
  answer(200, R"({"kind":"Status","status":"Success"})");
  const auto error_of = [&](const char* method, bool named, bool set) {
    RestRequest built = core();
    built.verb(method).resource("pods");
    if (set) built.namespace_("");
    if (named) built.name("a");
    const RestResult result = built.do_();
    return result.error() ? result.error().value().message() : "no error";
  };
  EXPECT_EQ(error_of("POST", false, true), "an empty namespace may not be set during creation");
  for (const char* method : {"GET", "PUT", "DELETE"}) {
    EXPECT_EQ(error_of(method, true, true),
              "an empty namespace may not be set when a resource name is provided");
    EXPECT_EQ(error_of(method, false, true), "no error");
    EXPECT_EQ(error_of(method, true, false), "no error");
  }
  EXPECT_EQ(error_of("PATCH", true, true), "no error");
  EXPECT_EQ(error_of("POST", false, false), "no error");
  RestRequest streams = core();
  streams.namespace_("").resource("pods").name("a");
  EXPECT_TRUE(streams.stream());
  EXPECT_TRUE(streams.watch());
}

TEST_F(RestRequestTest, REST_20_WasCreatedFollowsTheCode) {
  for (const auto& [code, created] : {std::pair(201, true), std::pair(200, false)}) {
    next_answer(code);
    EXPECT_EQ(request().do_().was_created(), created);
  }
  for (const int code : {202, 204}) {
    next_answer(code, "");
    const RestResult result = request().do_();
    EXPECT_FALSE(result.error());
    EXPECT_EQ(result.status_code(), code);
  }
}

TEST_F(RestRequestTest, REST_21_REST_22_WhatCannotBeDecodedSaysSo) {
  next_answer(200, "");
  EXPECT_EQ(request().do_().get().error().message(),
            "expected an object, got 0-length response with status code: 200 and content type: "
            "application/json");
  next_answer(200, "text", {{"Content-Type", "text/plain; charset=utf-8"}});
  const RestResult text = request().do_();
  EXPECT_EQ(text.raw().value(), "text");
  EXPECT_EQ(text.content_type(), "text/plain; charset=utf-8");
  EXPECT_EQ(text.get().error().message(), "serializer for text/plain doesn't exist");
  EXPECT_EQ(text.into<core::v1::Pod>().error().message(),
            "serializer for text/plain doesn't exist");
}

TEST_F(RestRequestTest, REST_23_AStatusOfFailureIsAnErrorWhateverTheCode) {
  next_answer(200, status_json(404, "NotFound", "no such pod"));
  const RestResult result = request().do_();
  EXPECT_TRUE(result.raw());
  EXPECT_EQ(result.error().value().message(), "no such pod");
  EXPECT_TRUE(is_not_found(result.get().error()));
}

TEST_F(RestRequestTest, RESP_05_WithoutAContentTypeTheBytesAreReadAsConfigured) {
  next_answer(200, R"({"kind":"Pod","apiVersion":"v1","metadata":{"name":"a"}})", {});
  EXPECT_EQ(request().do_().into<core::v1::Pod>().value().metadata.name, "a");
}

TEST_F(RestRequestTest, RESP_06_AnUnknownContentTypeWithA404IsNotFound) {
  next_answer(404, "<x/>", {{"Content-Type", "application/xml"}});
  EXPECT_TRUE(is_not_found(request().do_().error().value()));
}

TEST_F(RestRequestTest, RESP_15_AStreamTakesEvery2xxAndHandlesWarningsFirst) {
  class Noted final : public rest::WarningHandler {
   public:
    void handle_warning_header(int, std::string_view, std::string_view text) override {
      texts.emplace_back(text);
    }
    std::vector<std::string> texts;
  };
  for (const int code : {200, 201, 204, 206, 207, 226, 299}) {
    next_answer(code, "text", {{"Warning", "299 - \"careful\""}});
    const auto warnings = std::make_shared<Noted>();
    RestRequest built = request();
    auto stream = built.warning_handler(warnings).stream();
    ASSERT_TRUE(stream) << code;
    EXPECT_THAT(warnings->texts, ElementsAre("careful"));
    EXPECT_EQ(stream->next().value().value(), "text");
  }
  next_answer(300, "text");
  EXPECT_FALSE(request().stream());
}

TEST_F(RestRequestTest, AResultHasTheWarningsOfItsResponse) {
  next_answer(200, "{}", {{"Warning", "299 - \"careful\""}, {"Content-Type", "application/json"}});
  const RestResult result = request().do_();
  ASSERT_EQ(result.warnings().size(), 1U);
  EXPECT_EQ(result.warnings()[0].text, "careful");
}

TEST_F(RestRequestTest, ATimeoutLimitsARequestAndIsOnlyPassedOnByStreams) {
  answer(200);
  RestRequest built = request();
  built.timeout(10s);
  EXPECT_TRUE(built.do_raw());
  EXPECT_EQ(request_line(last_request()), "GET /?timeout=10s");
  EXPECT_EQ(last_request().timeout, 10s);
  EXPECT_TRUE(built.stream());
  EXPECT_EQ(request_line(last_request()), "GET /?timeout=10s");
  EXPECT_EQ(last_request().timeout, std::nullopt);
}

TEST_F(RestRequestTest, AMaximumOfRetriesLeavesTheRestOfThePolicy) {
  const RestRequest of_config(
      make({.host = "https://h", .retry = {.max_retries = 1, .lost_connection_delay = 3s}}));
  server->on("", "*", [](ScriptedCall call) { call.reset(); });
  EXPECT_FALSE(RestRequest(of_config).max_retries(2).do_raw());
  EXPECT_EQ(sent(), 3U);
  EXPECT_EQ(elapsed(), 6s);
  EXPECT_FALSE(RestRequest(of_config).retry({.lost_connection_delay = 4s}).max_retries(1).do_raw());
  EXPECT_EQ(sent(), 5U);
  EXPECT_EQ(elapsed(), 10s);
  EXPECT_FALSE(RestRequest(of_config).retry({.max_retries = 0}).do_raw());
  EXPECT_EQ(sent(), 6U);
}

TEST_F(RestRequestTest, RetriesBackoffAndLimiterAreTheRequests) {
  answer(503, "", {{"Retry-After", "1"}});
  RestRequest built = request();
  EXPECT_FALSE(built.max_retries(-3).do_raw());
  EXPECT_EQ(sent(), 1U);
  EXPECT_FALSE(built.max_retries(2)
                   .back_off(std::make_shared<rest::UrlBackoff>(5s, 60s, runtime.clock()))
                   .do_raw());
  EXPECT_EQ(sent(), 4U);
  EXPECT_EQ(elapsed(), 15s) << "5 s, then 10 s";
  EXPECT_THAT(built.throttle(flowcontrol::never_rate_limiter()).do_raw().error().message(),
              HasSubstr("client rate limiter"));
}

TEST_F(RestRequestTest, APatchHasItsMediaType) {
  answer(200);
  RestRequest built = request();
  (void)built.patch("application/merge-patch+json").body("{}").do_raw();
  EXPECT_EQ(last_request().method, "PATCH");
  EXPECT_EQ(header(last_request(), "Content-Type"), "application/merge-patch+json");
}

TEST_F(RestRequestTest, AWatchOfAnyPathHasItsEvents) {
  next_answer(200, R"({"type":"ADDED","object":{"kind":"X"}})");
  auto watch = core().resource("xs").param("watch", "true").watch();
  ASSERT_TRUE(watch);
  const auto event = watch->next({});
  ASSERT_TRUE(event.has_value() && event->has_value());
  EXPECT_EQ((*event)->type, WatchEventType::Added);
}

TEST_F(RestRequestTest, WATCH_08_AMalformedContentTypeIsLoggedAndCountsAsNone) {
  next_answer(200, R"({"type":"ADDED","object":{"kind":"X"}})",
              {{"Content-Type", "application/,others"}});
  auto watch = core().resource("xs").watch();
  ASSERT_TRUE(watch);
  const auto event = watch->next({});
  ASSERT_TRUE(event.has_value() && event->has_value());
  EXPECT_EQ((*event)->type, WatchEventType::Added);
  EXPECT_THAT(log->lines(),
              ::testing::Contains(HasSubstr("the Content-Type of a watch is malformed error=")));
}

}  // namespace
}  // namespace kube

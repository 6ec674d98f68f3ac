// SPDX-License-Identifier: Apache-2.0
#include <kube/meta/errors.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <kube/meta/status.hpp>

namespace kube {
namespace {

using meta::error_from_object;
using meta::error_from_response;
using meta::error_from_status;
using meta::GroupResource;
using std::chrono::seconds;
using ::testing::HasSubstr;

Error answer(std::string_view reason, int code) {
  return error_from_status(json::Object{{"reason", reason}, {"code", code}});
}

const std::vector<bool (*)(const Error&)> kAllPredicates{is_not_found,
                                                         is_already_exists,
                                                         is_conflict,
                                                         is_gone,
                                                         is_resource_expired,
                                                         is_invalid,
                                                         is_bad_request,
                                                         is_forbidden,
                                                         is_unauthorized,
                                                         is_method_not_supported,
                                                         is_not_acceptable,
                                                         is_unsupported_media_type,
                                                         is_request_entity_too_large,
                                                         is_too_many_requests,
                                                         is_timeout,
                                                         is_server_timeout,
                                                         is_internal_error,
                                                         is_service_unavailable,
                                                         is_store_read_error,
                                                         is_unexpected_server_error,
                                                         is_unexpected_object_error,
                                                         is_too_large_resource_version};

TEST(ErrorPredicates, ERR_02_CodeCountsWhenTheReasonIsUnknown) {
  EXPECT_TRUE(is_not_found(answer("", 404)));
  EXPECT_TRUE(is_not_found(answer("Foo", 404)));
  EXPECT_FALSE(is_not_found(answer("Forbidden", 404)));
}

TEST(ErrorPredicates, ERR_03_ReasonCountsWithoutACode) {
  EXPECT_TRUE(is_not_found(answer("NotFound", 0)));
  EXPECT_TRUE(is_not_found(answer("NotFound", 500)));
}

TEST(ErrorPredicates, ERR_04_TwoGoByCodeAgainstTheReason) {
  EXPECT_TRUE(is_too_many_requests(answer("Forbidden", 429)));
  EXPECT_TRUE(is_too_many_requests(answer("TooManyRequests", 0)));
  EXPECT_TRUE(is_request_entity_too_large(answer("Forbidden", 413)));
  EXPECT_TRUE(is_request_entity_too_large(answer("RequestEntityTooLarge", 0)));
}

TEST(ErrorPredicates, ERR_05_AlreadyExistsGoesByReasonOnly) {
  EXPECT_FALSE(is_already_exists(answer("", 409)));
  EXPECT_TRUE(is_conflict(answer("", 409)));
  EXPECT_TRUE(is_already_exists(answer("AlreadyExists", 409)));
  EXPECT_FALSE(is_conflict(answer("AlreadyExists", 409)));
}

TEST(ErrorPredicates, ERR_06_ExpiredAndGone) {
  EXPECT_TRUE(is_resource_expired(answer("Expired", 410)));
  EXPECT_FALSE(is_gone(answer("Expired", 410)));
  EXPECT_TRUE(is_gone(answer("Gone", 410)));
  EXPECT_FALSE(is_resource_expired(answer("Gone", 410)));
  EXPECT_TRUE(is_gone(answer("", 410)));
  EXPECT_FALSE(is_resource_expired(answer("", 410)));
}

TEST(ErrorPredicates, ERR_07_ERR_08_FalseForUnrelatedErrors) {
  for (const ErrorCode code :
       {ErrorCode::Unreachable, ErrorCode::Decode, ErrorCode::Timeout, ErrorCode::Cancelled}) {
    const Error error = Error(code, "x").with_http_status(404);
    for (const auto predicate : kAllPredicates) EXPECT_FALSE(predicate(error));
    EXPECT_EQ(error.reason(), "");
    EXPECT_EQ(meta::status_of(error), nullptr);
  }
}

TEST(ErrorPredicates, ERR_07_LookThroughContext) {
  const Error error = answer("NotFound", 404).with_context("get pod").with_context("reconcile");
  EXPECT_TRUE(is_not_found(error));
  EXPECT_NE(meta::status_of(error), nullptr);
}

TEST(ErrorPredicates, EachReasonSatisfiesItsOwn) {
  EXPECT_TRUE(is_invalid(answer("Invalid", 0)) && is_invalid(answer("", 422)));
  EXPECT_TRUE(is_bad_request(answer("BadRequest", 0)) && is_bad_request(answer("", 400)));
  EXPECT_TRUE(is_forbidden(answer("Forbidden", 0)) && is_forbidden(answer("", 403)));
  EXPECT_TRUE(is_unauthorized(answer("Unauthorized", 0)) && is_unauthorized(answer("", 401)));
  EXPECT_TRUE(is_method_not_supported(answer("MethodNotAllowed", 0)) &&
              is_method_not_supported(answer("", 405)));
  EXPECT_TRUE(is_not_acceptable(answer("NotAcceptable", 0)) && is_not_acceptable(answer("", 406)));
  EXPECT_TRUE(is_unsupported_media_type(answer("UnsupportedMediaType", 0)) &&
              is_unsupported_media_type(answer("", 415)));
  EXPECT_TRUE(is_timeout(answer("Timeout", 0)) && is_timeout(answer("", 504)));
  EXPECT_TRUE(is_internal_error(answer("InternalError", 0)) && is_internal_error(answer("", 500)));
  EXPECT_TRUE(is_service_unavailable(answer("ServiceUnavailable", 0)) &&
              is_service_unavailable(answer("", 503)));
  EXPECT_TRUE(is_server_timeout(answer("ServerTimeout", 500)) &&
              !is_server_timeout(answer("", 500)));
  EXPECT_TRUE(is_store_read_error(answer("StorageReadError", 500)) &&
              !is_store_read_error(answer("", 500)));
}

TEST(SuggestsClientDelay, ERR_09_HeedsReasonAndDetails) {
  const GroupResource pods{"", "pods"};
  EXPECT_EQ(
      suggests_client_delay(meta::server_timeout_error(pods, "list", std::chrono::seconds(0))),
      seconds(0));
  EXPECT_EQ(
      suggests_client_delay(meta::server_timeout_error(pods, "list", std::chrono::seconds(10))),
      seconds(10));
  EXPECT_EQ(suggests_client_delay(meta::too_many_requests_error("m", std::chrono::seconds(0))),
            std::nullopt);
  EXPECT_EQ(suggests_client_delay(meta::too_many_requests_error("m", std::chrono::seconds(1))),
            seconds(1));
  EXPECT_EQ(suggests_client_delay(meta::timeout_error("m", std::chrono::seconds(10))), seconds(10));
  EXPECT_EQ(suggests_client_delay(meta::bad_request_error("m")), std::nullopt);
  EXPECT_EQ(suggests_client_delay(answer("ServerTimeout", 500)), std::nullopt) << "no details";
  EXPECT_EQ(suggests_client_delay(Error(ErrorCode::Unreachable, "m")), std::nullopt);
}

TEST(ErrorFromObject, AStatusWithoutAMessageHasAText) {
  const auto text = [](const char* status) {
    return error_from_object(json::parse(status).value()).message();
  };
  EXPECT_EQ(text(R"({"kind":"Status","apiVersion":"v1","reason":"Expired","code":410})"),
            "the server gave no message, but the reason Expired and the code 410");
  EXPECT_EQ(text(R"({"kind":"Status","apiVersion":"v1","message":" ","code":500})"),
            "the server gave no message, but the code 500");
  EXPECT_EQ(text(R"({"kind":"Status","apiVersion":"v1"})"), "the server gave no message");
  EXPECT_EQ(error_from_response(503, "application/json",
                                R"({"kind":"Status","apiVersion":"v1","status":"Failure"})",
                                std::nullopt, "GET", "pods")
                .message(),
            "the server gave no message, but the code 503");
}

TEST(ErrorFromObject, ReadsAStatus) {
  for (const char* api_version : {"v1", "meta.k8s.io/v1"}) {
    const Error error = error_from_object(json::Object{{"kind", "Status"},
                                                       {"apiVersion", api_version},
                                                       {"message", "gone away"},
                                                       {"reason", "Expired"},
                                                       {"code", 410}});
    EXPECT_EQ(error.message(), "gone away");
    EXPECT_TRUE(is_resource_expired(error));
    EXPECT_FALSE(is_unexpected_object_error(error));
  }
  for (const auto& [object, found] :
       {std::pair(R"({"kind":"Secret","apiVersion":"v1","metadata":{"name":"a"},"data":{"p":"x"}})",
                  "Secret of v1 \"a\""),
        std::pair(R"({"kind":"Status","apiVersion":"v2"})", "Status of v2"),
        std::pair(R"({"kind":"a\nb"})", R"(a\nb)"), std::pair("{}", "an object without a kind"),
        std::pair("7", "number"), std::pair("null", "null"), std::pair("[]", "array")}) {
    const Error error = error_from_object(json::parse(object).value());
    EXPECT_TRUE(is_unexpected_object_error(error)) << object;
    EXPECT_EQ(error.message(), std::string("expected a Status, found ") + found);
    EXPECT_EQ(error.code(), ErrorCode::Decode);
  }
}

TEST(ErrorFromObject, ERR_15_AStatusOfSuccessIsStillAnError) {
  const Error error = error_from_object(
      json::Object{{"kind", "Status"}, {"apiVersion", "v1"}, {"status", "Success"}});
  EXPECT_EQ(error.code(), ErrorCode::Server);
  EXPECT_EQ(meta::status_of(error)->status.at_path({"status"})->string_or_empty(), "Success");
}

TEST(StatusCauses, ERR_16_FoundThroughContext) {
  const Error error =
      error_from_status(
          json::parse(
              R"({"details":{"causes":[{"reason":"a","message":"1","field":"x"},{"reason":"b","message":"2"},{"reason":"b"}]}})")
              .value())
          .with_context("outer");
  EXPECT_EQ(meta::status_cause(error, "a"), (meta::StatusCause{"a", "1", "x"}));
  EXPECT_EQ(meta::status_cause(error, "b"), (meta::StatusCause{"b", "2", ""}));
  EXPECT_EQ(meta::status_cause(error, "c"), std::nullopt);
  EXPECT_TRUE(meta::has_status_cause(error, "a"));
  EXPECT_FALSE(meta::has_status_cause(Error(ErrorCode::Internal, "x"), "a"));
}

TEST(ErrorFromStatus, TextIsTheMessageOrWhatElseThereIs) {
  EXPECT_EQ(answer("NotFound", 404).to_string(),
            "the server gave no message, but the reason NotFound and the code 404");
  EXPECT_EQ(error_from_status(json::Object{{"message", "pods \"a\" not found"}}).to_string(),
            "pods \"a\" not found");
}

TEST(ErrorFromStatus, WithoutAMessageItSaysSo) {
  EXPECT_EQ(answer("NotFound", 404).message(),
            "the server gave no message, but the reason NotFound and the code 404");
  EXPECT_EQ(answer("", 404).message(), "the server gave no message, but the code 404");
  EXPECT_EQ(answer("Gone", 0).message(), "the server gave no message, but the reason Gone");
  EXPECT_EQ(error_from_status(json::Object{}).message(), "the server gave no message");
}

TEST(ErrorFromStatus, TheTextKeepsItsLinesAndNothingElseThatATerminalObeys) {
  EXPECT_EQ(error_from_status(json::Object{{"message", "a\n\tb\x1b[2J\r"}}).message(),
            "a\n\tb\\x1b[2J\\r");
}

TEST(ErrorFromStatus, TheTextIsNotTooLong) {
  const std::string endless(std::size_t{1} << 20, 'x');
  const Error error = error_from_status(json::Object{{"message", endless}});
  EXPECT_EQ(error.message().size(), (std::size_t{16} << 10) + 3);
  EXPECT_EQ(meta::status_of(error)->status.string_at({"message"}), endless);
}

TEST(ErrorFromStatus, ADelayIsWhatTheApiCanHold) {
  const auto delay = [](std::int64_t wanted) {
    return error_from_status(json::Object{{"details", json::Object{{"retryAfterSeconds", wanted}}}})
        .retry_after();
  };
  EXPECT_EQ(delay(7), seconds(7));
  EXPECT_EQ(delay(INT64_MAX), seconds(INT32_MAX));
  EXPECT_EQ(delay(-1), std::nullopt);
}

TEST(ErrorFromStatus, KeepsTheWholeStatus) {
  const json::Value status =
      json::parse(R"({"kind":"Status","apiVersion":"v1","metadata":{"continue":"t"},
      "status":"Failure","message":"m","reason":"NotFound",
      "details":{"name":"a","group":"apps","kind":"deployments","uid":"u","retryAfterSeconds":7},"code":404})")
          .value();
  const Error error = error_from_status(status);
  ASSERT_NE(meta::status_of(error), nullptr);
  EXPECT_EQ(meta::status_of(error)->status, status);
  EXPECT_EQ(meta::status_of(error)->name, "a");
  EXPECT_EQ(meta::status_of(error)->group, "apps");
  EXPECT_EQ(meta::status_of(error)->kind, "deployments");
  EXPECT_EQ(meta::status_of(error)->uid, "u");
  EXPECT_EQ(error.http_status(), 404);
  EXPECT_EQ(error.retry_after(), seconds(7));
}

TEST(ErrorFromStatus, MembersOfWrongTypesCountAsEmpty) {
  for (const char* text :
       {"null", "[]", "\"x\"", R"({"message":1,"reason":[],"code":"404","details":7})",
        R"({"details":{"causes":{},"name":1,"retryAfterSeconds":"5"}})",
        R"({"details":{"causes":[1,null,[],{"reason":1}]},"code":99999999999})"}) {
    const Error error = error_from_status(json::parse(text).value());
    EXPECT_EQ(error.code(), ErrorCode::Server);
    EXPECT_EQ(error.reason(), "");
    EXPECT_EQ(error.http_status(), 0);
  }
}

TEST(ErrorFromResponse, TheStatusInTheBodyWins) {
  const Error error = error_from_response(
      400, "application/json",
      R"({"kind":"Status","status":"Failure","reason":"NotFound","message":"m","code":404})",
      std::nullopt, "GET", {"", "pods"}, "a");
  EXPECT_TRUE(is_not_found(error));
  EXPECT_EQ(error.http_status(), 404);
  EXPECT_EQ(error.message(), "m");
  EXPECT_FALSE(is_unexpected_server_error(error));
}

TEST(ErrorFromResponse, RESP_09_WhatIsNoFailureStatusDoesNot) {
  for (const char* body :
       {R"({"kind":"Status","status":"Success"})", "{}", R"({"status":"Failure","code":404})",
        R"({"kind":"Status","apiVersion":"v2","status":"Failure"})", "[]", "not json", ""}) {
    const Error error =
        error_from_response(404, "application/json", body, std::nullopt, "GET", {"", "pods"}, "a");
    EXPECT_EQ(error.message(), "the server could not find the requested resource (get pods a)")
        << body;
    EXPECT_TRUE(is_unexpected_server_error(error)) << body;
  }
  const Error without_version = error_from_response(
      400, "application/json", R"({"kind":"Status","status":"Failure","message":"m","code":404})",
      std::nullopt, "GET", {"", "pods"}, "a");
  EXPECT_EQ(without_version.message(), "m");
  EXPECT_TRUE(is_not_found(without_version));
}

TEST(ErrorFromResponse, RESP_02_RESP_11_OnlyTextBodiesAreQuoted) {
  const auto error = [](std::string_view content_type, std::string_view body) {
    return error_from_response(500, content_type, body, std::nullopt, "GET", {}, "").message();
  };
  EXPECT_EQ(error("application/json", "oops"),
            R"(an error on the server ("unknown") has prevented the request from succeeding)");
  EXPECT_EQ(error("text/plain; charset=utf-8", " oops\n"),
            R"(an error on the server ("oops") has prevented the request from succeeding)");
  EXPECT_EQ(error("", "oops"),
            R"(an error on the server ("oops") has prevented the request from succeeding)");
  EXPECT_EQ(error("", R"({"kind":"Secret","data":{"password":"x"}})"),
            R"(an error on the server ("JSON that is not a Status") has prevented the request )"
            "from succeeding");
  EXPECT_EQ(error("text/plain", std::string(5000, 'x')),
            "an error on the server (\"" + std::string(2048, 'x') +
                "\") has prevented the request from succeeding");
}

TEST(ErrorFromResponse, RESP_03_RESP_07_RESP_10_MadeUpFromTheCode) {
  EXPECT_EQ(error_from_response(401, "text/plain", "no", std::nullopt, "GET", {}, "").message(),
            "the server has asked for the client to provide credentials");
  EXPECT_TRUE(
      is_already_exists(error_from_response(409, "", "", std::nullopt, "POST", {"", "pods"}, "")));
  EXPECT_TRUE(is_already_exists(
      error_from_response(409, "", "", std::nullopt, "create", {"", "pods"}, "")));
  EXPECT_TRUE(
      is_conflict(error_from_response(409, "", "", std::nullopt, "PUT", {"", "pods"}, "a")));
  const Error error = error_from_response(404, "application/x", "", std::nullopt, "GET",
                                          {"apps", "deployments"}, "web");
  EXPECT_TRUE(is_not_found(error));
  EXPECT_TRUE(is_unexpected_server_error(error));
  EXPECT_EQ(error.message(),
            "the server could not find the requested resource (get deployments.apps web)");
  EXPECT_EQ(meta::status_of(error)->kind, "deployments");
}

TEST(ErrorFromResponse, RESP_12_RetryAfterIsKept) {
  const Error generic =
      error_from_response(429, "text/plain", "slow down", seconds(3), "GET", {"", "pods"}, "");
  EXPECT_TRUE(is_too_many_requests(generic));
  EXPECT_EQ(suggests_client_delay(generic), seconds(3));
  EXPECT_EQ(generic.retry_after(), seconds(3));
  const Error status = error_from_response(
      429, "application/json", R"({"kind":"Status","status":"Failure","reason":"TooManyRequests"})",
      seconds(3), "GET", {"", "pods"}, "");
  EXPECT_EQ(suggests_client_delay(status), seconds(3));
  EXPECT_EQ(status.http_status(), 429) << "the Status has no code of its own";
}

TEST(ErrorFromResponse, TakesTheSubjectAsText) {
  for (const char* subject : {"pods a", "pods \"a\"", "pods \"a\" in namespace \"b\""}) {
    const Error error =
        error_from_response(404, "text/plain", "404 page not found", std::nullopt, "GET", subject);
    EXPECT_EQ(error.message(), "the server could not find the requested resource (get pods a)");
    EXPECT_EQ(meta::status_of(error)->name, "a");
    EXPECT_EQ(meta::status_of(error)->kind, "pods");
  }
  const Error of_all =
      error_from_response(404, "", "", std::nullopt, "GET", "pods in all namespaces");
  EXPECT_EQ(meta::status_of(of_all)->name, "");
  EXPECT_EQ(error_from_response(404, "", "", std::nullopt, "GET", "").message(),
            "the server could not find the requested resource");
  EXPECT_EQ(error_from_response(404, "", "", std::nullopt, "GET", "deployments.apps").message(),
            "the server could not find the requested resource (get deployments.apps)");
}

TEST(TooLargeResourceVersion, KnownByCauseOrByWords) {
  const Error by_cause = meta::too_large_resource_version_error(100, 50);
  EXPECT_TRUE(is_too_large_resource_version(by_cause));
  EXPECT_TRUE(is_timeout(by_cause));
  EXPECT_EQ(by_cause.http_status(), 504);
  EXPECT_EQ(by_cause.message(), "Timeout: Too large resource version: 100, current: 50");
  EXPECT_EQ(suggests_client_delay(by_cause), seconds(1));
  EXPECT_TRUE(is_too_large_resource_version(
      meta::timeout_error("Too large resource version: 1, current: 0", std::chrono::seconds(1))));
  EXPECT_FALSE(
      is_too_large_resource_version(meta::bad_request_error("Too large resource version")));
  EXPECT_FALSE(is_too_large_resource_version(meta::timeout_error("slow", std::chrono::seconds(1))));
}

}  // namespace
}  // namespace kube

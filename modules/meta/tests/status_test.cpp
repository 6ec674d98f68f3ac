// SPDX-License-Identifier: Apache-2.0
#include <kube/meta/status.hpp>

#include <gtest/gtest.h>

namespace kube::meta {
namespace {

const GroupResource kPods{"", "pods"};
const GroupResource kDeployments{"apps", "deployments"};

std::string dump(const Error& error) {
  return json::dump(status_json(error));
}

TEST(Status, ERR_01_EveryFactoryHasItsReasonCodeAndMessage) {
  struct Case {
    Error error;
    const char* reason;
    int code;
    const char* message;
  };
  const Case cases[] = {
      {not_found_error(kPods, "a"), "NotFound", 404, "pods \"a\" not found"},
      {already_exists_error(kDeployments, "a"), "AlreadyExists", 409,
       "deployments.apps \"a\" already exists"},
      {generate_name_conflict_error(kPods, "a-x"), "AlreadyExists", 409,
       "pods \"a-x\" already exists, the server was not able to generate a unique name for the "
       "object"},
      {unauthorized_error(), "Unauthorized", 401, "not authorized"},
      {unauthorized_error("Unauthorized"), "Unauthorized", 401, "Unauthorized"},
      {forbidden_error(kPods, "a", "why"), "Forbidden", 403, "pods \"a\" is forbidden: why"},
      {forbidden_error(kDeployments, "", "why"), "Forbidden", 403,
       "deployments.apps is forbidden: why"},
      {forbidden_error({}, "", "why"), "Forbidden", 403, "forbidden: why"},
      {conflict_error(kPods, "a", "why"), "Conflict", 409,
       "Operation cannot be fulfilled on pods \"a\": why"},
      {optimistic_lock_error(kPods, "a"), "Conflict", 409,
       "Operation cannot be fulfilled on pods \"a\": the object has been modified; please apply "
       "your changes to the "
       "latest version and try again"},
      {apply_conflict_error("Apply failed", {{"FieldManagerConflict", "m", ".spec"}}), "Conflict",
       409, "Apply failed"},
      {method_not_supported_error(kDeployments, "create"), "MethodNotAllowed", 405,
       "create is not supported on resources of kind \"deployments.apps\""},
      {not_acceptable_error("m"), "NotAcceptable", 406, "m"},
      {unsupported_media_type_error("m"), "UnsupportedMediaType", 415, "m"},
      {server_timeout_error(kPods, "list", std::chrono::seconds(2)), "ServerTimeout", 500,
       "The list operation against pods could not be completed at this time, please try again."},
      {internal_error("why"), "InternalError", 500, "Internal error occurred: why"},
      {timeout_error("why", std::chrono::seconds(1)), "Timeout", 504, "Timeout: why"},
      {too_many_requests_error("m", std::chrono::seconds(1)), "TooManyRequests", 429, "m"},
      {request_entity_too_large_error("limit is 3145728"), "RequestEntityTooLarge", 413,
       "Request entity too large: limit is 3145728"},
      {bad_request_error("m"), "BadRequest", 400, "m"},
      {service_unavailable_error("m"), "ServiceUnavailable", 503, "m"},
      {resource_expired_error("m"), "Expired", 410, "m"},
      {gone_error("m"), "Gone", 410, "m"},
  };
  for (const auto& [error, reason, code, message] : cases) {
    EXPECT_EQ(error.code(), ErrorCode::Server);
    EXPECT_EQ(error.reason(), reason);
    EXPECT_EQ(error.http_status(), code) << message;
    EXPECT_EQ(error.message(), message);
    const json::Value status = status_json(error);
    EXPECT_EQ(status.at_path({"kind"})->string_or_empty(), "Status");
    EXPECT_EQ(status.at_path({"apiVersion"})->string_or_empty(), "v1");
    EXPECT_EQ(status.at_path({"status"})->string_or_empty(), "Failure");
    EXPECT_TRUE(status.at_path({"metadata"})->is_object());
  }
}

TEST(Status, PrintsAsServersDo) {
  EXPECT_EQ(
      dump(not_found_error(kPods, "a")),
      R"({"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"pods \"a\" not found",)"
      R"("reason":"NotFound","details":{"name":"a","kind":"pods"},"code":404})");
  EXPECT_EQ(dump(not_found_error(kDeployments, "a")),
            R"({"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure",)"
            R"("message":"deployments.apps \"a\" not found","reason":"NotFound",)"
            R"("details":{"name":"a","group":"apps","kind":"deployments"},"code":404})");
  EXPECT_EQ(
      dump(bad_request_error("m")),
      R"({"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"m","reason":"BadRequest","code":400})");
  EXPECT_EQ(
      dump(too_large_resource_version_error(9, 5)),
      R"({"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure",)"
      R"("message":"Timeout: Too large resource version: 9, current: 5","reason":"Timeout",)"
      R"("details":{"causes":[{"reason":"ResourceVersionTooLarge","message":"Too large resource version"}],)"
      R"("retryAfterSeconds":1},"code":504})");
  EXPECT_EQ(dump(internal_error("why")),
            R"({"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure",)"
            R"("message":"Internal error occurred: why","reason":"InternalError",)"
            R"("details":{"causes":[{"message":"why"}]},"code":500})");
  EXPECT_EQ(json::dump(make_success_status(StatusDetails{.name = "a", .kind = "pods", .uid = "u"})),
            R"({"kind":"Status","apiVersion":"v1","metadata":{},"status":"Success",)"
            R"("details":{"name":"a","kind":"pods","uid":"u"}})");
}

TEST(InvalidError, ERR_10_WithoutFieldErrorsHasNoColon) {
  const Error error = invalid_error({"", "Kind"}, "name", {});
  EXPECT_EQ(error.message(), "Kind \"name\" is invalid");
  EXPECT_TRUE(status_of(error)->causes.empty());
  EXPECT_EQ(error.http_status(), 422);
}

TEST(InvalidError, ERR_11_ERR_12_ACauseForEachFieldError) {
  const FieldPath path = FieldPath("field").index(0).child("name");
  struct Case {
    FieldError error;
    const char* message;
    StatusCause cause;
  };
  const Case cases[] = {
      {FieldError::duplicate(path, "bar"),
       "Kind \"name\" is invalid: field[0].name: Duplicate value: \"bar\"",
       {"FieldValueDuplicate", "Duplicate value: \"bar\"", "field[0].name"}},
      {FieldError::invalid(path, "bar", "detail"),
       "Kind \"name\" is invalid: field[0].name: Invalid value: \"bar\": detail",
       {"FieldValueInvalid", "Invalid value: \"bar\": detail", "field[0].name"}},
      {FieldError::not_found(path, "bar"),
       "Kind \"name\" is invalid: field[0].name: Not found: \"bar\"",
       {"FieldValueNotFound", "Not found: \"bar\"", "field[0].name"}},
      {FieldError::not_supported(path, "bar", {}),
       "Kind \"name\" is invalid: field[0].name: Unsupported value: \"bar\"",
       {"FieldValueNotSupported", "Unsupported value: \"bar\"", "field[0].name"}},
      {FieldError::required(path, ""),
       "Kind \"name\" is invalid: field[0].name: Required value",
       {"FieldValueRequired", "Required value", "field[0].name"}},
  };
  for (const auto& [field_error, message, cause] : cases) {
    const Error error = invalid_error({"", "Kind"}, "name", {field_error});
    EXPECT_EQ(error.message(), message);
    ASSERT_EQ(status_of(error)->causes.size(), 1U);
    EXPECT_EQ(status_of(error)->causes[0], cause);
    EXPECT_EQ(status_of(error)->kind, "Kind");
  }
  EXPECT_EQ(invalid_error({"apps", "Deployment"}, "a",
                          {FieldError::required(FieldPath("x"), ""),
                           FieldError::required(FieldPath("y"), "")})
                .message(),
            "Deployment.apps \"a\" is invalid: [x: Required value, y: Required value]");
}

TEST(GenericServerError, ERR_17_SuffixNamesWhatWasAskedFor) {
  const auto message = [](const GroupResource& resource, std::string_view name) {
    return generic_server_error(404, "GET", resource, name, "", std::chrono::seconds(0), false)
        .message();
  };
  EXPECT_EQ(message({}, ""), "the server could not find the requested resource");
  EXPECT_EQ(message({"", "pods"}, ""),
            "the server could not find the requested resource (get pods)");
  EXPECT_EQ(message({"apps", "pods"}, "a"),
            "the server could not find the requested resource (get pods.apps a)");
}

TEST(GenericServerError, ERR_18_QuotesTheBody) {
  EXPECT_EQ(generic_server_error(500, "GET", {}, "", "tab\t\"x\"", std::chrono::seconds(0), false)
                .message(),
            R"(an error on the server ("tab\t\"x\"") has prevented the request from succeeding)");
}

TEST(GenericServerError, KnowsTheCodesOfTheTable) {
  struct Case {
    int code;
    const char* verb;
    const char* body;
    const char* reason;
    const char* message;
  };
  const Case cases[] = {
      {409, "POST", "", "AlreadyExists", "the server reported a conflict"},
      {409, "PUT", "", "Conflict", "the server reported a conflict"},
      {400, "GET", "", "BadRequest", "the server rejected our request for an unknown reason"},
      {403, "GET", "body", "Forbidden", "body"},
      {405, "GET", "", "MethodNotAllowed",
       "the server does not allow this method on the requested resource"},
      {406, "GET", "body", "NotAcceptable", "body"},
      {406, "GET", "unknown", "NotAcceptable",
       "the server was unable to respond with a content type that the client supports"},
      {406, "GET", "", "NotAcceptable",
       "the server was unable to respond with a content type that the client supports"},
      {415, "GET", "body", "UnsupportedMediaType", "body"},
      {422, "GET", "", "Invalid", "the server rejected our request due to an error in our request"},
      {429, "GET", "", "TooManyRequests",
       "the server has received too many requests and has asked us to try again later"},
      {503, "GET", "", "ServiceUnavailable",
       "the server is currently unable to handle the request"},
      {504, "GET", "", "Timeout",
       "the server was unable to return a response in the time allotted, but may still be "
       "processing the request"},
      {502, "GET", "b", "InternalError",
       "an error on the server (\"b\") has prevented the request from succeeding"},
      {418, "GET", "b", "",
       "the server responded with the status code 418 but did not return more information"},
  };
  for (const auto& [code, verb, body, reason, message] : cases) {
    const Error error =
        generic_server_error(code, verb, {}, "", body, std::chrono::seconds(0), false);
    EXPECT_EQ(error.http_status(), code);
    EXPECT_EQ(error.reason(), reason) << code;
    EXPECT_EQ(error.message(), message) << code;
  }
}

TEST(ClientError, ERR_19_HasTwoCausesWithTheText) {
  const Error error = client_error(500, "GET", "ClientWatchDecoding", "unable to decode an event");
  EXPECT_EQ(
      error.message(),
      R"(an error on the server ("unable to decode an event") has prevented the request from succeeding)");
  EXPECT_EQ(status_of(error)->causes,
            (std::vector<StatusCause>{{"UnexpectedServerResponse", "unable to decode an event", ""},
                                      {"ClientWatchDecoding", "unable to decode an event", ""}}));
  const Error unnamed = client_error(500, "GET", "", "x");
  EXPECT_EQ(status_of(unnamed)->causes[1].reason, "ClientError");
}

TEST(StatusJson, MakesAStatusOfAnyError) {
  const auto reason_and_code = [](const Error& error) {
    const Error again = error_from_status(status_json(error));
    return std::pair(again.reason(), again.http_status());
  };
  EXPECT_EQ(reason_and_code(Error(ErrorCode::InvalidArgument, "x")),
            std::pair(std::string("BadRequest"), 400));
  EXPECT_EQ(reason_and_code(Error(ErrorCode::Timeout, "x")),
            std::pair(std::string("Timeout"), 504));
  EXPECT_EQ(reason_and_code(Error(ErrorCode::Internal, "x")), std::pair(std::string(), 500));
  EXPECT_EQ(
      reason_and_code(Error(ErrorCode::Server, "x").with_http_status(409).with_reason("Conflict")),
      std::pair(std::string("Conflict"), 409));
  EXPECT_EQ(
      dump(Error(ErrorCode::Internal, "raw text").with_retry_after(std::chrono::seconds(2))),
      R"({"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"raw text",)"
      R"("details":{"retryAfterSeconds":2},"code":500})");
}

TEST(StatusReason, WordsRoundTrip) {
  EXPECT_EQ(parse_status_reason("NotFound"), StatusReason::NotFound);
  EXPECT_EQ(parse_status_reason(""), StatusReason::Unknown);
  EXPECT_EQ(parse_status_reason("Foo"), std::nullopt);
  EXPECT_EQ(to_string(StatusReason::Expired), "Expired");
  EXPECT_EQ(http_code(StatusReason::Expired), 410);
}

}  // namespace
}  // namespace kube::meta

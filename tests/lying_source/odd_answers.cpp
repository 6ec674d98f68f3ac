// SPDX-License-Identifier: Apache-2.0
//
// Answers that HTTP allows and nobody expects.
#include "lying_source.hpp"

namespace kube::lying {
namespace {

constexpr int kStatuses[] = {200, 201, 202, 203, 204, 205, 206, 207, 208, 226, 300, 301, 302,
                             303, 304, 305, 306, 307, 308, 400, 401, 402, 403, 404, 405, 406,
                             407, 408, 409, 410, 411, 412, 413, 414, 415, 416, 417, 418, 421,
                             422, 423, 424, 425, 426, 428, 429, 431, 451, 499, 500, 501, 502,
                             503, 504, 505, 506, 507, 508, 510, 511, 520, 599};
constexpr const char* kRetryAfter[] = {"31536000",
                                       "2147483647",
                                       "99999999999999999999",
                                       "-1",
                                       "0",
                                       "1",
                                       "Fri, 31 Dec 2027 23:59:59 GMT",
                                       "soon",
                                       "",
                                       "1.5",
                                       "3600"};
constexpr const char* kBodies[] = {
    "",
    "<html><body>Bad gateway</body></html>",
    "null",
    "{}",
    "[]",
    "\"\"",
    "not now",
    R"({"kind":"Status","apiVersion":"v1","status":"Success"})",
    R"({"kind":"Status","apiVersion":"v1","status":"Failure"})",
    R"({"kind":"Status","apiVersion":"v1","status":"Failure","code":200,"reason":"Expired"})",
    R"({"kind":"Status","apiVersion":"v1","status":"Failure","code":-5,"message":null})",
    R"({"kind":"Status","apiVersion":"v1","status":"Failure","details":[],"code":"x"})",
    R"({"kind":"PodList","apiVersion":"v1","metadata":{},"items":[]})",
    R"({"kind":"Status","status":)",
    "k8s",
};
constexpr const char* kTypes[] = {
    "application/json", "text/html", "text/plain", "", "application/vnd.kubernetes.protobuf",
    "image/png"};

// More of a refusal than anybody should want.
constexpr std::size_t kEndless = std::size_t{6} << 20;

}  // namespace

bool LyingSource::odd_answer(Delivery& to) {
  if (tells(Lie::StatusIsOdd)) {
    const int status = draw_.of(kStatuses);
    transport::Headers headers;
    if (const std::string type = draw_.of(kTypes); !type.empty()) headers.add("Content-Type", type);
    if (draw_.one_in(4)) headers.add("Retry-After", draw_.of(kRetryAfter));
    if (draw_.one_in(4)) headers.add("Location", "http://elsewhere/");
    if (draw_.one_in(8)) headers.add("Warning", "299 - \"a warning\", 299 x \"\\\", garbage");
    if (draw_.one_in(8)) headers.add("WWW-Authenticate", "Bearer realm=\"\"");
    std::string body = draw_.of(kBodies);
    findings_.note([&] { return "-> " + std::to_string(status) + " " + printable(body); });
    // An empty list of pods is a list.
    if (body.find("PodList") != std::string::npos) steady_holds_ = false;
    to.begin(status, std::move(headers), std::move(body), true);
    return true;
  }
  if (tells(Lie::AsksForAYear)) {
    StatusStatement status =
        draw_.one_in(3) ? status_of(503, "ServiceUnavailable") : status_of(429, "TooManyRequests");
    if (draw_.one_in(2)) status.retry_after = *liar_.asks_for_a_year_event().status->retry_after;
    transport::Headers headers{{"Content-Type", std::string(kJsonMediaType)}};
    if (draw_.one_in(2)) headers.add("Retry-After", draw_.of(kRetryAfter));
    findings_.note([&] { return "-> " + printable(write(status, Encoding::Json)); });
    to.begin(status.code, std::move(headers), write(status, Encoding::Json), true);
    return true;
  }
  if (tells(Lie::BodyHasNoEnd)) {
    constexpr int kFailures[] = {400, 404, 429, 500, 503};
    to.begin(draw_.of(kFailures), {{"Content-Type", draw_.of(kTypes)}}, "", false);
    to.flow(kEndless);
    return true;
  }
  return false;
}

}  // namespace kube::lying

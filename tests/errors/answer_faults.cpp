// SPDX-License-Identifier: Apache-2.0
//
// Answers that say no, and answers that are not what was asked for.
#include <chrono>
#include <string>
#include <utility>

#include "faults.hpp"

namespace errors {
namespace {

using kube::Error;
using kube::transport::LoopbackServer;

using Call = Error (*)(const kube::rest::Config&);

Fault answered(std::string what, const std::string& bytes, Call call = get) {
  return {std::move(what), [bytes, call] {
            LoopbackServer server(answers(bytes));
            return call(config_for(server));
          }};
}

std::string json_answer(const std::string& status, const std::string& body) {
  return answer(status + "\r\nContent-Type: application/json", body);
}

std::string text_answer(const std::string& status, const std::string& body) {
  return answer(status + "\r\nContent-Type: text/plain", body);
}

const std::string kPage =
    "<!DOCTYPE html>\n<html><head><title>502 Bad Gateway</title></head>\n"
    "<body><h1>502 Bad Gateway</h1><hr>proxy</body></html>\n";

// A Status of failure with these members.
std::string failure(const std::string& members) {
  return R"({"kind":"Status","apiVersion":"v1","status":"Failure",)" + members + "}";
}

void add_statuses(std::vector<Fault>& faults) {
  faults.push_back(answered(
      "a Status says that the object is not there",
      json_answer(
          "404 Not Found",
          failure(R"("message":"pods \"front-0\" not found","reason":"NotFound","code":404)"))));
  faults.push_back(
      answered("a Status without a message",
               json_answer("404 Not Found", failure(R"("reason":"NotFound","code":404)"))));
  faults.push_back(answered("a Status without message, reason and code",
                            json_answer("500 Error", failure(R"("a":1)"))));
  faults.push_back(
      answered("a Status with the code 0 in a 500",
               json_answer("500 Error", failure(R"("message":"etcd is away","code":0)"))));
  faults.push_back(answered(
      "a Status of success in a 409",
      json_answer("409 Conflict", R"({"kind":"Status","apiVersion":"v1","status":"Success"})")));
  faults.push_back(answered(
      "a Status of failure in a 200",
      json_answer("200 OK", failure(R"("message":"not today","reason":"Forbidden","code":403)"))));
  faults.push_back(answered(
      "a Status whose message has control characters",
      json_answer("403 Forbidden",
                  failure(R"("message":"no\n\u001b[2Jentry","reason":"Forbidden","code":403)"))));
  faults.push_back(
      answered("a Status that is cut off",
               json_answer("403 Forbidden", R"({"kind":"Status","apiVersion":"v1","sta)")));
}

void add_codes(std::vector<Fault>& faults) {
  for (const char* status :
       {"400 Bad Request", "401 Unauthorized", "403 Forbidden", "404 Not Found",
        "405 Method Not Allowed", "406 Not Acceptable", "408 Request Timeout", "409 Conflict",
        "410 Gone", "413 Too Large", "415 Unsupported Media Type", "418 I'm a teapot",
        "422 Unprocessable Entity", "429 Too Many Requests", "500 Internal Server Error",
        "502 Bad Gateway", "503 Service Unavailable", "504 Gateway Timeout"}) {
    faults.push_back(answered(std::string(status) + " without a body", answer(status, "")));
  }
  faults.push_back(answered("a 500 with text", text_answer("500 Error", "panic: \x01\xff\n")));
  faults.push_back(answered("a 403 with text that has control characters",
                            text_answer("403 Forbidden", "no\r\n\x1b[2J entry")));
  faults.push_back(answered("a 502 with a page of a proxy",
                            answer("502 Bad Gateway\r\nContent-Type: text/html", kPage)));
  faults.push_back(answered("a 404 with a page of a proxy",
                            answer("404 Not Found\r\nContent-Type: text/html", kPage)));
  faults.push_back(answered("a 500 with another object than a Status",
                            answer("500 Error", R"({"kind":"Secret","data":{"a":"b"}})")));
  faults.push_back(answered("a redirect to a page where one logs in",
                            answer("302 Found\r\nLocation: https://login.example/?session=1", "")));
  faults.push_back(answered("a redirect to nowhere", answer("301 Moved Permanently", "")));
  faults.push_back(answered("a 304", "HTTP/1.1 304 Not Modified\r\n\r\n"));
  faults.push_back(answered(
      "a 429 that asks to wait a year",
      json_answer(
          "429 Too Many Requests\r\nRetry-After: 31536000",
          failure(R"("message":"too many requests","reason":"TooManyRequests","code":429)")),
      create));
  faults.push_back(
      answered("a 503 that asks to wait until a date",
               answer("503 Unavailable\r\nRetry-After: Wed, 21 Oct 2026 07:28:00 GMT", "")));
}

void add_bodies(std::vector<Fault>& faults) {
  const std::string protobuf = "200 OK\r\nContent-Type: application/vnd.kubernetes.protobuf";
  faults.push_back(answered("a 200 without a body", json_answer("200 OK", "")));
  faults.push_back(answered("a 204", "HTTP/1.1 204 No Content\r\n\r\n"));
  faults.push_back(answered("a 205", answer("205 Reset Content", "")));
  faults.push_back(
      answered("a 200 with a page", answer("200 OK\r\nContent-Type: text/html", kPage)));
  faults.push_back(
      answered("a 200 with a page that calls itself JSON", json_answer("200 OK", kPage)));
  faults.push_back(answered("a 200 with another content type",
                            answer("200 OK\r\nContent-Type: text/plain", "ok")));
  faults.push_back(answered("a Content-Type that is none",
                            answer("200 OK\r\nContent-Type: application/,others", "{}")));
  faults.push_back(answered("JSON that calls itself protobuf",
                            answer(protobuf, R"({"kind":"Pod","apiVersion":"v1"})")));
  faults.push_back(answered("a page that calls itself protobuf", answer(protobuf, kPage)));
  faults.push_back(
      answered("protobuf that is cut off", answer(protobuf, std::string("k8s\0\x0a\x20v", 7))));
  faults.push_back(answered("protobuf that calls itself JSON",
                            json_answer("200 OK", std::string("k8s\0\x0a\x00", 6))));
  faults.push_back(
      answered("JSON that is cut off", json_answer("200 OK", R"({"kind":"Pod","metadata":{"na)")));
  faults.push_back(
      answered("JSON that is not UTF-8", json_answer("200 OK", "{\"kind\":\"\xff\"}")));
  faults.push_back(answered("a number", json_answer("200 OK", "7")));
  faults.push_back(answered(
      "a field of a wrong type",
      json_answer("200 OK", R"({"kind":"Pod","apiVersion":"v1","metadata":{"labels":7}})")));
  faults.push_back(
      answered("the answer to a create is not a Pod", json_answer("201 Created", "[]"), create));
  faults.push_back({"an answer above the size limit", [] {
                      LoopbackServer server(answers(json_answer("200 OK", std::string(100, ' '))));
                      const auto client = kube::Client::create(config_for(server));
                      return error_of(client->rest().send(
                          {.verb = "get", .path = "/version", .max_bytes = 10}, {}));
                    }});
}

void add_watches(std::vector<Fault>& faults) {
  const auto stream = [](const std::string& events) {
    return answer("200 OK\r\nContent-Type: application/json", events);
  };
  faults.push_back(answered(
      "the watch's version is too old",
      stream(R"({"type":"ERROR","object":)" +
             failure(R"("message":"too old resource version","reason":"Expired","code":410)") +
             "}"),
      watch));
  faults.push_back(answered("an error event without a message",
                            stream(R"({"type":"ERROR","object":)" + failure(R"("code":500)") + "}"),
                            watch));
  faults.push_back(answered(
      "an error event with another object than a Status",
      stream(
          R"({"type":"ERROR","object":{"kind":"Pod","apiVersion":"v1","metadata":{"name":"a"}}})"),
      watch));
  faults.push_back(
      answered("an event of an unknown type", stream(R"({"type":"NEWS","object":{}})"), watch));
  faults.push_back(answered("an event that is not an object", stream("7\n"), watch));
  faults.push_back(answered("a watch that is answered by a page",
                            answer("200 OK\r\nContent-Type: text/html", kPage), watch));
  faults.push_back(answered("a watch that is answered without a body",
                            "HTTP/1.1 204 No Content\r\n\r\n", watch));
  faults.push_back(answered("a watch that may not be", answer("403 Forbidden", ""), watch));
}

}  // namespace

std::vector<Fault> answer_faults() {
  std::vector<Fault> faults;
  add_statuses(faults);
  add_codes(faults);
  add_bodies(faults);
  add_watches(faults);
  return faults;
}

}  // namespace errors

// SPDX-License-Identifier: Apache-2.0
#include "answer_checks.hpp"

#include <kube/base/printable.hpp>
#include <kube/json/value.hpp>
#include <kube/meta/errors.hpp>

#include "answer_text.hpp"
#include "envelope.hpp"

namespace kube {

Result<void> check_content(const transport::HttpResponse& response) {
  const std::string_view type = response.headers.find("Content-Type").value_or("");
  if (response.body.empty()) {
    return Error(ErrorCode::Decode, "expected an object, got 0-length response with status code: " +
                                        std::to_string(response.status) +
                                        " and content type: " + printable(type, 100));
  }
  if (!is_html(type, response.body)) return {};
  return Error(ErrorCode::Decode,
               "expected an object, got a response " + what_body_is(type, response.body));
}

Result<void> check_status(const std::string& body) {
  const Result<TypeNames> type = type_names(body);
  if (!type) return type.error();
  if (type->kind != "Status" || type->api_version != "v1") return {};
  const Result<json::Value> status = meta::read_status(body);
  if (!status) return status.error();
  const json::Value* outcome = status->at_path({"status"});
  if (outcome == nullptr || outcome->string_or_empty() != "Failure") return {};
  return meta::error_from_status(*status);
}

}  // namespace kube

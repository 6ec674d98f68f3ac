// SPDX-License-Identifier: Apache-2.0
//
// The server's "no": errors that carry the Status object that is sent, with apimachinery's reasons
// and texts, which clients match on.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <kube/base/error.hpp>
#include <kube/json/value.hpp>
#include <kube/meta/errors.hpp>
#include <kube/meta/field_error.hpp>
#include <kube/meta/group_version.hpp>

namespace kube::apiserver {

/// What a Status says; empty parts are left out.
struct StatusFacts {
  int code = 500;
  std::string reason{};
  std::string message{};
  std::string name{};
  std::string group{};
  std::string kind{};
  std::string uid{};
  std::vector<meta::StatusCause> causes{};
  int retry_after_seconds = 0;
  std::string continue_{};
};
json::Object make_status(const StatusFacts& facts);
Error to_error(const StatusFacts& facts);

Error bad_request(std::string message);
Error unauthorized();
Error forbidden(const meta::GroupResource& resource, std::string_view name, std::string_view why);
Error not_found(const meta::GroupResource& resource, std::string_view name);
/// For an unknown resource of a known group and version.
Error no_such_resource();
Error method_not_allowed();
Error not_acceptable(const std::vector<std::string_view>& accepted);
Error unsupported_media_type(const std::vector<std::string_view>& accepted);
Error already_exists(const meta::GroupResource& resource, std::string_view name);
Error being_deleted(const meta::GroupResource& resource, std::string_view name);
Error no_unique_name(const meta::GroupResource& resource, std::string_view name);
/// "Operation cannot be fulfilled on ...: why"
Error conflict(const meta::GroupResource& resource, std::string_view name, std::string_view why);
/// The same, of a stale resourceVersion.
Error modified(const meta::GroupResource& resource, std::string_view name);
Error expired(std::string message, std::string continue_token = {});
Error too_large(std::size_t limit);
Error invalid(const meta::GroupKind& kind, std::string_view name, const meta::FieldErrors& errors);
/// Of query options: group meta.k8s.io, the options' kind, no name.
Error invalid_options(std::string_view kind, const meta::FieldErrors& errors);
Error too_many_requests(std::string message, int retry_after_seconds,
                        std::vector<meta::StatusCause> causes = {});
Error too_large_resource_version(std::uint64_t wanted, std::uint64_t current);
Error internal_error(std::string_view why);

/// The Status of an error: its own, or one made from its code and text. Its text never holds more
/// than the error's.
json::Object status_of_error(const Error& error);

}  // namespace kube::apiserver

// SPDX-License-Identifier: Apache-2.0
//
// Errors that kube/meta/status.hpp does not have: texts of this server alone, and statuses with
// unusual members.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <kube/base/error.hpp>
#include <kube/meta/status.hpp>

namespace kube::serving {

/// For an unknown resource or subresource of a known group and version.
Error no_such_resource();
/// For a known path and a method that it does not have.
Error method_not_allowed();
Error not_acceptable(const std::vector<std::string_view>& accepted);
Error unsupported_media_type(const std::vector<std::string_view>& accepted);
/// A create while the object of that name is still being deleted.
Error being_deleted(const meta::GroupResource& resource, std::string_view name);
/// A create in a namespace that is being deleted.
Error namespace_terminating(const meta::GroupResource& resource, std::string_view name,
                            std::string_view namespace_);
/// An expired continue token, with a token that continues in the latest state.
Error expired_token(std::string_view fresh_token);
/// "too old resource version: X (Y)"
Error too_old(std::uint64_t wanted, std::uint64_t oldest);
Error body_too_large(std::size_t limit);
/// A body that can't be read as an object of the expected kind.
Error not_handled(const meta::GroupVersionKind& actual, const meta::GroupVersionKind& expected,
                  std::string_view why);
/// A 500 without a reason: for what the reference server did not expect.
Error unexplained(std::string_view message);
/// For a version of a custom resource that only a webhook could convert from and to.
Error webhook_failed(const meta::GroupVersionKind& version);
/// For query options: group meta.k8s.io, the kind of the options, no name.
Error invalid_options(std::string_view kind, const meta::FieldErrors& errors);

}  // namespace kube::serving

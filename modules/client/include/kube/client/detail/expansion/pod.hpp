// SPDX-License-Identifier: Apache-2.0
//
// The methods that typed clients of pods have in addition to Api<T> (client-go's PodExpansion).
#pragma once

#include <stop_token>
#include <string_view>
#include <utility>

#include <kube/api/core/v1/binding.hpp>
#include <kube/api/core/v1/pod_log_options.hpp>
#include <kube/api/policy/v1/eviction.hpp>
#include <kube/api/policy/v1beta1/eviction.hpp>
#include <kube/client/api.hpp>
#include <kube/client/text_request.hpp>
#include <kube/codec/query.hpp>

namespace kube::clientset::expansion {

/// @par Thread safety   As Api<T>.
template <ApiObject T>
class PodExpansion : public Api<T> {
 public:
  using Api<T>::Api;

  /// POST .../{binding.name}/binding
  /// @par Errors   Conflict when the pod is already bound, and those of
  ///   Api<T>::create_subresource().
  Result<void> bind(const core::v1::Binding& binding, const CreateOptions& options = {},
                    std::stop_token stop = {}) const {
    return this->post_subresource(binding.metadata.name, "binding", binding, options,
                                  std::move(stop));
  }

  /// POST .../{eviction.name}/eviction
  /// @par Errors   TooManyRequests (is_too_many_requests()) while a disruption budget forbids it,
  ///   and those of Api<T>::create_subresource().
  Result<void> evict(const policy::v1::Eviction& eviction, const CreateOptions& options = {},
                     std::stop_token stop = {}) const {
    return evict_v1(eviction, options, std::move(stop));
  }
  Result<void> evict_v1(const policy::v1::Eviction& eviction, const CreateOptions& options = {},
                        std::stop_token stop = {}) const {
    return this->post_subresource(eviction.metadata.name, "eviction", eviction, options,
                                  std::move(stop));
  }
  Result<void> evict_v1beta1(const policy::v1beta1::Eviction& eviction,
                             const CreateOptions& options = {}, std::stop_token stop = {}) const {
    return this->post_subresource(eviction.metadata.name, "eviction", eviction, options,
                                  std::move(stop));
  }

  /// GET .../{name}/log, not sent yet: do_raw() returns the whole log, stream() a stream of it.
  TextRequest get_logs(std::string_view name, const core::v1::PodLogOptions& options = {}) const {
    return detail::logs(this->raw(), name, options);
  }

  /// GET .../[scheme:]name[:port]/proxy/path?params, not sent yet.
  TextRequest proxy_get(std::string_view scheme, std::string_view name, std::string_view port,
                        std::string_view path, QueryParameters params = {}) const {
    return get_proxied(this->raw(), scheme, name, port, path, std::move(params));
  }
};

}  // namespace kube::clientset::expansion

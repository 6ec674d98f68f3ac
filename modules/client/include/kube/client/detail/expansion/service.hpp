// SPDX-License-Identifier: Apache-2.0
//
// The methods that typed clients of services have in addition to Api<T> (client-go's
// ServiceExpansion).
#pragma once

#include <string_view>
#include <utility>

#include <kube/client/api.hpp>
#include <kube/client/text_request.hpp>
#include <kube/codec/query.hpp>

namespace kube::clientset::expansion {

/// @par Thread safety   As Api<T>.
template <ApiObject T>
class ServiceExpansion : public Api<T> {
 public:
  using Api<T>::Api;

  /// GET .../[scheme:]name[:port]/proxy/path?params, not sent yet.
  TextRequest proxy_get(std::string_view scheme, std::string_view name, std::string_view port,
                        std::string_view path, QueryParameters params = {}) const {
    return get_proxied(this->raw(), scheme, name, port, path, std::move(params));
  }
};

}  // namespace kube::clientset::expansion

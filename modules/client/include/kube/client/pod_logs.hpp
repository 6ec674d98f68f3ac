// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <kube/api/core/v1/pod_log_options.hpp>
#include <kube/meta/options.hpp>

namespace kube {

/// The query of a request for logs; what is not set is left out.
QueryParameters to_query(const core::v1::PodLogOptions& options);

}  // namespace kube

// SPDX-License-Identifier: Apache-2.0
//
// Responses as tables (meta.k8s.io Table), in JSON and YAML: what kubectl prints.
#pragma once

#include "forms/encoding.hpp"

namespace kube::serving {

EncodingPtr make_table_encoding(const Accepted& accepted, IncludeObject include,
                                std::shared_ptr<Clock> clock);

}  // namespace kube::serving

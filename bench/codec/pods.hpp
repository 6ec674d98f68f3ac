// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <kube/api/core/v1/pod.hpp>

namespace kube::bench {

/// A running pod of a Deployment as a server sends it, managed fields and all: about 5 KB of
/// protobuf and 8 KB of JSON. The same for the same number; others differ in names, in how much
/// they hold and in which of the usual fields are set, so that no processor learns one by heart.
core::v1::Pod running_pod(unsigned number);

}  // namespace kube::bench

// SPDX-License-Identifier: Apache-2.0
//
// Answers in protobuf: whole objects, or their metadata alone. The message of an object is made
// once, when it is first asked for, and shared by all lists, reads and watches.
#pragma once

#include "forms/encoding.hpp"

namespace kube::apiserver {

/// For all transformations but Table, which protobuf doesn't have.
EncodingPtr make_protobuf_encoding(const Accepted& accepted);

}  // namespace kube::apiserver

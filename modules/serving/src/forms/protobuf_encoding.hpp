// SPDX-License-Identifier: Apache-2.0
//
// Responses in protobuf: whole objects, or their metadata alone. The message of an object is
// encoded on first use and shared by all lists, reads and watches.
#pragma once

#include "forms/encoding.hpp"

namespace kube::serving {

/// For all transformations except Table, which protobuf doesn't have.
EncodingPtr make_protobuf_encoding(const Accepted& accepted);

}  // namespace kube::serving

// SPDX-License-Identifier: Apache-2.0
//
// Objects into protobuf, by their descriptors.
#pragma once

#include <kube/codec/descriptor.hpp>

#include "wire_output.hpp"

namespace kube::meta {

/// Writes the message of a value before what `out` has.
void write_message_backwards(const void* object, const TypeDescriptor& type, wire::Output& out);

}  // namespace kube::meta

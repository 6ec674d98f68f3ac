// SPDX-License-Identifier: Apache-2.0
//
// Objects into protobuf, by their descriptors.
#pragma once

#include <kube/codec/descriptor.hpp>

#include "wire_output.hpp"

namespace kube::meta {

/// Puts the bare message of a value in front of what has been written.
void write_message_backwards(const void* object, const TypeDescriptor& type, wire::Output& out);

}  // namespace kube::meta

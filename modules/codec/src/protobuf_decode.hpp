// SPDX-License-Identifier: Apache-2.0
//
// Protobuf into objects, by their descriptors.
#pragma once

#include <cstddef>
#include <string_view>

#include <kube/base/result.hpp>
#include <kube/codec/descriptor.hpp>

namespace kube::meta {

/// read_protobuf() of a message at `offset` of the bytes that errors refer to.
Result<void> read_protobuf_at(std::size_t offset, std::string_view message,
                              const TypeDescriptor& type, void* object);

}  // namespace kube::meta

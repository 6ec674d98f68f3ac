// SPDX-License-Identifier: Apache-2.0
//
// Objects of types that are known only by their descriptor: creates values, and converts from one
// encoding to the other.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include <kube/base/result.hpp>
#include <kube/codec/descriptor.hpp>

namespace kube::meta {

/// Makes a default value of a described type. `type` must outlive it.
std::shared_ptr<void> make_object(const TypeDescriptor& type);

/// Returns the bare message of an object's JSON.
/// @par Errors   Decode, as read_json().
Result<std::string> json_to_message(const TypeDescriptor& type, std::string_view json);

/// Returns the JSON of a bare message; for a kind with "kind" and "apiVersion".
/// @par Errors   Decode, as read_protobuf().
Result<std::string> message_to_json(const TypeDescriptor& type, std::string_view message);

}  // namespace kube::meta

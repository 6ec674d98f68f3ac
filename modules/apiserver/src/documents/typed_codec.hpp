// SPDX-License-Identifier: Apache-2.0
//
// Between the two forms of an object of a built-in kind: JSON and protobuf, by its type's
// descriptor.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <kube/base/result.hpp>
#include <kube/codec/descriptor.hpp>

namespace kube::apiserver {

/// The bare message of an object's JSON.
/// @par Errors   Decode, as meta::read_json().
Result<std::string> json_to_message(const meta::TypeDescriptor& type, std::string_view json);

/// The JSON of a bare message; of a kind with "kind" and "apiVersion".
/// @par Errors   Decode, as meta::read_protobuf().
Result<std::string> message_to_json(const meta::TypeDescriptor& type, std::string_view message);

/// Appends a message with the envelope of an object.
void write_object_envelope(std::string_view api_version, std::string_view kind,
                           std::string_view message, std::string& out);

/// What strict decoding says of a body in JSON or YAML: `unknown field "spec.foo"`, `duplicate
/// field "kind"`. `yaml`: else it is JSON.
/// @par Errors   Decode for values of a wrong type.
Result<std::vector<std::string>> strict_problems(const meta::TypeDescriptor& type,
                                                 std::string_view body, bool yaml);

}  // namespace kube::apiserver

// SPDX-License-Identifier: Apache-2.0
//
// Reads the kind of an object, in JSON or protobuf, without decoding the object.
#pragma once

#include <string>
#include <string_view>

#include <kube/base/result.hpp>

namespace kube {

struct TypeNames {
  std::string api_version{};
  std::string kind{};
};

/// Returns apiVersion and kind of an object; empty where missing. Reads until both are found.
/// @par Errors   Decode, with the offset of the first error.
Result<TypeNames> type_names(std::string_view object);

}  // namespace kube

// SPDX-License-Identifier: Apache-2.0
//
// What kind of thing an answer holds, in JSON or protobuf, read without decoding it.
#pragma once

#include <string>
#include <string_view>

#include <kube/base/result.hpp>

namespace kube {

struct TypeNames {
  std::string api_version{};
  std::string kind{};
};

/// apiVersion and kind of an object; empty where missing.
/// @par Errors   Decode, with the offset of the first mistake that was met: only as much is read as
///   it takes to find the two.
Result<TypeNames> type_names(std::string_view object);

}  // namespace kube

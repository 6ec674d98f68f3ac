// SPDX-License-Identifier: Apache-2.0
//
// Checks JSON against a descriptor without decoding it.
#pragma once

#include <string_view>

#include <kube/base/result.hpp>
#include <kube/codec/codec.hpp>
#include <kube/codec/descriptor.hpp>

namespace kube::meta {

/// Checks a JSON object against a type, generated or of a RuntimeSchema. It fails where read_json()
/// fails, with the same message, except that integers of a RuntimeSchema's type may be written 1.0
/// and 1e2, as servers accept them. RuntimeSchema::validate() checks what a schema states beyond
/// types.
/// @par Errors   As read_json(), strict reading included.
/// @par Cost   One pass over the text; no value outlives its check.
Result<void> check_json(std::string_view text, const TypeDescriptor& type,
                        const ReadOptions& options = {});

}  // namespace kube::meta

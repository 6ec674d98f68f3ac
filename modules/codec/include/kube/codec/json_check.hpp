// SPDX-License-Identifier: Apache-2.0
//
// Checks JSON against a descriptor without making a value of it.
#pragma once

#include <string_view>

#include <kube/base/result.hpp>
#include <kube/codec/codec.hpp>
#include <kube/codec/descriptor.hpp>

namespace kube::meta {

/// Checks a JSON object against a type, generated or of a RuntimeSchema, without reading it into
/// anything: what read_json() would refuse of the type is refused, in the same words; but integers
/// of a RuntimeSchema's type may be written 1.0 and 1e2, as servers take them there. What a schema
/// says of values beyond their types is RuntimeSchema::validate()'s part.
/// @par Errors   As read_json(), strict reading included.
/// @par Cost   One pass over the text, by the type's tables; no value outlives its check.
Result<void> check_json(std::string_view text, const TypeDescriptor& type,
                        const ReadOptions& options = {});

}  // namespace kube::meta

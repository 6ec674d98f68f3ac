// SPDX-License-Identifier: Apache-2.0
//
// The fields that a cache leaves out of its objects: InformerOptions::drop_fields, compiled.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <kube/base/result.hpp>
#include <kube/cache/detail/cell.hpp>
#include <kube/codec/field_dropper.hpp>

namespace kube::cache {

/// Null: none.
using DropFields = std::shared_ptr<const meta::FieldDropper>;

/// Looks the paths up in the type; those of untyped objects in the metadata, as far as they are
/// there.
/// @par Errors   InvalidArgument, naming the path and what is wrong: see FieldDropper::compile().
///   Also when the cache itself needs the field: kind, name, namespace, uid and
///   resourceVersion.
Result<DropFields> compile_drop_fields(const CellType& type, const std::vector<std::string>& paths);

}  // namespace kube::cache

// SPDX-License-Identifier: Apache-2.0
#include "drop_fields.hpp"

#include <string_view>
#include <utility>

#include <kube/meta/partial_object_metadata.hpp>

namespace kube::cache {
namespace {

// An object without one of these can't be stored, or is read as another one.
constexpr std::string_view kNeeded =
    R"({"apiVersion":"v","kind":"k","metadata":{"name":"a","namespace":"b","uid":"c","resourceVersion":"1"}})";

bool is_in_metadata(std::string_view path) {
  constexpr std::string_view kMetadata = "metadata";
  if (!path.starts_with(kMetadata)) return false;
  return path.size() == kMetadata.size() || path[kMetadata.size()] == '.' ||
         path[kMetadata.size()] == '[';
}

Result<meta::FieldDropper> compile_one(const CellType& type, const std::string& path) {
  if (type.descriptor != nullptr) return meta::FieldDropper::compile(type.descriptor(), {&path, 1});
  // The metadata is the same in all types.
  if (is_in_metadata(path)) {
    const auto known =
        meta::FieldDropper::compile(meta::PartialObjectMetadata::descriptor(), {&path, 1});
    if (!known) return known.error();
  }
  return meta::FieldDropper::compile_untyped({&path, 1});
}

}  // namespace

Result<DropFields> compile_drop_fields(const CellType& type,
                                       const std::vector<std::string>& paths) {
  if (paths.empty()) return DropFields();
  for (const std::string& path : paths) {
    const auto one = compile_one(type, path);
    if (!one) return one.error().with_context("drop_fields");
    std::string scratch;
    if (one->drop_in_json(kNeeded, scratch).value().size() != kNeeded.size()) {
      return Error(ErrorCode::InvalidArgument,
                   "drop_fields: path \"" + path +
                       "\": a cache needs the kind, name, namespace, uid "
                       "and resourceVersion of its objects");
    }
  }
  auto all = type.descriptor != nullptr ? meta::FieldDropper::compile(type.descriptor(), paths)
                                        : meta::FieldDropper::compile_untyped(paths);
  if (!all) return all.error().with_context("drop_fields");
  return std::make_shared<const meta::FieldDropper>(*std::move(all));
}

}  // namespace kube::cache

// SPDX-License-Identifier: Apache-2.0
#include <kube/cache/index_functions.hpp>

#include <kube/meta/partial_object_metadata.hpp>

namespace kube {
namespace cache {

// The metadata is the same in all types.
Result<std::vector<meta::OwnerReference>> owner_references_of(Encoding encoding,
                                                              std::string_view body) {
  static const meta::FieldLocator path =
      meta::FieldLocator::compile<meta::PartialObjectMetadata>("metadata.ownerReferences").value();
  const auto field = encoding == Encoding::Protobuf ? path.find_in_message(body) : path.find(body);
  if (!field) return field.error();
  return field->read<std::vector<meta::OwnerReference>>();
}

}  // namespace cache

Result<IndexFunc<Unstructured>> index_by_field(const meta::TypeDescriptor& type,
                                               std::string_view path) {
  Result<meta::FieldLocator> compiled = meta::FieldLocator::compile(type, path);
  if (!compiled) return compiled.error();
  const Result<meta::FieldView> nowhere = compiled->find("{}");
  if (!nowhere) return nowhere.error();
  const bool is_string = nowhere->read<std::string>().has_value();
  if (!is_string) {
    if (auto list = nowhere->read<std::vector<std::string>>(); !list) return list.error();
  }
  return IndexFunc<Unstructured>(
      [path = *std::move(compiled), is_string](const Cached<Unstructured>& object) {
        std::string text;  // of an object that is stored decoded
        std::string_view body = object.cell().body();
        if (body.empty()) body = text = meta::to_json(*object);
        const meta::FieldView field = path.find(body).value();
        if (!is_string) return field.read<std::vector<std::string>>().value();
        std::vector<std::string> values{field.read<std::string>().value()};
        if (values.front().empty()) values.clear();
        return values;
      });
}

}  // namespace kube

// SPDX-License-Identifier: Apache-2.0
//
// A described type with every way in which a field can merge.
#pragma once

#include <vector>

#include <kube/codec/descriptor.hpp>

namespace kube::meta::test {

/// Lists and objects of itself, like the type that apimachinery tests strategic merge with:
///
///   name, value, other    scalars
///   count                 integer
///   inlined               scalar of an inlined message
///   mergingList           merged by name
///   nonMergingList        replaced
///   mergingIntList        a set
///   nonMergingIntList     replaced
///   keylessList           merged, but without a merge key
///   simpleMap             map of strings
///   itemMap               map of items
///   item                  object
///   retainKeysItem        object, retainKeys
///   retainKeysList        merged by name, retainKeys
///   raw                   opaque JSON
inline const TypeDescriptor& merge_item() {
  static TypeDescriptor type{};
  static TypeDescriptor inlined_type{};
  static const auto field = [](std::string_view json, ValueKind kind, Cardinality cardinality) {
    FieldDescriptor out{};
    out.json = json;
    out.kind = kind;
    out.cardinality = cardinality;
    if (kind == ValueKind::Message) out.message = &type;
    return out;
  };
  static const auto merged = [](std::string_view json, ValueKind kind, std::string_view key) {
    FieldDescriptor out = field(json, kind, Cardinality::List);
    out.patch_merge = true;
    out.patch_merge_key = key;
    return out;
  };
  static const auto retaining = [](FieldDescriptor out) {
    out.patch_retain_keys = true;
    return out;
  };
  static const std::vector<FieldDescriptor> inlined_fields{
      field("inlined", ValueKind::String, Cardinality::Plain)};
  static const auto inlined_field = [] {
    FieldDescriptor out{};
    out.kind = ValueKind::Message;
    out.cardinality = Cardinality::Plain;
    out.inline_ = true;
    out.message = &inlined_type;
    return out;
  };
  static const std::vector<FieldDescriptor> fields{
      field("name", ValueKind::String, Cardinality::Plain),
      field("value", ValueKind::String, Cardinality::Plain),
      field("other", ValueKind::String, Cardinality::Plain),
      field("count", ValueKind::Int64, Cardinality::Plain),
      inlined_field(),
      merged("mergingList", ValueKind::Message, "name"),
      field("nonMergingList", ValueKind::Message, Cardinality::List),
      merged("mergingIntList", ValueKind::Int64, ""),
      field("nonMergingIntList", ValueKind::Int64, Cardinality::List),
      merged("keylessList", ValueKind::Message, ""),
      field("simpleMap", ValueKind::String, Cardinality::Map),
      field("itemMap", ValueKind::Message, Cardinality::Map),
      field("item", ValueKind::Message, Cardinality::Optional),
      retaining(field("retainKeysItem", ValueKind::Message, Cardinality::Optional)),
      retaining(merged("retainKeysList", ValueKind::Message, "name")),
      field("raw", ValueKind::RawJson, Cardinality::Plain),
  };
  static const TypeDescriptor& described = [&]() -> const TypeDescriptor& {
    inlined_type.name = "test.v1.Inlined";
    inlined_type.fields = inlined_fields;
    type.name = "test.v1.MergeItem";
    type.fields = fields;
    return type;
  }();
  return described;
}

}  // namespace kube::meta::test

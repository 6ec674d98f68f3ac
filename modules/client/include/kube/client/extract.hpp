// SPDX-License-Identifier: Apache-2.0
//
// Extracts from an object what a field manager has applied to it, as the start of its next apply:
//
//   auto mine = extract<Deployment>(deployment, "my-controller");
//   if (!mine) return mine.error();
//   mine->spec.replicas = 3;
//   auto applied = deployments.apply(*mine, {.field_manager = "my-controller"});
//
// Any thread may call these functions.
#pragma once

#include <concepts>
#include <string_view>

#include <kube/base/result.hpp>
#include <kube/base/text_argument.hpp>
#include <kube/client/apply_document.hpp>
#include <kube/codec/converter.hpp>
#include <kube/codec/object.hpp>
#include <kube/codec/unstructured.hpp>
#include <kube/json/value.hpp>

namespace kube {

/// Returns the document that holds apiVersion, kind, name and namespace of the object, and the
/// fields that the manager owns by applying it, to the object itself or to a subresource: of lists
/// with keys the items that it owns, with their keys. What it owns by updates, and what other
/// managers own, is left out. A manager that has applied nothing owns nothing.
/// @par Errors   Decode: metadata.managedFields has not the form that servers write.
/// @par Cost   One pass over the manager's fields; each key of a list looks at the items.
Result<json::Value> extract_applied(const json::Value& object, std::string_view field_manager,
                                    std::string_view subresource = "");
template <AnyText T>
Result<json::Value> extract_applied(const T& text, std::string_view field_manager,
                                    std::string_view subresource = "") =
    delete;  // json::parse() it first.

/// Returns the fields among them that are zero, or that the object has not (servers omit false, 0
/// and "" of many fields), as ApplyConfiguration::zeros. Only fields that the manager owns itself,
/// or within a list or an object that it owns as a whole.
/// @par Errors   As above.
Result<json::Value> extract_zeros(const json::Value& object, std::string_view field_manager,
                                  std::string_view subresource = "");
template <AnyText T>
Result<json::Value> extract_zeros(const T& text, std::string_view field_manager,
                                  std::string_view subresource = "") =
    delete;  // json::parse() it first.

/// Returns what extract_applied() does as an object of its type. A field that the manager owns and
/// whose value is zero stays its own in the next apply, by ApplyConfiguration::zeros; remove it
/// there to give it up.
/// @par Errors   As above; Decode when the fields do not make a T.
template <std::same_as<Unstructured> T>
Result<T> extract(const T& object, std::string_view field_manager,
                  std::string_view subresource = "") {
  Result<json::Value> document = extract_applied(object.content, field_manager, subresource);
  if (!document) return document.error();
  return Unstructured(*std::move(document));
}
template <Object T>
Result<ApplyConfiguration<T>> extract(const T& object, std::string_view field_manager,
                                      std::string_view subresource = "") requires Described<T> {
  const json::Value whole = meta::to_value(object);
  const Result<json::Value> document = extract_applied(whole, field_manager, subresource);
  if (!document) return document.error();
  Result<json::Value> zeros = extract_zeros(whole, field_manager, subresource);
  if (!zeros) return zeros.error();
  Result<T> applied = meta::from_value<T>(*document);
  if (!applied) return applied.error();
  return ApplyConfiguration<T>{*std::move(applied), *std::move(zeros)};
}

}  // namespace kube

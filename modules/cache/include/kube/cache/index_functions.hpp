// SPDX-License-Identifier: Apache-2.0
//
// Functions of indexes by label, by owner and by selector, and by a field of a type that is known
// at run time. They read the bytes of objects; nothing but the value is decoded.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <kube/base/result.hpp>
#include <kube/cache/cached.hpp>
#include <kube/cache/detail/store.hpp>
#include <kube/cache/indexer.hpp>
#include <kube/codec/field_view.hpp>
#include <kube/codec/unstructured.hpp>
#include <kube/meta/owner_reference.hpp>
#include <kube/names/labels.hpp>

namespace kube {

namespace cache {

/// Finds the owner references in the bytes of an object of any type.
/// @par Errors   Decode: the bytes are invalid.
Result<std::vector<meta::OwnerReference>> owner_references_of(Encoding encoding,
                                                              std::string_view body);

}  // namespace cache

/// Returns the function of an index by the value of a label. A lister with a selector that requires
/// values of this label looks at the objects of the index alone. Objects without the label, and
/// those whose labels can't be read, are not in the index.
///
///     auto added = informer.add_index("app", index_by_label<Pod>("app"));
///     auto web = informer.lister().list(*labels::parse("app=web,tier!=cache"));
template <Object T>
IndexFunc<T> index_by_label(std::string label) {
  return cache::IndexByLabel<T>{std::move(label)};
}

/// Returns the value of an object in an index_by_owner(), by kind and name of the owner. It has
/// neither namespace nor API group: see there.
inline std::string owner_value(std::string_view kind, std::string_view name) {
  return std::string(kind) + "/" + std::string(name);
}

/// Returns the function of an index by controlling owner, that is the first owner reference with
/// `controller`: an object is found by the owner's uid, and by its kind and name. Objects without
/// such an owner are not in the index, also those with owners that are not controllers.
///
/// The uid is exact. A kind and a name may be those of several owners: in a cache of all namespaces
/// of one in each, and of kinds of the same name in different API groups.
///
///     auto added = informer.add_index("owner", index_by_owner<Pod>());
///     auto pods = informer.indexer().by_index("owner", replica_set.metadata.uid);
///     pods = informer.indexer().by_index("owner", owner_value("ReplicaSet", "web-7d4b9c"));
template <Object T>
IndexFunc<T> index_by_owner() {
  return [](const Cached<T>& object) {
    std::string text;  // of an object that is stored decoded
    std::string_view body = object.cell().body();
    if (body.empty()) {
      cache::encode_body(*object, object.cell().encoding(), text);
      body = text;
    }
    const auto references = cache::owner_references_of(object.cell().encoding(), body).value();
    for (const meta::OwnerReference& owner : references) {
      if (!owner.controller.value_or(false)) continue;
      return std::vector<std::string>{owner.uid, owner_value(owner.kind, owner.name)};
    }
    return std::vector<std::string>();
  };
}

/// The value of all objects in an index_by_selector().
inline constexpr std::string_view kMatching = "matching";

/// Returns the function of an index of the objects whose labels match, all under kMatching.
///
///     auto selector = labels::parse("track=canary");
///     auto added = informer.add_index("canaries", index_by_selector<Pod>(*selector));
///     auto canaries = informer.indexer().by_index("canaries", kMatching);
template <Object T>
IndexFunc<T> index_by_selector(labels::Selector selector) {
  return [selector = std::move(selector)](const Cached<T>& object) {
    CachedList<T> one(std::vector<Cached<T>>{object});
    const auto matching = cache::keep_matching<T>(std::move(one), {}, selector);
    return std::vector<std::string>(matching.value().size(), std::string(kMatching));
  };
}

/// Returns the function of an index by a string field of a type that is known at run time, such as
/// one of a CustomResourceDefinition (kube/validation/runtime_schema.hpp has its descriptor), or by
/// each element of a list of strings. `type` must outlive the index.
/// @par Errors   InvalidArgument: the type has no such field, or it is neither a string nor a list
///   of strings.
Result<IndexFunc<Unstructured>> index_by_field(const meta::TypeDescriptor& type,
                                               std::string_view path);

}  // namespace kube

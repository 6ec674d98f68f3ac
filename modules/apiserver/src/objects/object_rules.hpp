// SPDX-License-Identifier: Apache-2.0
//
// What a write may say and what the server makes of it: documents in, stored objects out. Pure
// functions on one object; ObjectService puts them in order.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include <kube/base/result.hpp>
#include <kube/json/value.hpp>
#include <kube/names/field_error.hpp>
#include <kube/names/object_key.hpp>

#include "documents/ids.hpp"
#include "resources/resource.hpp"
#include "storage/stored_object.hpp"

namespace kube::apiserver {

/// Which part of an object a write may change.
enum class Part {
  Main,        ///< Everything but the status (of kinds whose status is a subresource).
  Status,      ///< The status, and of built-in kinds the metadata.
  Containers,  ///< As Main, of a pod, whose containers may change.
  Whole,       ///< Everything; for the server's own writes.
};

/// One write on its way from a document to the store.
struct Write {
  const Resource& resource;
  const json::Value* before = nullptr;  ///< Null for a new object.
  Part part = Part::Whole;
  bool loaded = false;  ///< The object comes as it is, status included.
  std::string now{};
};

/// The document that a request's body has for a resource: an object of its kind and version, kind
/// and apiVersion filled in where built-in kinds allow it. A 400 otherwise.
Result<json::Value> check_document(const Resource& resource, json::Value document);
/// A namespace in the document must be the one of the request; a 400 otherwise. Fills it in.
Result<void> match_namespace(const Resource& resource, std::string_view namespace_,
                             json::Value& document);

/// Server-owned metadata of a new object.
void start_metadata(const Resource& resource, json::Value& object, Ids& ids, std::string now);
/// Brings a changed document back to what the write may change: the other parts and the server's
/// metadata are as they were.
/// @par Errors   A 409 where the uid or resourceVersion given is not that of the current state.
Result<void> keep_rest(const Write& write, const ObjectKey& key, json::Value& next);
/// Makes a document ready for the store: defaults, what its kind prepares and keeps, validation.
/// @par Errors   A 422 that names what is wrong.
Result<void> complete(const Write& write, json::Value& object);
/// Raises the generation when the change is one that counts.
void count_generation(const Resource& resource, const json::Value& current, json::Value& next);
/// Whether nothing holds a terminating object any more.
bool may_vanish(const Resource& resource, const json::Value& object);

/// Ready for the store.
std::unique_ptr<StoredObject> prepare(const Resource& resource, json::Value object);
/// For an answer to a dry run: as it would be stored, with the given revision or none.
ObjectPtr pretend(const Resource& resource, json::Value object, std::uint64_t revision);

}  // namespace kube::apiserver

// SPDX-License-Identifier: Apache-2.0
//
// What a write may contain and how the server completes it: from documents to stored objects. Pure
// functions on one object; ObjectService calls them in order.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <kube/base/result.hpp>
#include <kube/json/value.hpp>
#include <kube/names/field_error.hpp>
#include <kube/names/object_key.hpp>

#include "documents/ids.hpp"
#include "names/serving_names.hpp"
#include "resources/resource.hpp"
#include "storage/stored_object.hpp"

namespace kube::apiserver {

/// Which part of an object a write may change.
enum class Part {
  Main,       ///< Everything except the status (for kinds whose status is a subresource).
  Status,     ///< The status, and the metadata of built-in kinds.
  Approval,   ///< As Status, of a request that is approved or denied.
  Ephemeral,  ///< The ephemeral containers of a pod.
  Resize,     ///< The resources of a pod and of its containers.
  Whole,      ///< Everything; for the server's own writes.
  Uncounted,  ///< As Whole, and it does not count as a change.
};

constexpr bool is_whole(Part part) {
  return part == Part::Whole || part == Part::Uncounted;
}

constexpr bool is_of_containers(Part part) {
  return part == Part::Ephemeral || part == Part::Resize;
}

constexpr bool is_of_status(Part part) {
  return part == Part::Status || part == Part::Approval;
}

/// What the request of a write has besides its document.
struct Asked {
  /// Paths of empty lists, maps and texts of bytes, once the document is made: errors show them.
  const std::vector<std::string>* emptied_paths = nullptr;
  /// Gets what the object is warned of; null when nobody asks.
  std::vector<std::string>* warnings = nullptr;

  std::span<const std::string> emptied() const {
    return emptied_paths == nullptr ? std::span<const std::string>{} : *emptied_paths;
  }
};

/// One write on its way from a document to the store.
struct Write {
  const Resource& resource;
  const json::Value* before = nullptr;  ///< Null for a new object.
  Part part = Part::Whole;
  bool loaded = false;  ///< The object is stored as it is, status included.
  std::string now{};
  Asked asked{};
};

/// Why a document is no object of a kind.
struct Misfit {
  Error error;         ///< The answer to a body that has the document.
  std::string reason;  ///< What is wrong, alone.
};
std::optional<Misfit> find_misfit(const Resource& resource, const json::Value& document);
/// Returns the document of a request's body as an object of the resource's kind and version; kind
/// and apiVersion may be missing for built-in kinds. Fails with a 400 otherwise.
Result<json::Value> check_document(const Resource& resource, json::Value document);
/// Sets the namespace; fails with a 400 when the document has another one than the request.
Result<void> match_namespace(const Resource& resource, std::string_view namespace_,
                             json::Value& document);

/// Whether a text can be a revision: a number without a sign.
bool is_revision(std::string_view text);

/// A 409 for an object whose uid or version (`what`) is not the one that a write is for.
Error unmet_condition(const Resource& resource, const ObjectKey& key, std::string_view what,
                      std::string_view wanted, std::string_view current);

/// Sets the server's metadata of a new object.
void start_metadata(const Resource& resource, json::Value& object, Ids& ids, std::string now);
/// Restores the parts of a changed document that the write may not change, and the server's
/// metadata.
/// @par Errors   A 409 when the uid or resourceVersion in the document is not the current one.
Result<void> keep_rest(const Write& write, const ObjectKey& key, json::Value& next);
/// Sets the unset fields that have defaults; returns whether a field of a feature that is off was
/// dropped.
/// @par Errors   A 413 when the defaults of a custom resource's schema are too large.
Result<bool> set_defaults(const Resource& resource, json::Value& object);
/// Completes a document that has its defaults by the rules of its kind, and validates it.
/// `known` are errors that were found before.
/// @par Errors   A 422 that names the invalid fields.
Result<void> complete(const Write& write, json::Value& object, meta::FieldErrors known = {});
/// Says what the finished object is warned of.
void warn(const Write& write, const json::Value& object);
/// Increments the generation when the change counts, or when the objects differ in what is not
/// kept.
void count_generation(const Resource& resource, const json::Value& current, json::Value& next,
                      bool differs = false);
/// Whether the specs differ in what the served version has in annotations.
bool differs_as_stored(const Resource& resource, const json::Value& current,
                       const json::Value& next);
/// What a client has emptied that had nothing before.
struct Emptied {
  bool counts = false;  ///< It is a change of the spec for the kind.
  bool writes = false;  ///< It is stored as another value.
};
Emptied find_emptied(const Write& write, const json::Value& next);
/// Whether nothing keeps a terminating object from being removed.
bool may_vanish(const Resource& resource, const json::Value& object);

/// Returns the object in its stored form.
std::unique_ptr<StoredObject> prepare(const Resource& resource, json::Value object);
/// Returns the response to a dry run: the object as it would be stored, with the given revision or
/// none.
ObjectPtr pretend(const Resource& resource, json::Value object, std::uint64_t revision);

}  // namespace kube::apiserver

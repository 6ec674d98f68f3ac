// SPDX-License-Identifier: Apache-2.0
//
// Applies the documents of a manifest, of any kinds, as `kubectl apply -f` does.
//
//   auto applied = apply_manifest(client, text, {.field_manager = "my-program"});
//   if (!applied) return applied.error();  // not a manifest; nothing was applied
//   for (const AppliedObject& each : *applied) {
//     if (!each.result) std::cerr << each.where << ": " << each.result.error().message() << "\n";
//   }
#pragma once

#include <chrono>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include <kube/base/result.hpp>
#include <kube/base/text_argument.hpp>
#include <kube/client/client.hpp>
#include <kube/codec/unstructured.hpp>
#include <kube/json/value.hpp>
#include <kube/names/group_version.hpp>

namespace kube {

/// An object of a manifest, and its place: "document 2", "document 2: items[0]"; in a file
/// "mixed.yaml: line 12: document 2".
struct ManifestObject {
  std::string where{};
  Unstructured object{};
  /// What the document has twice, of which the last value counts: `line 3: key "a" already set in
  /// map` for YAML, `duplicate field "data.a"` for JSON. A list's is that of each of its objects.
  std::vector<std::string> duplicate_fields{};
};

/// Reads the objects of YAML or JSON documents, those of lists one by one.
/// @par Errors   Decode, naming the document and the field: not YAML or JSON, not an object, an
///   object without kind, apiVersion or name, a list in a list.
/// @par Thread safety   Any thread may call it.
Result<std::vector<ManifestObject>> read_manifest(std::string_view text);
/// The same for a file.
/// @par Errors   As read_manifest(), and as read_file(); all begin with the path.
/// @par Blocks   As read_file().
/// @par Thread safety   Any thread may call it.
Result<std::vector<ManifestObject>> read_manifest_file(const std::string& path,
                                                       std::stop_token stop = {});
/// Adds the object of one document, or those of a list.
/// @par Errors   As read_manifest(), beginning with `where`.
/// @par Thread safety   Any thread may call it.
Result<void> add_manifest_objects(json::Value document, const std::string& where,
                                  std::vector<ManifestObject>& objects);
template <AnyText T>
Result<void> add_manifest_objects(const T& text, const std::string& where,
                                  std::vector<ManifestObject>& objects) =
    delete;  // Use read_manifest().

/// Who computes what an apply changes.
enum class ApplyMode {
  Automatic,   ///< The server; when it does not have server-side apply, as ClientSide.
  ClientSide,  ///< The library, as kubectl apply (kube/client/client_side_apply.hpp).
  ServerSide,  ///< The server, as kubectl apply --server-side.
};

struct ApplyManifestOptions {
  std::string field_manager{};  ///< Required.
  bool force = false;           ///< Takes over fields that other field managers own; ServerSide.
  bool dry_run = false;         ///< The server checks and stores nothing.
  std::string namespace_{};     ///< Of objects that name none; empty: the client's.
  ApplyMode mode = ApplyMode::Automatic;
  /// ClientSide: nothing is sent but reads; the result is computed here.
  bool local_dry_run = false;
  /// ClientSide: a field that was changed on the server takes the value of the manifest; false: it
  /// is a conflict, for built-in kinds.
  bool overwrite = true;
  /// What happens to unknown and duplicate fields: "Strict" refuses them, "Warn" reports them as
  /// warnings, "Ignore" drops them. apply_manifest() and apply_file() find the duplicate ones of
  /// the manifest, the server all others.
  std::string field_validation = "Strict";
  /// ServerSide: takes over the fields that client-side apply owns
  /// (kube/client/server_side_migration.hpp).
  bool migrate = false;
  /// ServerSide: reads each object before it is applied, so that the result can be Unchanged. When
  /// that is forbidden, the object is applied nevertheless. false: sends the apply alone, as
  /// kubectl does.
  bool read_before = true;
};

/// What became of one object.
struct AppliedObject {
  enum class Change { Created, Configured, Unchanged };
  std::string where{};            ///< As in ManifestObject.
  Unstructured object{};          ///< As the server returned it; as it was read when that failed.
  meta::ResourceInfo resource{};  ///< Empty when the server does not know the kind.
  /// By the server's resourceVersion, or by whether the patch of ClientSide was empty; for a dry
  /// run of the server by the object, whose version stays. Configured for an object that was not
  /// read before the server applied it, unless it was created.
  Change change = Change::Unchanged;
  Result<void> result{};
  /// Duplicate fields of the manifest, unless ApplyManifestOptions::field_validation is "Ignore",
  /// and what failed after the object was applied.
  std::vector<std::string> warnings{};
};

/// Applies one object: as ApplyManifestOptions::mode says, by server-side apply or by a three-way
/// patch against the configuration that was applied last, as kubectl does.
/// @par Errors   As Api::apply(); those of apply_client_side(), and of the read before it.
///   AppliedObject::result is not used.
/// @par Blocks   For at most four requests; with a migration for more
///   (kube/client/server_side_migration.hpp), and for conflicts as apply_client_side().
/// @par Thread safety   As Api.
Result<AppliedObject> apply_object(const Api<Unstructured>& api, const Unstructured& object,
                                   const ApplyManifestOptions& options, std::stop_token stop = {});

/// How long apply_manifest() waits until a server serves a kind that the manifest defines.
inline constexpr std::chrono::seconds kServeNewKind{30};

/// Applies all objects of a manifest, in their order. What fails for one stops none of the others.
/// A definition (a CustomResourceDefinition) may come before its objects: until the server serves
/// their kind, at most kServeNewKind after the definition was applied, they are tried again. A kind
/// that is unknown for another reason is looked up by Client::mapper(). An object that has a field
/// twice fails with Decode under field_validation "Strict": the server gets one of them and could
/// not say so.
/// After a stop request the objects that are left fail with Cancelled.
/// @par Errors   As read_manifest(); those of discovery; InvalidArgument without a field manager.
///   Nothing was applied.
/// @par Blocks   Until all objects are applied, and while it waits for new kinds, on the client's
///   clock.
/// @par Thread safety   As Client.
Result<std::vector<AppliedObject>> apply_manifest(const Client& client, std::string_view text,
                                                  const ApplyManifestOptions& options,
                                                  std::stop_token stop = {});

/// Applies all objects of a file in the same way: `apply_file(client, "mixed.yaml", {.field_manager
/// = "svc", .force = true})`. AppliedObject::where has the file and the line on which the object's
/// document begins. "-" is a file, too.
/// @par Errors   As read_manifest_file(), and those of apply_manifest(). Nothing was applied.
/// @par Blocks   As read_manifest_file() and apply_manifest().
/// @par Thread safety   As Client.
Result<std::vector<AppliedObject>> apply_file(const Client& client, const std::string& path,
                                              const ApplyManifestOptions& options,
                                              std::stop_token stop = {});

}  // namespace kube

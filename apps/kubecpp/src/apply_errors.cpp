// SPDX-License-Identifier: Apache-2.0
#include "apply_errors.hpp"

#include <kube/client/client_side_apply.hpp>
#include <kube/meta/errors.hpp>

#include "secret_mask.hpp"

namespace kubecpp {
namespace {

using kube::Error;
using kube::ErrorCode;

constexpr const char* kHelpWithConflicts =
    "\nPlease review the fields above--they currently have other managers. Here\n"
    "are the ways you can resolve this warning:\n"
    "* If you intend to manage all of these fields, please re-run the apply\n"
    "  command with the `--force-conflicts` flag.\n"
    "* If you do not intend to manage all of the fields, please edit your\n"
    "  manifest to remove references to the fields that should keep their\n"
    "  current managers.\n"
    "* You may co-own fields by updating your manifest to match the existing\n"
    "  value; in this case, you'll become the manager if the other manager(s)\n"
    "  stop managing the field (remove it from their configuration).\n"
    "See https://kubernetes.io/docs/reference/using-api/server-side-apply/#conflicts";

std::string error_when(const std::string& verb, const SelectedObject& object) {
  return "error when " + verb + " \"" + object.file + "\"";
}

// The object in four lines.
std::string lines_about(const SelectedObject& object) {
  const kube::meta::ResourceInfo& resource = object.resource;
  const std::string version = "\"" + resource.group + "/" + resource.version + ", ";
  return "Resource: " + version + "Resource=" + resource.plural +
         "\", GroupVersionKind: " + version + "Kind=" + resource.kind + "\"\nName: \"" +
         object.name + "\", Namespace: \"" + object.namespace_ + "\"\n";
}

std::string text_of_patch(const SelectedObject& object, const kube::Patch& patch) {
  kube::json::Value document = patch.document();
  kube::json::Value none;
  if (is_secret(object.object.content)) mask_secrets(none, document);
  return kube::json::dump(kube::json::sorted_members(document));
}

}  // namespace

std::string doing_read(const SelectedObject& object) {
  return error_when(
      "retrieving current configuration of:\n" + lines_about(object) + "from server for:", object);
}

std::string doing_create(const SelectedObject& object) {
  return error_when("creating", object);
}

std::string doing_patch(const SelectedObject& object, const std::optional<kube::Patch>& patch) {
  return error_when("applying patch:\n" + (patch ? text_of_patch(object, *patch) : "") + "\nto:\n" +
                        lines_about(object) + "for:",
                    object) +
         ": " + error_when("patching", object);
}

Error server_side_error(const Error& error) {
  if (kube::is_unsupported_media_type(error)) {
    return {ErrorCode::InvalidArgument,
            "Server-side apply not available on the server: (" + error.message() + ")"};
  }
  if (!kube::is_conflict(error)) return error;
  return {ErrorCode::InvalidArgument, error.message() + kHelpWithConflicts};
}

std::string missing_annotation(const SelectedObject& object) {
  return "resource " + object.resource.plural + "/" + object.name + " is missing the " +
         std::string(kube::kLastAppliedAnnotation) +
         " annotation which is required by kubecpp apply. kubecpp apply should only be used on "
         "resources created declaratively by either kubectl create --save-config or kubecpp apply. "
         "The missing annotation will be patched automatically.";
}

}  // namespace kubecpp

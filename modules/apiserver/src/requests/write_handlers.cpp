// SPDX-License-Identifier: Apache-2.0
#include "requests/write_handlers.hpp"

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

#include <kube/base/join.hpp>
#include <kube/base/printable.hpp>
#include <kube/names/go_text.hpp>

#include "documents/errors.hpp"
#include "documents/metadata.hpp"
#include "forms/negotiation.hpp"
#include "reading/responses.hpp"
#include "requests/field_validation.hpp"
#include "requests/patched_text.hpp"
#include "requests/patching.hpp"
#include "requests/request_body.hpp"
#include "requests/restoring.hpp"

namespace kube::apiserver {
namespace {

// On POST and PUT a document that does not fit the kind gets a 400 instead.
Error patched_misfit(const ResourceRequest& request, PatchFormat format, const json::Value& current,
                     const json::Value& patch, std::string_view why) {
  std::string shown = format == PatchFormat::StrategicMerge
                          ? go::value_text(shown_patch(current, patch))
                          : json::dump(shown_result(*request.resource, format, current, patch));
  constexpr std::size_t kMax = std::size_t{16} << 10U;
  if (shown.size() > kMax) shown = std::string(whole_characters(shown, kMax)) + "...";
  if (is_confidential(request.resource->gvk.kind)) shown = "(not shown)";
  return meta::invalid_error(
      {}, "", {meta::FieldError::invalid(meta::FieldPath("patch"), shown, std::string(why))});
}

// A strategic merge patch is applied to what the type knows, which has no kind.
void keep_kind(const json::Value& current, json::Value& patched) {
  for (const char* name : {"kind", "apiVersion"})
    patched.if_object()->set(name, current.string_at({name}));
}

// The uid is a condition of a PUT; in a patch it is a change that can't be.
Result<void> keep_uid(const Resource& resource, const json::Value& current,
                      const json::Value& patched) {
  const std::string_view uid = metadata_text(patched, "uid");
  if (uid.empty() || uid == metadata_text(current, "uid")) return {};
  return meta::invalid_error({resource.stored_gvk.group, resource.gvk.kind},
                             metadata_text(current, "name"),
                             {meta::FieldError::invalid(meta::FieldPath("metadata").child("uid"),
                                                        uid, "field is immutable")});
}

// An owner that comes twice is kept once. Returns the warnings.
std::vector<std::string> drop_repeated_owners(json::Value& document) {
  json::Value* owners = metadata_of(document).find("ownerReferences");
  if (owners == nullptr || !owners->is_array() || owners->if_array()->size() < 2) return {};
  std::set<std::string> seen;
  std::vector<std::string> repeated;
  std::erase_if(*owners->if_array(), [&](const json::Value& owner) {
    const bool is_new = seen.insert(json::dump(json::sorted_members(owner))).second;
    if (!is_new) repeated.emplace_back(owner.string_at({"uid"}));
    return !is_new;
  });
  if (repeated.empty()) return {};
  return {
      ".metadata.ownerReferences contains duplicate entries; API server dedups owner references in "
      "1.20+, and may reject such requests as early as 1.24; please fix your requests; duplicate "
      "UID(s) observed: " +
      join(repeated, ", ")};
}

// A write of a subresource beside the status is warned of nothing.
std::vector<std::string>* warned(Part part, std::vector<std::string>& warnings) {
  return part == Part::Main || part == Part::Status ? &warnings : nullptr;
}

// The warnings of what was read come before those of the object.
HttpResponse written(int status, const ResourceRequest& request, const StoredObject& object,
                     const Encoding& encoding, std::vector<std::string> warnings,
                     std::vector<std::string> more) {
  HttpResponse response = object_response(status, *request.resource, object, encoding);
  std::ranges::move(more, std::back_inserter(warnings));
  add_warnings(warnings, response);
  return response;
}

// The warnings of what was read come with what was wrong with it, before those of an object that
// was valid.
HttpResponse refused(const ResourceRequest& request, const Error& why,
                     std::vector<std::string> warnings, std::vector<std::string> more = {}) {
  HttpResponse response = error_response(why, request.http.accept);
  std::ranges::move(more, std::back_inserter(warnings));
  add_warnings(warnings, response);
  return response;
}

// A request for a certificate says who made it, whatever its client wrote.
void set_requestor(const ResourceRequest& request, json::Value& document) {
  const Resource& resource = *request.resource;
  if (!builtin::kSigningRequests.is(resource.gvk.group, resource.plural)) return;
  json::Value& value = document.ensure_path({"spec"});
  if (!value.is_object()) return;
  json::Object& spec = *value.if_object();
  for (const std::string_view key : {"username", "uid", "groups", "extra"}) spec.erase(key);
  const User& user = request.user;
  if (!user.name.empty()) spec.set("username", user.name);
  if (!user.uid.empty()) spec.set("uid", user.uid);
  if (!user.groups.empty()) spec.set("groups", json::Array(user.groups.begin(), user.groups.end()));
}

// Returns the schema by which a custom resource of another kind or version than that of the path is
// read: that of the version, one without fields, or, of another kind, one with all fields.
std::shared_ptr<const serving::CustomSchema> schema_of(ApiContext& api, const Resource& resource,
                                                       const meta::GroupVersionKind& given) {
  const auto plain = [](json::Object schema) {
    return std::make_shared<const serving::CustomSchema>(
        serving::CustomSchema{{}, meta::StructuralSchema::create(std::move(schema)).value()});
  };
  static const auto kNoFields = plain({{"type", "object"}});
  static const auto kAllFields =
      plain({{"type", "object"}, {"x-kubernetes-preserve-unknown-fields", true}});
  if (given.group_kind() != resource.gvk.group_kind()) return kAllFields;
  const auto found = api.registry.table()->find(given.group, given.version, resource.plural);
  return found ? found->schema : kNoFields;
}

// A custom resource of another kind or version is refused after its fields were looked at.
Error refusal(ApiContext& api, const Resource& resource, json::Value document, const Misfit& misfit,
              FieldValidation& fields) {
  const meta::GroupVersionKind given = meta::from_api_version_and_kind(
      document.string_at({"apiVersion"}), document.string_at({"kind"}));
  if (!resource.is_custom() || given == resource.gvk || !document.is_object()) return misfit.error;
  Resource read_as = resource;
  read_as.schema = schema_of(api, resource, given);
  const auto fits = fields.check(read_as, document);
  return fits ? misfit.error : not_handled(given, resource.gvk, fits.error().message());
}

}  // namespace

Result<WriteInput> read_input(ApiContext& api, const ResourceRequest& request, WriteKind kind,
                              std::vector<std::string>& warnings) {
  const auto encoding = choose_encoding(api, request, ResponseShape::Object);
  if (!encoding) return encoding.error();
  const auto media = body_type(request.http.content_type, request.resource->is_typed());
  if (!media) return media.error();
  auto options = read_write_options(request.route.query, kind);
  if (!options) return options.error();
  FieldValidation fields(options->field_validation);
  auto body = fields.read(*request.resource, request.http.body, *media);
  if (!body) return body.error();
  const Resource& resource = *request.resource;
  if (const auto misfit = find_misfit(resource, *body)) {
    Error error = refusal(api, resource, *std::move(body), *misfit, fields);
    warnings = fields.warnings();
    return error;
  }
  auto document = check_document(resource, *std::move(body));
  if (!document) return document.error();
  if (auto fits = fields.check(resource, *document); !fits) {
    return not_handled(resource.gvk, resource.gvk, fits.error().message());
  }
  warnings = fields.warnings();
  std::ranges::move(drop_repeated_owners(*document), std::back_inserter(warnings));
  return WriteInput{*encoding, *std::move(options), *std::move(document), fields.emptied()};
}

Result<void> match_path(const ResourceRequest& request, json::Value& document) {
  auto match = match_namespace(*request.resource, request.route.namespace_, document);
  if (!match) return match;
  const std::string_view name = metadata_text(document, "name");
  if (name.empty()) {
    return meta::bad_request_error("the name of the object (" + request.route.name +
                                   " based on URL) was undeterminable: name must be provided");
  }
  if (name != request.route.name) {
    return meta::bad_request_error("the name of the object (" + std::string(name) +
                                   ") does not match the name on the URL (" + request.route.name +
                                   ")");
  }
  return {};
}

Result<HttpResponse> create_object(ApiContext& api, const ResourceRequest& request) {
  std::vector<std::string> read;
  auto input = read_input(api, request, WriteKind::Create, read);
  if (!input) return refused(request, input.error(), read);
  const Resource& resource = *request.resource;
  if (auto match = match_namespace(resource, request.route.namespace_, input->document); !match) {
    return refused(request, match.error(), read);
  }
  set_requestor(request, input->document);
  std::vector<std::string> warnings;
  const auto created =
      api.objects.create(resource, request.route.namespace_, std::move(input->document),
                         !input->options.dry_run.empty(), {&input->emptied, &warnings});
  if (!created) return refused(request, created.error(), std::move(read), std::move(warnings));
  return written(201, request, **created, *input->encoding, std::move(read), std::move(warnings));
}

Result<HttpResponse> update_object(ApiContext& api, const ResourceRequest& request, Part part) {
  std::vector<std::string> read;
  auto input = read_input(api, request, WriteKind::Update, read);
  if (!input) return refused(request, input.error(), read);
  if (auto match = match_path(request, input->document); !match)
    return refused(request, match.error(), read);
  const Resource& resource = *request.resource;
  const json::Value& document = input->document;
  std::vector<std::string> warnings;
  const auto change = [&](const json::Value&) -> Result<json::Value> { return document; };
  auto updated =
      api.objects.update(resource, request.key(), part, change, !input->options.dry_run.empty(),
                         {&input->emptied, warned(part, warnings)});
  const bool creates = !updated && part == Part::Main && resource.kind->create_on_update &&
                       is_not_found(updated.error()) &&
                       !api.objects.collection(resource).get(request.key().to_string());
  if (creates) {
    if (!metadata_text(document, "uid").empty()) {
      return unmet_condition(resource, request.key(), "UID", metadata_text(document, "uid"), "");
    }
    json::Value fresh = document;
    metadata_of(fresh).erase("resourceVersion");
    auto created =
        api.objects.create(resource, request.route.namespace_, std::move(fresh),
                           !input->options.dry_run.empty(), {&input->emptied, &warnings});
    if (!created) return refused(request, created.error(), std::move(read), std::move(warnings));
    return written(201, request, **created, *input->encoding, std::move(read), std::move(warnings));
  }
  if (!updated) return refused(request, updated.error(), std::move(read), std::move(warnings));
  return written(200, request, **updated, *input->encoding, std::move(read), std::move(warnings));
}

Result<HttpResponse> patch_object(ApiContext& api, const ResourceRequest& request, Part part) {
  const auto encoding = choose_encoding(api, request, ResponseShape::Object);
  if (!encoding) return encoding.error();
  const Resource& resource = *request.resource;
  const auto format = patch_format(request.http.content_type, resource);
  if (!format) return format.error();
  const auto options = read_write_options(request.route.query, WriteKind::Patch);
  if (!options) return options.error();
  FieldValidation fields(options->field_validation);
  const auto patch = fields.read_patch(*format, request.http.body);
  if (!patch) return patch.error();
  std::vector<std::string> warnings;
  std::vector<std::string> owner_warnings;
  const auto change = [&](const json::Value& current) -> Result<json::Value> {
    auto patched = apply_patch(*format, current, *patch, resource.gvk);
    if (!patched) return patched;
    const auto misfit = [&](std::string_view why) {
      return patched_misfit(request, *format, current, *patch, why);
    };
    if (*format == PatchFormat::StrategicMerge) keep_kind(current, *patched);
    if (const auto problem = kind_problem(*patched)) return misfit(*problem);
    if (const auto wrong = find_misfit(resource, *patched))
      return resource.is_custom() ? wrong->error : misfit(wrong->reason);
    auto document = check_document(resource, *std::move(patched));
    const bool restores = *format == PatchFormat::StrategicMerge && resource.is_typed();
    if (restores) wrap_integers(*resource.type, *document);
    if (auto fits = fields.check(resource, *document); !fits) {
      const std::string restoring =
          restores ? restore_problem(*resource.type, *document) : std::string();
      return misfit(restoring.empty() ? fits.error().message() : restoring);
    }
    if (auto match = match_path(request, *document); !match) return match.error();
    if (auto same = keep_uid(resource, current, *document); !same) return same.error();
    owner_warnings = drop_repeated_owners(*document);
    return document;
  };
  const auto updated =
      api.objects.update(resource, request.key(), part, change, !options->dry_run.empty(),
                         {&fields.emptied(), warned(part, warnings)});
  std::vector<std::string> read = fields.warnings();
  std::ranges::move(owner_warnings, std::back_inserter(read));
  if (!updated) return refused(request, updated.error(), std::move(read), std::move(warnings));
  return written(200, request, **updated, **encoding, std::move(read), std::move(warnings));
}

}  // namespace kube::apiserver

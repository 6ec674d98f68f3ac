// SPDX-License-Identifier: Apache-2.0
#include <kube/certificate/signing_request.hpp>

#include <chrono>
#include <cstdint>
#include <memory>
#include <utility>

#include <kube/api/certificates/v1/certificate_signing_request.hpp>
#include <kube/api/certificates/v1beta1/certificate_signing_request.hpp>
#include <kube/base/stop.hpp>
#include <kube/base/wait.hpp>
#include <kube/certificate/certificate.hpp>
#include <kube/certificate/request.hpp>
#include <kube/client/watch_until.hpp>
#include <kube/meta/errors.hpp>

namespace kube::certificate {
namespace {

namespace v1 = certificates::v1;
namespace v1beta1 = certificates::v1beta1;

constexpr std::string_view kLegacyUnknown = "kubernetes.io/legacy-unknown";

std::optional<std::int32_t> whole_seconds(const std::optional<Duration>& lifetime) {
  if (!lifetime) return std::nullopt;
  return static_cast<std::int32_t>(
      std::chrono::duration_cast<std::chrono::seconds>(*lifetime).count());
}

// The object in either version, whose fields have the same names.
template <class T>
T object_of(const SigningRequest& request) {
  T object;
  object.metadata.name = request.name;
  if (request.name.empty()) object.metadata.generate_name = "csr-";
  object.spec.request = request.request;
  object.spec.usages = request.usages;
  object.spec.signer_name = request.signer_name;
  object.spec.expiration_seconds = whole_seconds(request.lifetime);
  return object;
}

template <class T>
Result<SubmittedRequest> create_as(const Client& client, const SigningRequest& request,
                                   std::stop_token stop) {
  const auto made = client.api<T>().create(object_of<T>(request), {}, std::move(stop));
  if (!made) return made.error();
  return SubmittedRequest{made->metadata.name, made->metadata.uid};
}

Result<SubmittedRequest> create(const Client& client, const SigningRequest& request,
                                const std::stop_token& stop) {
  const bool fits_v1 = !request.usages.empty() && !request.signer_name.empty() &&
                       request.signer_name != kLegacyUnknown;
  if (fits_v1) {
    auto made = create_as<v1::CertificateSigningRequest>(client, request, stop);
    if (made || !is_not_found(made.error())) return made;
  }
  return create_as<v1beta1::CertificateSigningRequest>(client, request, stop);
}

// What of an existing object decides whether it may be used.
struct ExistingRequest {
  SubmittedRequest id{};
  std::string request{};
  std::string signer_name{};
  std::string certificate{};
};

template <class T>
Result<ExistingRequest> get_as(const Client& client, const std::string& name,
                               std::stop_token stop) {
  auto found = client.api<T>().get(name, {}, std::move(stop));
  if (!found) return found.error();
  ExistingRequest existing;
  existing.id = {found->metadata.name, found->metadata.uid};
  existing.request.assign(found->spec.request);
  if constexpr (std::is_same_v<T, v1::CertificateSigningRequest>) {
    existing.signer_name = found->spec.signer_name;
  } else {
    existing.signer_name = found->spec.signer_name.value_or("");
  }
  existing.certificate = found->status.certificate;
  return existing;
}

Result<ExistingRequest> get(const Client& client, const std::string& name,
                            const std::stop_token& stop) {
  auto found = get_as<v1::CertificateSigningRequest>(client, name, stop);
  if (found || !is_not_found(found.error())) return found;
  return get_as<v1beta1::CertificateSigningRequest>(client, name, stop);
}

Error not_compatible(const std::string& why) {
  return {ErrorCode::InvalidArgument, "retrieved csr is not compatible: " + why};
}

Result<void> check_compatible(const ExistingRequest& existing, const SigningRequest& wanted,
                              const PrivateKey& key, WallTime now) {
  const auto theirs = Request::parse(existing.request);
  if (!theirs) return not_compatible("unable to parse new csr: " + theirs.error().to_string());
  const auto ours = Request::parse(wanted.request);
  if (!ours) return not_compatible("unable to parse original csr: " + ours.error().to_string());
  if (theirs->subject() != ours->subject()) {
    return not_compatible("csr subjects differ: new: \"" + theirs->subject() + "\", orig: \"" +
                          ours->subject() + "\"");
  }
  if (!existing.signer_name.empty() && !wanted.signer_name.empty() &&
      existing.signer_name != wanted.signer_name) {
    return not_compatible("csr signerNames differ: new \"" + existing.signer_name + "\", orig: \"" +
                          wanted.signer_name + "\"");
  }
  if (!theirs->signed_by(key.public_key())) {
    return not_compatible("error validating signature new CSR against old key");
  }
  if (existing.certificate.empty()) return {};
  const auto issued = parse_certificates(existing.certificate);
  if (!issued) {
    return not_compatible("error parsing signed certificate for CSR: " +
                          issued.error().to_string());
  }
  for (const Certificate& certificate : *issued) {
    if (now <= certificate.not_after()) continue;
    return not_compatible("one of the certificates for the CSR has expired: that of " +
                          certificate.subject());
  }
  return {};
}

// Whether the certificate is issued; an error ends the wait.
template <class T>
Result<bool> is_issued(const T& object, const SubmittedRequest& submitted) {
  if (object.metadata.uid != submitted.uid) {
    return Error(ErrorCode::Unreachable, "csr \"" + submitted.name + "\" changed UIDs");
  }
  bool approved = false;
  for (const auto& condition : object.status.conditions) {
    const bool denied = condition.type == "Denied";
    if (denied || condition.type == "Failed") {
      return Error(ErrorCode::Server,
                   std::string("certificate signing request ") + (denied ? "is denied" : "failed") +
                       ", reason: " + condition.reason + ", message: " + condition.message);
    }
    approved = approved || condition.type == "Approved";
  }
  return approved && !object.status.certificate.empty();
}

Error was_deleted(const SubmittedRequest& submitted) {
  return {ErrorCode::Unreachable, "csr \"" + submitted.name + "\" was deleted"};
}

// Follows the object in one version; nothing when the server can't be asked for it any more, or
// not in this version.
template <class T>
std::optional<Result<std::string>> follow(const Client& client, const SubmittedRequest& submitted,
                                          const std::stop_token& stop) {
  const Api<T> api = client.api<T>();
  ListOptions options{.field_selector = "metadata.name=" + submitted.name};
  const auto list = api.list(options, stop);
  if (!list) return std::nullopt;
  if (list->items.empty()) return was_deleted(submitted);
  const T& now = list->items.front();
  const Result<bool> issued = is_issued(now, submitted);
  if (!issued) return issued.error();
  if (*issued) return now.status.certificate;

  options.resource_version = list->resource_version;
  std::optional<Error> over;
  const WatchCondition<T> condition = [&](const WatchEvent<T>& event) -> Result<bool> {
    Result<bool> done = event.type == WatchEventType::Deleted ? Result<bool>(was_deleted(submitted))
                                                              : is_issued(event.object, submitted);
    if (!done) over = done.error();
    return done;
  };
  const auto outcome = watch_until<T>(api, options, {condition}, {}, stop);
  if (outcome.result) return outcome.last_event->object.status.certificate;
  if (over) return *over;
  return std::nullopt;
}

Result<std::string> follow_until_issued(const Client& client, const SubmittedRequest& submitted,
                                        const std::stop_token& stop) {
  const std::shared_ptr<Clock> clock = client.runtime().clock();
  while (!stop.stop_requested()) {
    auto outcome = follow<v1::CertificateSigningRequest>(client, submitted, stop);
    if (!outcome && !stop.stop_requested()) {
      outcome = follow<v1beta1::CertificateSigningRequest>(client, submitted, stop);
    }
    if (outcome) return *outcome;
    clock->sleep_for(std::chrono::seconds(1), stop);
  }
  return Error(ErrorCode::Cancelled, "stopped while the certificate was awaited");
}

}  // namespace

Result<SubmittedRequest> request_certificate(const Client& client, const SigningRequest& request,
                                             const PrivateKey& key, std::stop_token stop) {
  auto made = create(client, request, stop);
  if (made) return made;
  if (!is_already_exists(made.error()) || request.name.empty()) {
    return made.error().with_context("cannot create certificate signing request");
  }
  auto existing = get(client, request.name, stop);
  if (!existing) {
    return existing.error().with_context("cannot retrieve certificate signing request");
  }
  const auto checked =
      check_compatible(*existing, request, key, client.runtime().clock()->wall_now());
  if (!checked) return checked.error();
  return std::move(existing->id);
}

Result<std::string> wait_for_certificate(const Client& client, const SubmittedRequest& submitted,
                                         Duration timeout, std::stop_token stop) {
  StopGroup ended({stop});
  // The timer may outlive this call for a moment: it holds the source.
  auto late = std::make_shared<std::stop_source>();
  ended.add(late->get_token());
  const Timer timer =
      client.runtime().executor->submit_after(timeout, [late] { late->request_stop(); });
  auto certificate = follow_until_issued(client, submitted, ended.token());
  if (certificate) return certificate;
  if (certificate.error().code() == ErrorCode::Cancelled) {
    if (stop.stop_requested()) return certificate;
    return wait_timeout();
  }
  return certificate.error().with_context("cannot watch on the certificate signing request");
}

}  // namespace kube::certificate

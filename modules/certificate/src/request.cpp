// SPDX-License-Identifier: Apache-2.0
#include <kube/certificate/request.hpp>

#include <utility>

#include <openssl/pem.h>

#include "openssl.hpp"
#include "pem.hpp"

namespace kube::certificate {
namespace {

struct FreeExtensions {
  void operator()(STACK_OF(X509_EXTENSION) * extensions) const {
    sk_X509_EXTENSION_pop_free(extensions, X509_EXTENSION_free);
  }
};
using ExtensionsPtr = std::unique_ptr<STACK_OF(X509_EXTENSION), FreeExtensions>;

}  // namespace

Result<std::string> make_request(const PrivateKey& key, const RequestTemplate& wanted) {
  const Result<NamesPtr> names = alternative_names(wanted.dns_names, wanted.ip_addresses);
  if (!names) return names.error();
  const RequestPtr request(X509_REQ_new());
  EVP_PKEY* signer = key.impl().key.get();
  bool made =
      X509_REQ_set_version(request.get(), X509_REQ_VERSION_1) == 1 &&
      X509_REQ_set_pubkey(request.get(), signer) == 1 &&
      set_name(X509_REQ_get_subject_name(request.get()), wanted.common_name, wanted.organizations);
  if (made && sk_GENERAL_NAME_num(names->get()) > 0) {
    STACK_OF(X509_EXTENSION)* extensions = nullptr;
    made = X509V3_add1_i2d(&extensions, NID_subject_alt_name, names->get(), 0,
                           X509V3_ADD_DEFAULT) == 1;
    const ExtensionsPtr owner(extensions);
    made = made && X509_REQ_add_extensions(request.get(), extensions) == 1;
  }
  if (!made || X509_REQ_sign(request.get(), signer, digest_for(signer)) <= 0) {
    return openssl_error("cannot make a certificate signing request");
  }
  const BioPtr bio = memory();
  PEM_write_bio_X509_REQ(bio.get(), request.get());
  return written(bio.get());
}

Result<Request> Request::parse(std::string_view pem) {
  const auto blocks = read_pem(pem);
  if (blocks.empty() || blocks.front().type != "CERTIFICATE REQUEST") {
    return Error(ErrorCode::Decode, "PEM block type must be CERTIFICATE REQUEST");
  }
  const std::string& der = blocks.front().der;
  const auto* at = reinterpret_cast<const unsigned char*>(der.data());
  RequestPtr request(d2i_X509_REQ(nullptr, &at, static_cast<long>(der.size())));
  if (request && X509_REQ_get0_pubkey(request.get()) != nullptr) {
    return Request(std::make_shared<const Impl>(Impl{std::move(request)}));
  }
  forget_openssl_errors();
  return Error(ErrorCode::Decode, "the block is not a certificate signing request");
}

RequestTemplate Request::names() const {
  RequestTemplate found;
  const X509_NAME* subject_name = X509_REQ_get_subject_name(impl_->request.get());
  const auto common_names = entries_of(subject_name, NID_commonName);
  if (!common_names.empty()) found.common_name = common_names.back();
  found.organizations = entries_of(subject_name, NID_organizationName);
  const ExtensionsPtr extensions(X509_REQ_get_extensions(impl_->request.get()));
  const NamesPtr names(static_cast<GENERAL_NAMES*>(
      X509V3_get_d2i(extensions.get(), NID_subject_alt_name, nullptr, nullptr)));
  found.dns_names = dns_names_of(names.get());
  found.ip_addresses = ip_addresses_of(names.get());
  return found;
}

std::string Request::subject() const {
  return one_line(X509_REQ_get_subject_name(impl_->request.get()));
}

PublicKey Request::public_key() const {
  return make_public_key(KeyPtr(X509_REQ_get_pubkey(impl_->request.get())));
}

bool Request::signed_by(const PublicKey& key) const {
  const bool verified = X509_REQ_verify(impl_->request.get(), key.impl().key.get()) == 1;
  forget_openssl_errors();
  return verified;
}

}  // namespace kube::certificate

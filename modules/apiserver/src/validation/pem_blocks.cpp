// SPDX-License-Identifier: Apache-2.0
#include "validation/pem_blocks.hpp"

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/pem.h>

namespace kube::apiserver {

namespace {

// Null, too, when something follows.
template <class Owner, class Read, class Free>
Owner read_whole(std::string_view bytes, Read read, Free release) {
  const auto* at = reinterpret_cast<const unsigned char*>(bytes.data());
  const auto* end = at + bytes.size();
  Owner out(read(nullptr, &at, static_cast<long>(bytes.size())), release);
  ERR_clear_error();
  if (at != end) out.reset();
  return out;
}

// Whether bytes follow what can be read.
template <class Read, class Decode, class Free>
bool ends_early(std::string_view bytes, Decode decode, Free release) {
  const auto* at = reinterpret_cast<const unsigned char*>(bytes.data());
  const auto* end = at + bytes.size();
  Read* found = decode(nullptr, &at, static_cast<long>(bytes.size()));
  ERR_clear_error();
  if (found != nullptr) release(found);
  return found != nullptr && at != end;
}

}  // namespace

std::vector<PemBlock> pem_blocks(std::string_view text) {
  std::vector<PemBlock> out;
  const std::unique_ptr<BIO, decltype(&BIO_free)> input(
      BIO_new_mem_buf(text.data(), static_cast<int>(text.size())), BIO_free);
  char* type = nullptr;
  char* headers = nullptr;
  unsigned char* bytes = nullptr;
  long size = 0;
  while (input != nullptr) {
    if (PEM_read_bio(input.get(), &type, &headers, &bytes, &size) != 1) {
      // As Go's decoder, this goes on behind a block that can't be read.
      const bool ended = ERR_GET_REASON(ERR_peek_last_error()) == PEM_R_NO_START_LINE;
      if (ended || BIO_pending(input.get()) == 0) break;
      continue;
    }
    out.push_back(
        {type, *headers != '\0',
         std::string(reinterpret_cast<const char*>(bytes), static_cast<std::size_t>(size))});
    OPENSSL_free(type);
    OPENSSL_free(headers);
    OPENSSL_free(bytes);
  }
  ERR_clear_error();
  return out;
}

Certificate read_certificate(std::string_view bytes) {
  return read_whole<Certificate>(bytes, d2i_X509, X509_free);
}

SigningRequest read_signing_request(std::string_view bytes) {
  return read_whole<SigningRequest>(bytes, d2i_X509_REQ, X509_REQ_free);
}

std::string signature_problem(const SigningRequest& request) {
  EVP_PKEY* key = X509_REQ_get0_pubkey(request.get());
  ERR_clear_error();
  ASN1_OBJECT* algorithm = nullptr;
  X509_PUBKEY_get0_param(&algorithm, nullptr, nullptr, nullptr,
                         X509_REQ_get_X509_PUBKEY(request.get()));
  if (key == nullptr && OBJ_obj2nid(algorithm) == NID_X9_62_id_ecPublicKey)
    return "x509: unsupported elliptic curve";
  const int type = key == nullptr ? EVP_PKEY_NONE : EVP_PKEY_base_id(key);
  if (type != EVP_PKEY_RSA && type != EVP_PKEY_EC && type != EVP_PKEY_ED25519)
    return "x509: cannot verify signature: algorithm unimplemented";
  const bool holds = X509_REQ_verify(request.get(), key) == 1;
  ERR_clear_error();
  if (holds) return {};
  if (type == EVP_PKEY_RSA) return "crypto/rsa: verification error";
  return type == EVP_PKEY_EC ? "x509: ECDSA verification failure"
                             : "x509: Ed25519 verification failure";
}

std::string unreadable_certificate(std::string_view bytes) {
  return ends_early<X509>(bytes, d2i_X509, X509_free) ? "x509: trailing data"
                                                      : "x509: malformed certificate";
}

std::string unreadable_signing_request(std::string_view bytes) {
  constexpr int kTooLong = 0x80;
  if (ends_early<X509_REQ>(bytes, d2i_X509_REQ, X509_REQ_free))
    return "asn1: syntax error: trailing data";
  const auto* at = reinterpret_cast<const unsigned char*>(bytes.data());
  long length = 0;
  int tag = 0;
  int of_class = 0;
  const int found = ASN1_get_object(&at, &length, &tag, &of_class, static_cast<long>(bytes.size()));
  ERR_clear_error();
  if (!bytes.empty() && (found & kTooLong) != 0) return "asn1: syntax error: data truncated";
  if (bytes.empty() || tag == V_ASN1_SEQUENCE) return "asn1: syntax error: sequence truncated";
  const bool constructed = (found & V_ASN1_CONSTRUCTED) != 0;
  const auto header = reinterpret_cast<const char*>(at) - bytes.data();
  return "asn1: structure error: tags don't match (16 vs {class:" +
         std::to_string(static_cast<unsigned>(of_class) >> 6U) + " tag:" + std::to_string(tag) +
         " length:" + std::to_string(length) + " isCompound:" + (constructed ? "true" : "false") +
         "}) {optional:false explicit:false application:false private:false defaultValue:<nil> "
         "tag:<nil> stringType:0 timeType:0 set:false omitEmpty:false} certificateRequest @" +
         std::to_string(header);
}

}  // namespace kube::apiserver

// SPDX-License-Identifier: Apache-2.0
#include "validation/pem_blocks.hpp"

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/pem.h>

namespace kube::apiserver {

std::vector<PemBlock> pem_blocks(std::string_view text) {
  std::vector<PemBlock> out;
  const std::unique_ptr<BIO, decltype(&BIO_free)> input(
      BIO_new_mem_buf(text.data(), static_cast<int>(text.size())), BIO_free);
  char* type = nullptr;
  char* headers = nullptr;
  unsigned char* bytes = nullptr;
  long size = 0;
  while (input != nullptr && PEM_read_bio(input.get(), &type, &headers, &bytes, &size) == 1) {
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
  const auto* at = reinterpret_cast<const unsigned char*>(bytes.data());
  Certificate out(d2i_X509(nullptr, &at, static_cast<long>(bytes.size())), X509_free);
  ERR_clear_error();
  return out;
}

SigningRequest read_signing_request(std::string_view bytes) {
  const auto* at = reinterpret_cast<const unsigned char*>(bytes.data());
  SigningRequest out(d2i_X509_REQ(nullptr, &at, static_cast<long>(bytes.size())), X509_REQ_free);
  ERR_clear_error();
  return out;
}

std::string signing_request_problem(std::string_view bytes) {
  constexpr unsigned kLowTag = 31;
  constexpr unsigned kShortLength = 128;
  if (bytes.size() < 2) return "asn1: syntax error: truncated tag or length";
  const auto first = static_cast<unsigned char>(bytes[0]);
  const auto length = static_cast<unsigned char>(bytes[1]);
  const unsigned tag = first & kLowTag;
  if (tag == V_ASN1_SEQUENCE || tag == kLowTag || length >= kShortLength)
    return "asn1: syntax error: data truncated";
  const bool constructed = (first & V_ASN1_CONSTRUCTED) != 0;
  return "asn1: structure error: tags don't match (16 vs {class:" + std::to_string(first >> 6U) +
         " tag:" + std::to_string(tag) + " length:" + std::to_string(length) +
         " isCompound:" + (constructed ? "true" : "false") +
         "}) {optional:false explicit:false application:false private:false defaultValue:<nil> "
         "tag:<nil> stringType:0 timeType:0 set:false omitEmpty:false} certificateRequest @2";
}

}  // namespace kube::apiserver

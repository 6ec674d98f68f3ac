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

}  // namespace kube::apiserver

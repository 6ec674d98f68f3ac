// SPDX-License-Identifier: Apache-2.0
#include "pem.hpp"

#include <limits>

#include <openssl/err.h>
#include <openssl/pem.h>

#include "openssl.hpp"

namespace kube::certificate {

std::vector<PemBlock> read_pem(std::string_view text) {
  std::vector<PemBlock> blocks;
  if (text.empty() || text.size() > std::numeric_limits<int>::max()) return blocks;
  const BioPtr bio(BIO_new_mem_buf(text.data(), static_cast<int>(text.size())));
  while (bio) {
    char* name = nullptr;
    char* header = nullptr;
    unsigned char* data = nullptr;
    long size = 0;
    if (PEM_read_bio(bio.get(), &name, &header, &data, &size) != 1) {
      const bool at_end = ERR_GET_REASON(ERR_peek_last_error()) == PEM_R_NO_START_LINE;
      ERR_clear_error();
      // A block that is not base64 has been read past.
      if (at_end || BIO_eof(bio.get())) break;
      continue;
    }
    blocks.push_back(
        {name, *header != '\0',
         std::string(reinterpret_cast<const char*>(data), static_cast<std::size_t>(size))});
    OPENSSL_free(name);
    OPENSSL_free(header);
    OPENSSL_clear_free(data, static_cast<std::size_t>(size));
  }
  return blocks;
}

std::string write_pem(const std::string& type, std::string_view der) {
  const BioPtr bio = memory();
  PEM_write_bio(bio.get(), type.c_str(), "", reinterpret_cast<const unsigned char*>(der.data()),
                static_cast<long>(der.size()));
  return written(bio.get());
}

}  // namespace kube::certificate

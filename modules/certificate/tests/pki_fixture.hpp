// SPDX-License-Identifier: Apache-2.0
//
// An authority, and a folder, for tests.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>

#include <openssl/evp.h>
#include <openssl/pem.h>

#include <kube/certificate/key_pair.hpp>
#include <kube/certificate/request.hpp>
#include <kube/certificate/self_signed.hpp>

namespace kube::certificate {

/// Signs what it is asked to.
struct TestCa {
  explicit TestCa(const std::string& name, std::shared_ptr<Clock> clock = {})
      : key(PrivateKey::generate().value()),
        certificate(
            self_signed_authority(key, {.common_name = name, .clock = std::move(clock)}).value()) {}

  /// The leaf's certificate for a request.
  std::string sign(const std::string& request, const SignOptions& options = {}) const {
    return sign_request(Request::parse(request).value(), certificate, key, options).value().pem();
  }
  KeyPair pair(const RequestTemplate& names, const SignOptions& options = {}) const {
    const PrivateKey leaf = PrivateKey::generate().value();
    return KeyPair::from_pem(sign(make_request(leaf, names).value(), options), leaf.pem()).value();
  }

  const PrivateKey key;
  const Certificate certificate;
};

/// A new key on "P-224", "P-384", ...
inline PrivateKey key_on_curve(const char* name) {
  EVP_PKEY* key = EVP_EC_gen(name);
  BIO* bio = BIO_new(BIO_s_mem());
  PEM_write_bio_PrivateKey(bio, key, nullptr, nullptr, 0, nullptr, nullptr);
  char* data = nullptr;
  const long size = BIO_get_mem_data(bio, &data);
  const std::string pem(data, static_cast<std::size_t>(size));
  BIO_free(bio);
  EVP_PKEY_free(key);
  return parse_private_key(pem).value();
}

/// Removed at the end of the test.
class TestFolder {
 public:
  TestFolder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "kube-cert-XXXXXX").string();
    path_ = ::mkdtemp(pattern.data());
  }
  ~TestFolder() { std::filesystem::remove_all(path_); }
  TestFolder(const TestFolder&) = delete;
  TestFolder& operator=(const TestFolder&) = delete;

  std::string path(const std::string& name) const { return (path_ / name).string(); }
  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(path(name)) << text;
    return path(name);
  }

 private:
  std::filesystem::path path_;
};

}  // namespace kube::certificate

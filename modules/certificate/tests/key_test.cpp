// SPDX-License-Identifier: Apache-2.0
#include <kube/certificate/key.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <openssl/evp.h>
#include <openssl/pem.h>

#include <kube/base/file.hpp>
#include <kube/testing/matchers.hpp>

#include "pki_fixture.hpp"

namespace kube::certificate {
namespace {

using ::testing::ElementsAre;
using testing::FailsWith;
using testing::HasMessage;
using ::testing::HasSubstr;
using testing::IsOk;
using ::testing::Not;

constexpr const char* kEcParameters =
    "-----BEGIN EC PARAMETERS-----\nBggqhkjOPQMBBw==\n-----END EC PARAMETERS-----\n";
constexpr const char* kNoKey = "data does not contain a valid RSA or ECDSA private key";

// The same key in PKCS#8, written by OpenSSL itself.
std::string pkcs8(const PrivateKey& key) {
  const std::string text = key.pem().reveal();
  BIO* in = BIO_new_mem_buf(text.data(), static_cast<int>(text.size()));
  EVP_PKEY* read = PEM_read_bio_PrivateKey(in, nullptr, nullptr, nullptr);
  BIO* out = BIO_new(BIO_s_mem());
  PEM_write_bio_PKCS8PrivateKey(out, read, nullptr, nullptr, 0, nullptr, nullptr);
  char* data = nullptr;
  const long size = BIO_get_mem_data(out, &data);
  std::string written(data, static_cast<std::size_t>(size));
  BIO_free(in);
  BIO_free(out);
  EVP_PKEY_free(read);
  return written;
}

TEST(PrivateKeys, CERT_06_AcceptsSec1Pkcs1AndPkcs8BehindForeignBlocks) {
  const PrivateKey ec = PrivateKey::generate().value();
  const PrivateKey rsa = PrivateKey::generate_rsa().value();
  EXPECT_THAT(ec.pem().reveal(), HasSubstr("BEGIN EC PRIVATE KEY"));
  EXPECT_THAT(rsa.pem().reveal(), HasSubstr("BEGIN RSA PRIVATE KEY"));
  EXPECT_THAT(pkcs8(rsa), HasSubstr("BEGIN PRIVATE KEY"));
  const std::string foreign = kEcParameters + TestCa("one").certificate.pem();
  for (const auto& [text, key] :
       {std::pair(ec.pem().reveal(), ec), std::pair(rsa.pem().reveal(), rsa),
        std::pair(pkcs8(ec), ec), std::pair(pkcs8(rsa), rsa)}) {
    for (const std::string& before : {std::string(), foreign}) {
      const auto found = parse_private_key(before + text);
      ASSERT_THAT(found, IsOk());
      EXPECT_EQ(found->public_key(), key.public_key());
      EXPECT_EQ(found->type(), key.type());
    }
  }
}

TEST(PrivateKeys, CERT_06_WithoutAKeyItSaysSoAndPrintsNoByteOfIt) {
  const PrivateKey ec = PrivateKey::generate().value();
  std::string mislabelled = ec.pem().reveal();
  for (std::size_t at = 0; (at = mislabelled.find("EC PRIVATE", at)) != std::string::npos;) {
    mislabelled.replace(at, 10, "RSA PRIVATE");
  }
  for (const std::string& text : {std::string(), std::string(kEcParameters), mislabelled}) {
    EXPECT_THAT(parse_private_key(text), FailsWith(HasMessage(kNoKey)));
  }
  const TestFolder folder;
  const std::string file = folder.write("a.key", mislabelled);
  EXPECT_THAT(private_key_from_file(file),
              FailsWith(HasMessage("error reading private key file " + file + ": " + kNoKey)));
  EXPECT_THAT(private_key_from_file(folder.path("absent")),
              FailsWith(HasMessage(HasSubstr(folder.path("absent")))));
}

TEST(PublicKeys, CERT_07_AreReadFromKeysAndCertificatesOfOneFile) {
  const TestFolder folder;
  const TestCa ca("one");
  const PrivateKey ec = PrivateKey::generate().value();
  const PrivateKey rsa = PrivateKey::generate_rsa().value();
  const PublicKey other = PrivateKey::generate().value().public_key();
  const std::string file = folder.write(
      "keys.pem", other.pem() + rsa.public_key().pem() + ca.certificate.pem() + kEcParameters +
                      ec.pem().reveal() + rsa.pem().reveal() + pkcs8(rsa));
  const auto keys = public_keys_from_file(file);
  ASSERT_THAT(keys, IsOk());
  EXPECT_THAT(*keys, ElementsAre(other, rsa.public_key(), ca.key.public_key(), ec.public_key(),
                                 rsa.public_key(), rsa.public_key()));
  EXPECT_EQ(keys->at(1).type(), KeyType::Rsa);
  EXPECT_EQ(keys->at(1).bits(), 2048);
}

TEST(PublicKeys, CERT_07_WithoutAKeyTheErrorNamesTheFile) {
  const TestFolder folder;
  const std::string none = "data does not contain any valid RSA or ECDSA public keys";
  EXPECT_THAT(parse_public_keys(kEcParameters), FailsWith(HasMessage(none)));
  const std::string file = folder.write("a.pem", "x");
  EXPECT_THAT(public_keys_from_file(file),
              FailsWith(HasMessage("error reading public key file " + file + ": " + none)));
}

TEST(KeyFiles, CERT_08_GeneratesP256KeepsAValidKeyAndFailsOnACorruptOne) {
  const TestFolder folder;
  const std::string file = folder.path("new/a.key");
  const auto made = load_or_generate_key(file);
  ASSERT_THAT(made, IsOk());
  EXPECT_TRUE(made->generated);
  const auto key = parse_private_key(made->pem);
  ASSERT_THAT(key, IsOk());
  EXPECT_EQ(key->type(), KeyType::Ecdsa);
  EXPECT_EQ(key->bits(), 256);

  const auto kept = load_or_generate_key(file);
  ASSERT_THAT(kept, IsOk());
  EXPECT_FALSE(kept->generated);
  EXPECT_EQ(kept->pem, made->pem);

  for (const std::string& text : {std::string(), made->pem.reveal().substr(0, 100)}) {
    const std::string corrupt = folder.write("corrupt.key", text);
    EXPECT_THAT(load_or_generate_key(corrupt),
                FailsWith(HasMessage("error loading key from " + corrupt + ": " + kNoKey)));
    EXPECT_THAT(read_file(corrupt), testing::IsOkAndHolds(text)) << "it is kept";
  }
}

TEST(Keys, RsaHasABound) {
  EXPECT_FALSE(PrivateKey::generate_rsa(100));
  EXPECT_FALSE(PrivateKey::generate_rsa(100'000));
}

}  // namespace
}  // namespace kube::certificate

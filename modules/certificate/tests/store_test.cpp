// SPDX-License-Identifier: Apache-2.0
#include <kube/certificate/store.hpp>

#include <sys/stat.h>

#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <kube/base/file.hpp>
#include <kube/testing/fake_clock.hpp>
#include <kube/testing/matchers.hpp>

#include "pki_fixture.hpp"

namespace kube::certificate {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using testing::FailsWith;
using testing::FakeClock;
using testing::HasMessage;
using ::testing::HasSubstr;
using testing::IsOk;
using testing::IsOkAndHolds;

class FileStoreTest : public ::testing::Test {
 protected:
  Result<std::shared_ptr<FileStore>> open() {
    return FileStore::open({.prefix = "node",
                            .certificate_folder = folder.path("pki"),
                            .key_folder = folder.path("keys"),
                            .certificate_file = folder.path("own.crt"),
                            .key_file = folder.path("own.key"),
                            .clock = clock});
  }
  std::string pki(const std::string& name) const { return folder.path("pki/" + name); }
  static std::string certificates(const KeyPair& pair) { return encode_certificates(pair.chain()); }

  const TestFolder folder;
  const TestCa ca{"authority"};
  const std::shared_ptr<FakeClock> clock = std::make_shared<FakeClock>();
  const KeyPair first = ca.pair({.common_name = "first"});
  const KeyPair second = ca.pair({.common_name = "second"});
};

TEST_F(FileStoreTest, CERT_18_WritesOneFileForCertificateAndKeyAndSwitchesALink) {
  const auto store = open().value();
  const std::string current = pki("node-current.pem");
  EXPECT_EQ(store->current_path(), current);
  ASSERT_THAT(store->update(certificates(first) + ca.certificate.pem(), first.key().pem()), IsOk());
  const std::string file = pki("node-2026-01-01-00-00-00.pem");
  EXPECT_TRUE(fs::is_symlink(current));
  EXPECT_EQ(fs::read_symlink(current), file);
  EXPECT_FALSE(fs::exists(fs::symlink_status(pki("node-updated.pem"))));
  EXPECT_THAT(read_file(file),
              IsOkAndHolds(first.leaf().pem() + ca.certificate.pem() + first.key().pem().reveal()));
  struct stat found {};
  ASSERT_EQ(::stat(file.c_str(), &found), 0);
  EXPECT_EQ(found.st_mode & 0777U, 0600U);

  clock->advance(61s);
  ASSERT_THAT(store->update(certificates(second), second.key().pem()), IsOk());
  EXPECT_EQ(fs::read_symlink(current), pki("node-2026-01-01-00-01-01.pem"));
  EXPECT_TRUE(fs::exists(file)) << "earlier pairs are kept";
  EXPECT_THAT(store->current(), IsOkAndHolds(second));
  EXPECT_THAT(open().value()->current(), IsOkAndHolds(second)) << "after a restart";
}

TEST_F(FileStoreTest, CERT_18_AnInterruptedSwitchIsCompleted) {
  ASSERT_THAT(open().value()->update(certificates(first), first.key().pem()), IsOk());
  fs::rename(pki("node-current.pem"), pki("node-updated.pem"));
  const auto store = open();
  ASSERT_THAT(store, IsOk());
  EXPECT_THAT((*store)->current(), IsOkAndHolds(first));
  EXPECT_FALSE(fs::exists(fs::symlink_status(pki("node-updated.pem"))));

  // A leftover beside a good link is replaced by the next update.
  fs::create_symlink("nowhere", pki("node-updated.pem"));
  const auto again = open().value();
  ASSERT_THAT(again->update(certificates(second), second.key().pem()), IsOk());
  EXPECT_THAT(again->current(), IsOkAndHolds(second));
}

TEST_F(FileStoreTest, CERT_18_ARegularFileInPlaceOfALinkIsAnError) {
  fs::create_directory(folder.path("pki"));
  folder.write("pki/node-updated.pem", "x");
  EXPECT_THAT(open(), FailsWith(HasMessage("expected \"" + pki("node-updated.pem") +
                                           "\" to be a symlink but it is a file")));
  fs::remove(pki("node-updated.pem"));
  folder.write("pki/node-current.pem", first.leaf().pem() + first.key().pem().reveal());
  const auto store = open().value();
  EXPECT_THAT(store->update(certificates(second), second.key().pem()),
              FailsWith(HasMessage("expected \"" + pki("node-current.pem") +
                                   "\" to be a symlink but it is a file")));
  EXPECT_THAT(store->current(), IsOkAndHolds(first));
}

TEST_F(FileStoreTest, CERT_18_FallsBackToSeparateFiles) {
  const auto store = open().value();
  fs::create_directory(folder.path("pki"));
  fs::create_directory(folder.path("keys"));
  const auto nothing = store->current();
  ASSERT_FALSE(nothing);
  EXPECT_TRUE(is_no_certificate(nothing.error()));
  EXPECT_EQ(nothing.error().message(),
            "no cert/key files read at \"" + pki("node-current.pem") + "\", (\"" +
                folder.path("own.crt") + "\", \"" + folder.path("own.key") + "\") or (\"" +
                folder.path("pki") + "\", \"" + folder.path("keys") + "\")");

  folder.write("pki/node.crt", first.leaf().pem());
  EXPECT_TRUE(is_no_certificate(store->current().error())) << "its key is missing";
  folder.write("keys/node.key", first.key().pem().reveal());
  EXPECT_THAT(store->current(), IsOkAndHolds(first));
  folder.write("own.crt", second.leaf().pem());
  EXPECT_THAT(store->current(), IsOkAndHolds(first));
  folder.write("own.key", second.key().pem().reveal());
  EXPECT_THAT(store->current(), IsOkAndHolds(second)) << "files that are named come first";
}

TEST_F(FileStoreTest, CERT_18_OnlyAMissingPairIsRecoverable) {
  folder.write("own.crt", "broken");
  folder.write("own.key", first.key().pem().reveal());
  const auto broken = open().value()->current();
  ASSERT_FALSE(broken);
  EXPECT_FALSE(is_no_certificate(broken.error()));
  EXPECT_THAT(broken, FailsWith(HasMessage(HasSubstr(folder.path("own.crt")))));

  const auto store = open().value();
  EXPECT_FALSE(store->update(certificates(first), second.key().pem()));
  EXPECT_FALSE(store->update("x", first.key().pem()));
  EXPECT_FALSE(fs::exists(folder.path("pki"))) << "nothing was written";
  EXPECT_FALSE(FileStore::open({}));
}

}  // namespace
}  // namespace kube::certificate

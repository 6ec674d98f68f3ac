// SPDX-License-Identifier: Apache-2.0
#include <kube/certificate/signing_request.hpp>

#include <future>

#include <gmock/gmock.h>

#include <kube/meta/errors.hpp>
#include <kube/testing/matchers.hpp>
#include <kube/testing/scripted_transport.hpp>

#include "cluster_fixture.hpp"

namespace kube::certificate {
namespace {

using namespace std::chrono_literals;
using ::testing::AllOf;
using testing::FailsWith;
using testing::HasCode;
using testing::HasMessage;
using ::testing::HasSubstr;
using testing::IsOk;
using testing::IsOkAndHolds;
using testing::ScriptedCall;
using testing::ScriptedTransport;
using ::testing::StartsWith;

class SigningRequestTest : public ClusterTest {
 protected:
  SigningRequest wanted(const std::string& name, const PrivateKey& signer,
                        const std::string& common_name = "node") {
    return {.request = make_request(signer, {.common_name = common_name}).value(),
            .name = name,
            .signer_name = kSigner,
            .usages = {kClientAuth}};
  }
  SubmittedRequest submit(const std::string& name) {
    auto made = request_certificate(client, wanted(name, key), key);
    EXPECT_TRUE(made) << made.error().to_string();
    return *made;
  }
  /// The outcome of a wait during which something happens to the request.
  Result<std::string> wait_while(const SubmittedRequest& submitted,
                                 const std::function<void()>& happens) {
    auto waiting = std::async(std::launch::async, [&] {
      return wait_for_certificate(client, submitted, 15min, stop.get_token());
    });
    await_watch();
    happens();
    return waiting.get();
  }
  Result<std::string> wait(const SubmittedRequest& submitted) {
    return wait_for_certificate(client, submitted, 15min);
  }

  Client client = client_of(config);
  const PrivateKey key = PrivateKey::generate().value();
  std::stop_source stop;
};

constexpr const char* kWatchError = "cannot watch on the certificate signing request: ";

TEST_F(SigningRequestTest, CERT_13_IsIssuedOnceApprovedAndSigned) {
  const SubmittedRequest submitted = submit("a");
  const auto certificate = wait_while(submitted, [&] {
    issue("a");  // signed before the approval
    decide("a", "Approved");
  });
  ASSERT_THAT(certificate, IsOk());
  EXPECT_THAT(KeyPair::from_pem(*certificate, key.pem()), IsOk());
  EXPECT_THAT(wait(submitted), IsOkAndHolds(*certificate)) << "it is there already";

  const SubmittedRequest other = submit("b");
  EXPECT_THAT(wait_while(other, [&] { approve_and_issue("b"); }), IsOk());
}

TEST_F(SigningRequestTest, CERT_13_DenialFailureAndDeletionEndTheWait) {
  EXPECT_THAT(
      wait_while(submit("a"), [&] { decide("a", "Denied"); }),
      FailsWith(HasMessage(std::string(kWatchError) + "certificate signing request is denied, "
                                                      "reason: Test, message: by the test")));
  EXPECT_FALSE(wait({.name = "a", .uid = requests.get("a").value().metadata.uid}));

  EXPECT_THAT(
      wait_while(submit("b"), [&] { decide("b", "Failed"); }),
      FailsWith(HasMessage(std::string(kWatchError) + "certificate signing request failed, "
                                                      "reason: Test, message: by the test")));
  const SubmittedRequest gone = submit("c");
  const auto deleted = FailsWith(HasMessage(std::string(kWatchError) + "csr \"c\" was deleted"));
  EXPECT_THAT(wait_while(gone, [&] { ASSERT_THAT(requests.delete_("c"), IsOk()); }), deleted);
  EXPECT_THAT(wait(gone), deleted);

  SubmittedRequest other = submit("d");
  other.uid = "another";
  EXPECT_THAT(wait(other),
              FailsWith(HasMessage(std::string(kWatchError) + "csr \"d\" changed UIDs")));
}

TEST_F(SigningRequestTest, TheWaitEndsAfterItsTimeAndOnAStop) {
  const SubmittedRequest submitted = submit("a");
  EXPECT_THAT(wait_while(submitted, [&] { clock->advance(15min); }),
              FailsWith(AllOf(HasCode(ErrorCode::Timeout),
                              HasMessage("timed out waiting for the condition"))));
  EXPECT_THAT(wait_while(submitted, [&] { stop.request_stop(); }),
              FailsWith(HasCode(ErrorCode::Cancelled)));
}

TEST_F(SigningRequestTest, CERT_14_WithoutANameTheServerMakesOne) {
  const SubmittedRequest submitted = submit("");
  EXPECT_THAT(submitted.name, StartsWith("csr-"));
  const auto stored = requests.get(submitted.name);
  ASSERT_THAT(stored, IsOk());
  EXPECT_EQ(stored->metadata.generate_name, "csr-");
  EXPECT_EQ(stored->metadata.uid, submitted.uid);
  EXPECT_EQ(stored->spec.signer_name, kSigner);
  EXPECT_EQ(stored->spec.expiration_seconds, std::nullopt);
}

TEST_F(SigningRequestTest, CERT_14_AnEqualRequestOfAFixedNameIsUsed) {
  const SubmittedRequest first = submit("a");
  const SubmittedRequest again = submit("a");
  EXPECT_EQ(again.uid, first.uid);
  approve_and_issue("a", 1h);
  EXPECT_EQ(submit("a").uid, first.uid) << "its certificate is valid";

  const auto differs = [&](const SigningRequest& request, const PrivateKey& signer,
                           const std::string& why) {
    EXPECT_THAT(request_certificate(client, request, signer),
                FailsWith(AllOf(HasCode(ErrorCode::InvalidArgument),
                                HasMessage("retrieved csr is not compatible: " + why))));
  };
  differs(wanted("a", key, "other"), key,
          "csr subjects differ: new: \"CN=node\", orig: \"CN=other\"");
  SigningRequest other_signer = wanted("a", key);
  other_signer.signer_name = "example.com/others";
  differs(other_signer, key,
          "csr signerNames differ: new \"example.com/nodes\", orig: \"example.com/others\"");
  const PrivateKey other = PrivateKey::generate().value();
  differs(wanted("a", other), other, "error validating signature new CSR against old key");
  clock->advance(1h + 1s);
  differs(wanted("a", key), key,
          "one of the certificates for the CSR has expired: that of CN=node");
}

TEST_F(SigningRequestTest, CERT_15_TheLifetimeIsSentInWholeSeconds) {
  for (const auto& [name, lifetime, seconds] :
       {std::tuple("a", Duration(1h), 3600), std::tuple("b", Duration(3'600'999ms), 3600)}) {
    SigningRequest request = wanted(name, key);
    request.lifetime = lifetime;
    ASSERT_THAT(request_certificate(client, request, key), IsOk());
    EXPECT_EQ(requests.get(name).value().spec.expiration_seconds, seconds);
  }
}

TEST_F(SigningRequestTest, OtherErrorsKeepTheirStatus) {
  server->stop();
  const auto failed = request_certificate(client, wanted("a", key), key);
  EXPECT_THAT(failed, FailsWith(AllOf(
                          HasCode(ErrorCode::Unreachable),
                          HasMessage(HasSubstr("cannot create certificate signing request: ")))));
}

// A server of before v1.
class OldServerTest : public SigningRequestTest {
 protected:
  OldServerTest() {
    ClientOptions options;
    options.runtime.executor = pool;
    options.transport = scripted;
    client = Client::create({.host = "https://h", .content_type = "application/json"},
                            std::move(options))
                 .value();
    scripted->on("", "/apis/certificates.k8s.io/v1/*", [](ScriptedCall call) {
      call.respond(404, R"({"kind":"Status","apiVersion":"v1","status":"Failure",)"
                        R"("reason":"NotFound","code":404})");
    });
  }
  static std::string object(const std::string& status, const std::string& version = "7") {
    return R"({"kind":"CertificateSigningRequest","apiVersion":"certificates.k8s.io/v1beta1",)"
           R"("metadata":{"name":"a","uid":"u","resourceVersion":")" +
           version + R"("},"spec":{"request":""},"status":)" + status + "}";
  }
  std::string last_path() const {
    const std::string url = scripted->requests().back().url;
    return url.substr(url.find("/apis"));
  }
  const std::string path = "/apis/certificates.k8s.io/v1beta1/certificatesigningrequests";
  const std::shared_ptr<ScriptedTransport> scripted = std::make_shared<ScriptedTransport>();
};

TEST_F(OldServerTest, CERT_13_V1Beta1IsAskedWhereV1IsMissing) {
  scripted->on("POST", path, [](ScriptedCall call) { call.respond(201, object("{}")); });
  const auto submitted = request_certificate(client, wanted("a", key), key);
  ASSERT_THAT(submitted, IsOk());
  EXPECT_EQ(submitted->uid, "u");
  EXPECT_EQ(scripted->requests().size(), 2U) << "v1 first";

  scripted->on("GET", path, [&](ScriptedCall call) {
    if (call.query("watch")) {
      call.head(200).data(R"({"type":"MODIFIED","object":)" +
                          object(R"({"conditions":[{"type":"Approved","status":"True"}],)"
                                 R"("certificate":"QUJD"})",
                                 "8") +
                          "}\n");
      return;
    }
    call.respond(200, R"({"kind":"CertificateSigningRequestList",)"
                      R"("apiVersion":"certificates.k8s.io/v1beta1",)"
                      R"("metadata":{"resourceVersion":"7"},"items":[)" +
                          object("{}") + "]}");
  });
  EXPECT_THAT(wait_for_certificate(client, *submitted, 15min), IsOkAndHolds("ABC"));
  EXPECT_THAT(last_path(), AllOf(StartsWith(path), HasSubstr("metadata.name%3Da")));

  // v1 does not have requests without signer or usages.
  SigningRequest legacy = wanted("a", key);
  legacy.signer_name = "kubernetes.io/legacy-unknown";
  const std::size_t before = scripted->requests().size();
  EXPECT_THAT(request_certificate(client, legacy, key), IsOk());
  EXPECT_EQ(scripted->requests().size(), before + 1);
}

}  // namespace
}  // namespace kube::certificate

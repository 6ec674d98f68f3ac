// SPDX-License-Identifier: Apache-2.0
//
// kube::certificate::Manager: keeps a certificate of this program valid. It makes keys, has the
// cluster sign them (kube/certificate/signing_request.hpp) and stores the pairs before the current
// one expires (client-go's util/certificate; docs/reference/clients-and-config.md ch. 24).
//
//   namespace certificate = kube::certificate;
//   auto store = certificate::FileStore::open({.prefix = "agent", .certificate_folder = "pki"});
//   if (!store) return store.error();
//   config.tls.certificate.file = (*store)->current_path();  // is read again when it changes
//   config.tls.key.file = (*store)->current_path();
//   certificate::ManagerOptions options;
//   options.request = {.common_name = "agent-1", .organizations = {"agents"}};
//   options.signer_name = "kubernetes.io/kube-apiserver-client";
//   options.get_usages = certificate::client_usages;
//   options.store = *store;
//   options.bootstrap_certificate = bootstrap_certificate;  // PEM
//   options.bootstrap_key = bootstrap_key;
//   options.client = [config](const auto& /*current*/) { return kube::Client::create(config); };
//   auto manager = certificate::Manager::create(std::move(options));
//   if (!manager) return manager.error();
//   (*manager)->start();  // and all clients of `config` use what it gets
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <kube/base/clock.hpp>
#include <kube/base/optional.hpp>
#include <kube/base/result.hpp>
#include <kube/base/runtime.hpp>
#include <kube/certificate/key_pair.hpp>
#include <kube/certificate/request.hpp>
#include <kube/certificate/store.hpp>
#include <kube/client/client.hpp>

namespace kube::certificate {

/// The usages that the kubelet asks for: digital signature, client or server auth, and key
/// encipherment for an RSA key. For ManagerOptions::get_usages.
std::vector<std::string> client_usages(const PrivateKey& key);
std::vector<std::string> serving_usages(const PrivateKey& key);

/// The functions are called on the manager's threads, one at a time but for `get_template`, without
/// a lock held; what they throw counts as their error.
struct ManagerOptions {
  /// Returns the client that sends requests; receives the current pair, if there is one. Empty:
  /// nothing is ever rotated.
  std::function<Result<Client>(const Optional<KeyPair>& current)> client{};
  /// What certificates shall say. `get_template` takes precedence, and is called every second;
  /// while it returns nothing, nothing is requested.
  RequestTemplate request{};
  std::function<Optional<RequestTemplate>()> get_template{};
  std::string signer_name{};
  std::optional<Duration> requested_lifetime{};  ///< In whole seconds; a signer may ignore it.
  /// certificates::v1::KeyUsage. Exactly one of the two is set.
  std::vector<std::string> usages{};
  std::function<std::vector<std::string>(const PrivateKey& key)> get_usages{};
  std::shared_ptr<Store> store{};  ///< Required.
  /// The pair (PEM) to begin with while the store has none that is valid. It is stored, and
  /// rotated at once.
  std::string bootstrap_certificate{};
  SecretText bootstrap_key{};
  /// Empty: PrivateKey::generate(). RSA keys need 2048 bits, ECDSA keys 256.
  std::function<Result<PrivateKey>()> generate_key{};
  std::string name{};  ///< For log lines. Empty: the signer's, or "client auth" or "certificate".
  /// Its clock, logger, metrics and random numbers are used; without an executor the real clock.
  Runtime runtime{};
};

/// Rotates a certificate between 70 % and 90 % of its life, and at once when it does not have what
/// the template asks for: common name, DNS names, IP addresses, organizations. It may have more.
///
/// A rotation that fails is tried five times with growing pauses from two seconds on, then every
/// 32 seconds; each waits at most 15 minutes for the certificate. A template that changes ends that
/// wait.
///
/// @par Thread safety   All functions may be called from any thread, but for the destructor and
///   stop_and_wait(), which must not be called by a function of the options.
/// @par Threads   One, and another one with ManagerOptions::get_template.
/// @par Stopping   stop() and stop_and_wait(); the destructor calls the latter.
class Manager {
 public:
  /// Reads the current pair from the store.
  /// @par Errors   InvalidArgument: usages and get_usages are both set or both missing, or there is
  ///   no store. Those of the store but for no_certificate(); of the bootstrap pair, if it is used.
  static Result<std::unique_ptr<Manager>> create(ManagerOptions options);
  ~Manager();
  Manager(const Manager&) = delete;
  Manager& operator=(const Manager&) = delete;

  /// Begins to rotate. Idempotent.
  /// @throws std::system_error   when the system has no thread left.
  void start();
  /// Ends all requests and waits soon; does not block. A stopped manager does not start again.
  void stop();
  /// stop(), then waits.
  /// @par Blocks   Until its threads have ended.
  void stop_and_wait();

  /// Returns the current pair; nothing while there is none that has not expired.
  Optional<KeyPair> current() const;
  /// Whether the server answered the last request for a certificate as a healthy one does: with
  /// success, or with 401, 403 or 404. False before the first.
  bool server_healthy() const;
  /// When the current pair is rotated; empty before the manager has waited for that time, and while
  /// it rotates.
  std::optional<WallTime> next_rotation() const;

 private:
  class Impl;
  explicit Manager(std::shared_ptr<Impl> impl);
  std::shared_ptr<Impl> impl_;
};

}  // namespace kube::certificate

// SPDX-License-Identifier: Apache-2.0
//
// rotation_under_load: three informers and three writers, while tokens, certificates and the
// authority of both sides are replaced in turn. Two kinds have a client whose credentials are
// files, one has a client that gets its own from an exec plugin. At the end every cache equals the
// server, every event has arrived once, and each informer has listed once.
#include <charconv>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <kube/api/core/v1/config_map.hpp>
#include <kube/api/core/v1/secret.hpp>
#include <kube/api/core/v1/service_account.hpp>
#include <kube/apiserver/api_server.hpp>
#include <kube/testing/eventually.hpp>

#include "load.hpp"
#include "plugin_folder.hpp"
#include "secured_front.hpp"
#include "temporary_directory.hpp"

namespace rotation {
namespace {

using namespace std::chrono_literals;
using kube::core::v1::ConfigMap;
using kube::core::v1::Secret;
using kube::core::v1::ServiceAccount;
using kube::testing::eventually;
using kube::transport::PemPair;
using kube::transport::TestAuthority;

constexpr const char* kUsage =
    "usage: rotation_under_load [--seconds SECONDS] [--every MILLISECONDS] [--pace MILLISECONDS]\n"
    "  --seconds   how long it runs (4)\n"
    "  --every     between two rotations (500)\n"
    "  --pace      between two writes of each of the three writers (5)\n";

struct Flags {
  std::chrono::seconds time{4};
  std::chrono::milliseconds every{500};
  std::chrono::milliseconds pace{5};
};

std::optional<Flags> read_flags(int argc, char** argv) {
  Flags flags;
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string_view name(argv[i]);
    const std::string_view text(argv[i + 1]);
    int value = 0;
    const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (code != std::errc() || end != text.data() + text.size() || value < 1) return std::nullopt;
    if (name == "--seconds") {
      flags.time = std::chrono::seconds(value);
    } else if (name == "--every") {
      flags.every = std::chrono::milliseconds(value);
    } else if (name == "--pace") {
      flags.pace = std::chrono::milliseconds(value);
    } else {
      return std::nullopt;
    }
  }
  if (argc % 2 == 0) return std::nullopt;
  return flags;
}

// The credentials of the clients, in files and from a plugin, and what the server demands of them.
class Credentials {
 public:
  explicit Credentials(SecuredFront& front) : front_(front) {
    // A refused certificate is no 401, after which the plugin would be run again; those of real
    // plugins expire.
    plugin_.script("expiring",
                   "here=$(dirname \"$0\")\n"
                   "echo run >> \"$here/runs\"\n"
                   "end=$(date -u -d '+2 seconds' +%Y-%m-%dT%H:%M:%SZ)\n"
                   "sed \"s/EXPIRES/$end/\" \"$here/answer\"\n");
    renew_authority();
    renew_token();
  }

  kube::rest::Config config() const {
    return {.host = front_.url(),
            .tls = {.ca = {.file = folder_ / "ca"},
                    .certificate = {.file = folder_ / "certificate"},
                    .key = {.file = folder_ / "key"}},
            .bearer_token_file = folder_ / "token"};
  }

  /// Of a client that knows the files of the authority only.
  kube::rest::Config plugin_config() const {
    kube::rest::ExecConfig plugin = plugin_.config();
    plugin.command = plugin_.directory() / "expiring";
    return {.host = front_.url(),
            .tls = {.ca = {.file = folder_ / "ca"}},
            .exec_provider = std::move(plugin)};
  }
  long plugin_runs() const { return plugin_.runs(); }

  /// The next of the three; running responses are cut off with every new token.
  void renew() {
    switch (count_++ % 3) {
      case 0:
        renew_token();
        front_.cut();
        return;
      case 1:
        renew_certificate();
        return;
      default:
        renew_authority();
    }
  }
  int count() const { return count_; }

 private:
  void replace(const std::string& name, const std::string& content) const {
    std::filesystem::rename(folder_.write(name + ".new", content), folder_ / name);
  }
  void renew_token() {
    token_ = "token-" + std::to_string(count_);
    replace("token", token_);
    print_status();
    front_.use_token(token_);
  }
  void renew_certificate() {
    const std::string name = "client-" + std::to_string(count_);
    const PemPair pair = authority_->client(name);
    pair_ = pair;
    replace("certificate", pair.certificate);
    replace("key", pair.key);
    print_status();
    front_.use_client(name);
  }
  void print_status() const {
    plugin_.print_status({{"expirationTimestamp", "EXPIRES"},
                          {"token", token_},
                          {"clientCertificateData", pair_.certificate},
                          {"clientKeyData", pair_.key}});
  }
  void renew_authority() {
    authority_ = std::make_unique<TestAuthority>("CA " + std::to_string(count_));
    front_.use_authority(*authority_, true);
    replace("ca", authority_->certificate());
    renew_certificate();
  }

  SecuredFront& front_;
  const kube::rest::TemporaryDirectory folder_;
  const kube::rest::PluginFolder plugin_;
  std::string token_;
  PemPair pair_;
  std::unique_ptr<TestAuthority> authority_;
  int count_ = 0;
};

class Run {
 public:
  explicit Run(const Flags& flags) : flags_(flags) {}

  int run() {
    if (!maps_.start() || !secrets_.start() || !accounts_.start()) return fail("no sync");
    if (!for_each([](auto& load) { return sees_an_event(load); })) return 1;
    const auto end = std::chrono::steady_clock::now() + flags_.time;
    auto reported = std::chrono::steady_clock::now();
    while (std::chrono::steady_clock::now() < end) {
      pause(flags_.every, {});
      if (!rotate()) return 1;
      if (std::chrono::steady_clock::now() - reported < 1min) continue;
      reported = std::chrono::steady_clock::now();
      report();
    }
    for_each([](auto& load) {
      load.stop_writing();
      return true;
    });
    const bool passed = for_each([this](auto& load) { return check(load); });
    report();
    return passed ? 0 : 1;
  }

 private:
  template <class Visit>
  bool for_each(const Visit& visit) {
    const bool first = visit(maps_);
    const bool second = visit(secrets_);
    const bool third = visit(accounts_);
    return first && second && third;
  }
  static int fail(const std::string& why) {
    std::printf("FAILED: %s\n", why.c_str());
    std::fflush(stdout);
    return 1;
  }

  // A watch that is cut off before anything came is very short, and lists.
  template <class T>
  static bool sees_an_event(Load<T>& load) {
    const std::uint64_t before = load.ledger().events();
    return eventually([&] { return load.ledger().events() > before; }) ||
           fail("no event of " + load.plural()) == 0;
  }

  // Ends when all have been watching again and have seen an event.
  bool rotate() {
    std::map<std::string, int> watches;
    for_each([&](auto& load) {
      watches[load.plural()] = front_.passed_on("watch " + load.plural());
      return true;
    });
    credentials_.renew();
    return for_each([&](auto& load) {
      const std::string kind = load.plural();
      if (!eventually([&] { return front_.passed_on("watch " + kind) > watches[kind]; })) {
        return fail(kind + " are not watched again after rotation " +
                    std::to_string(credentials_.count())) == 0;
      }
      return sees_an_event(load);
    });
  }

  template <class T>
  bool check(Load<T>& load) {
    const std::string kind = load.plural();
    bool passed = eventually([&] { return load.equal(); }) ||
                  fail("the cache of " + kind + " differs from the server") == 0;
    passed = (eventually([&] { return load.ledger().complete(); }) ||
              fail("events of " + kind + " were lost") == 0) &&
             passed;
    for (const std::string& mistake : load.ledger().mistakes()) {
      passed = fail(kind + ": " + mistake) == 0;
    }
    const int lists = front_.passed_on("list " + kind);
    if (lists != 1) passed = fail(kind + " were listed " + std::to_string(lists) + " times") == 0;
    return passed;
  }

  void report() {
    std::printf("rotations: %d; requests refused: %d; runs of the plugin: %ld\n",
                credentials_.count(), front_.refused(), credentials_.plugin_runs());
    for_each([this](auto& load) {
      const std::string kind = load.plural();
      std::printf("%-16s lists %d, watches %d, writes %zu, events %llu, objects %zu; repeated:",
                  kind.c_str(), front_.passed_on("list " + kind), front_.passed_on("watch " + kind),
                  load.ledger().writes(), static_cast<unsigned long long>(load.ledger().events()),
                  load.objects());
      for (const auto& [code, count] : load.ledger().failures()) {
        std::printf(" %s %d", code.c_str(), count);
      }
      std::printf("\n");
      return true;
    });
    std::fflush(stdout);
  }

  const Flags flags_;
  const std::unique_ptr<kube::apiserver::ApiServer> server_ =
      std::move(kube::apiserver::ApiServer::start()).value();
  const kube::Client direct_ =
      kube::Client::create(kube::rest::Config{.host = server_->url()}).value();
  SecuredFront front_{server_->port()};
  Credentials credentials_{front_};
  const kube::Client client_ = kube::Client::create(credentials_.config()).value();
  Load<ConfigMap> maps_{client_, direct_, flags_.pace};
  Load<Secret> secrets_{client_, direct_, flags_.pace};
  const kube::Client plugin_client_ = kube::Client::create(credentials_.plugin_config()).value();
  Load<ServiceAccount> accounts_{plugin_client_, direct_, flags_.pace};
};

}  // namespace
}  // namespace rotation

int main(int argc, char** argv) {
  const auto flags = rotation::read_flags(argc, argv);
  if (!flags) {
    std::fputs(rotation::kUsage, stderr);
    return 2;
  }
  return rotation::Run(*flags).run();
}

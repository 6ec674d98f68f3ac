// SPDX-License-Identifier: Apache-2.0
#include "exec_source.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "exec_plugin.hpp"
#include "source_registry.hpp"

namespace kube::rest {
namespace {

struct ExecKey {
  ExecConfig config;
  ExecCluster cluster;
  bool operator==(const ExecKey&) const = default;
};

SourceRegistry<ExecKey>& exec_registry() {
  static SourceRegistry<ExecKey> registry;
  return registry;
}

// The certificates that plugins have handed out: the earliest expiry is a metric.
class CertificateExpiries {
 public:
  void set(const void* plugin, const std::optional<WallTime>& expiry,
           const std::shared_ptr<metrics::Provider>& provider) KUBE_EXCLUDES(mutex_) {
    double earliest = 0;
    {
      const MutexLock lock(mutex_);
      if (expiry) {
        expiries_[plugin] = *expiry;
      } else {
        expiries_.erase(plugin);
      }
      const auto first =
          std::min_element(expiries_.begin(), expiries_.end(),
                           [](const auto& a, const auto& b) { return a.second < b.second; });
      if (first != expiries_.end()) {
        earliest = std::chrono::duration<double>(first->second.time_since_epoch()).count();
      }
    }
    metrics::Gauge(provider, "rest_client_exec_plugin_certificate_expiration_timestamp_seconds", {})
        .set(earliest);
  }
  void forget(const void* plugin) KUBE_EXCLUDES(mutex_) {
    const MutexLock lock(mutex_);
    expiries_.erase(plugin);
  }

 private:
  Mutex mutex_;
  std::map<const void*, WallTime> expiries_ KUBE_GUARDED_BY(mutex_);
};

// Never destroyed: at the end of the program the last owner of a plugin may be the thread of a
// transport that still runs.
CertificateExpiries& certificate_expiries() {
  static auto& expiries = *new CertificateExpiries;
  return expiries;
}

// A plugin whose certificate counts as long as its source lives.
class CountedPlugin {
 public:
  explicit CountedPlugin(ExecKey key) : plugin_(std::move(key.config), std::move(key.cluster)) {}
  CountedPlugin(const CountedPlugin&) = delete;
  CountedPlugin& operator=(const CountedPlugin&) = delete;
  ~CountedPlugin() { certificate_expiries().forget(this); }

  Result<Credentials> run(const RefreshContext& context, std::stop_token stop) {
    Result<Credentials> credentials = plugin_.run(context, std::move(stop));
    if (credentials) {
      certificate_expiries().set(this, credentials->certificate_expires, context.metrics);
    }
    return credentials;
  }

 private:
  ExecPlugin plugin_;
};

}  // namespace

Result<std::shared_ptr<CredentialSource>> exec_source(const Config& config,
                                                      const Runtime& runtime) {
  const ExecConfig& exec = *config.exec_provider;
  if (auto valid = check_exec_config(exec); !valid) return valid.error();
  ExecKey key{.config = exec, .cluster = {}};
  if (exec.provide_cluster_info) {
    Result<ExecCluster> cluster = config_to_exec_cluster(config);
    if (!cluster) return cluster.error();
    key.cluster = *std::move(cluster);
  }
  return exec_registry().find_or_make(key, runtime.clock(), [&key] {
    auto plugin = std::make_shared<CountedPlugin>(key);
    return std::make_shared<CredentialSource>(
        "exec: " + key.config.command,
        [plugin](const RefreshContext& context, std::stop_token stop) {
          return plugin->run(context, std::move(stop));
        });
  });
}

}  // namespace kube::rest

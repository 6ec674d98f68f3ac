// SPDX-License-Identifier: Apache-2.0
#include "auth_provider_persister.hpp"

#include <filesystem>
#include <memory>
#include <system_error>
#include <utility>

#include <kube/config/modify.hpp>
#include <kube/json/value.hpp>

#include "kubeconfig_document.hpp"

namespace kube::kubeconfig {
namespace {

using Settings = rest::AuthProviderSettings;
using json::Object;
using json::Value;

// Another process holds the lock while it asks its identity provider.
constexpr std::chrono::seconds kLockPatience{5};
constexpr std::chrono::milliseconds kLockPoll{50};

// A user of a file, whose auth provider is read and written.
struct StoredUser {
  std::string file;
  std::string name;

  Error gone() const {
    return {ErrorCode::Config, file + ": user \"" + name + "\" has no auth-provider any more"};
  }

  // The caller holds the lock.
  Result<Settings> read() const {
    Result<Document> document = read_document(file);
    if (!document) return document.error();
    json::Array& list = list_of(document->root(), "users");
    const auto found = find_named(list, name);
    const Value* provider =
        found == list.end() ? nullptr : found->at_path({"user", "auth-provider"});
    if (provider == nullptr) return gone();
    Settings settings;
    const Value* config = provider->at_path({"config"});
    const Object* object = config != nullptr ? config->if_object() : nullptr;
    if (object == nullptr) return settings;
    for (const auto& [key, value] : *object) {
      if (const std::string* text = value.if_string()) settings[key] = *text;
    }
    return settings;
  }

  // The caller holds the lock.
  Result<void> write(const Settings& settings) const {
    Result<Document> document = read_document(file);
    if (!document) return document.error();
    json::Array& list = list_of(document->root(), "users");
    const auto found = find_named(list, name);
    if (found == list.end() || found->at_path({"user", "auth-provider"}) == nullptr) return gone();
    Object config;
    for (const auto& [key, value] : settings) config.set(key, value.reveal());
    found->ensure_path({"user", "auth-provider"}).if_object()->set("config", std::move(config));
    return write_document(file, *std::move(document));
  }
};

Result<FileLock> wait_for_lock(const std::string& file, Clock& clock, const std::stop_token& stop) {
  const TimePoint deadline = clock.now() + kLockPatience;
  while (true) {
    Result<FileLock> lock = FileLock::acquire(file);
    std::error_code ignored;
    const bool is_held = !lock && std::filesystem::exists(file + ".lock", ignored);
    if (!is_held || clock.now() >= deadline) return lock;
    if (clock.sleep_for(kLockPoll, stop) == WaitStatus::Stopped) {
      return Error(ErrorCode::Cancelled, "the refresh was cancelled");
    }
  }
}

}  // namespace

void persist_in(const std::string& file, const std::string& user,
                rest::AuthProviderConfig& provider) {
  const StoredUser stored{file, user};
  provider.persist = [stored](const Settings& settings) -> Result<void> {
    const Result<FileLock> lock = FileLock::acquire(stored.file);
    return lock ? stored.write(settings) : lock.error();
  };
  provider.begin_renewal = [stored](Clock& clock,
                                    std::stop_token stop) -> Result<rest::TokenRenewal> {
    Result<FileLock> lock = wait_for_lock(stored.file, clock, stop);
    if (!lock) return lock.error();
    const auto held = std::make_shared<const FileLock>(*std::move(lock));
    Result<Settings> settings = stored.read();
    if (!settings) return settings.error();
    return rest::TokenRenewal{
        .config = *std::move(settings),
        .persist = [stored, held](const Settings& changed) { return stored.write(changed); }};
  };
}

}  // namespace kube::kubeconfig

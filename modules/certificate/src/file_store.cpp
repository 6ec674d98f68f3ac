// SPDX-License-Identifier: Apache-2.0
//
// The store that keeps pairs in files.
#include <array>
#include <ctime>
#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>

#include <kube/base/file.hpp>
#include <kube/certificate/store.hpp>

namespace kube::certificate {
namespace {

namespace fs = std::filesystem;

constexpr const char* kNoCertificate = "NoCertificate";

Error system_error(const std::string& what, const std::error_code& code) {
  return {ErrorCode::Config, what + ": " + code.message()};
}

// Links are followed.
Result<bool> exists(const std::string& file) {
  if (file.empty()) return false;
  std::error_code failed;
  const bool found = fs::exists(file, failed);
  if (failed) return system_error(file, failed);
  return found;
}

enum class LinkState { Missing, Link };
Result<LinkState> link_state(const std::string& path) {
  std::error_code failed;
  const fs::file_status status = fs::symlink_status(path, failed);
  if (status.type() == fs::file_type::not_found) return LinkState::Missing;
  if (failed) return system_error(path, failed);
  if (status.type() == fs::file_type::symlink) return LinkState::Link;
  return Error(ErrorCode::Config, "expected \"" + path + "\" to be a symlink but it is a file");
}

Result<void> rename(const std::string& from, const std::string& to) {
  std::error_code failed;
  fs::rename(from, to, failed);  // over an old link in one step
  if (!failed) return {};
  return system_error("unable to rename \"" + from + "\" to \"" + to + "\"", failed);
}

std::string in_folder(const std::string& folder, const std::string& name) {
  return (fs::path(folder) / name).string();
}

// The pair of two files; nothing unless both exist.
Result<std::optional<KeyPair>> pair_of(const std::string& certificate, const std::string& key) {
  for (const std::string* file : {&certificate, &key}) {
    const Result<bool> found = exists(*file);
    if (!found) return found.error();
    if (!*found) return std::optional<KeyPair>();
  }
  auto pair = KeyPair::from_files(certificate, key);
  if (!pair) return pair.error();
  return std::optional<KeyPair>(*std::move(pair));
}

std::string timestamp(WallTime time) {
  const std::time_t seconds = std::chrono::system_clock::to_time_t(
      std::chrono::time_point_cast<std::chrono::system_clock::duration>(time));
  std::tm parts{};
  ::gmtime_r(&seconds, &parts);
  std::array<char, 32> text{};
  const std::size_t size = std::strftime(text.data(), text.size(), "%Y-%m-%d-%H-%M-%S", &parts);
  return {text.data(), size};
}

}  // namespace

Error no_certificate(std::string message) {
  return Error(ErrorCode::Config, std::move(message)).with_reason(kNoCertificate);
}
bool is_no_certificate(const Error& error) {
  return error.reason() == kNoCertificate;
}

FileStore::FileStore(FileStoreOptions options) : options_(std::move(options)) {
  if (!options_.clock) options_.clock = real_clock();
}

Result<std::shared_ptr<FileStore>> FileStore::open(FileStoreOptions options) {
  if (options.prefix.empty()) {
    return Error(ErrorCode::InvalidArgument, "the prefix of the files' names is missing");
  }
  std::shared_ptr<FileStore> store(new FileStore(std::move(options)));
  const Result<void> recovered = store->recover();
  if (!recovered) return recovered.error();
  return store;
}

std::string FileStore::path_of(std::string_view qualifier) const {
  return in_folder(options_.certificate_folder,
                   options_.prefix + "-" + std::string(qualifier) + ".pem");
}

std::string FileStore::current_path() const {
  return path_of("current");
}

// A writer may have ended between the two steps of select().
Result<void> FileStore::recover() const {
  const Result<bool> complete = exists(current_path());
  if (!complete) return complete.error();
  if (*complete) return {};
  const std::string updated = path_of("updated");
  const Result<LinkState> state = link_state(updated);
  if (!state) return state.error();
  return *state == LinkState::Missing ? Result<void>() : rename(updated, current_path());
}

Result<KeyPair> FileStore::current() {
  const std::string pair_file = current_path();
  const std::string certificate = in_folder(options_.certificate_folder, options_.prefix + ".crt");
  const std::string key = in_folder(options_.key_folder, options_.prefix + ".key");
  const std::pair<const std::string&, const std::string&> places[] = {
      {pair_file, pair_file},
      {options_.certificate_file, options_.key_file},
      {certificate, key},
  };
  for (const auto& [certificate_file, key_file] : places) {
    auto pair = pair_of(certificate_file, key_file);
    if (!pair) return pair.error();
    if (*pair) return **std::move(pair);
  }
  return no_certificate("no cert/key files read at \"" + pair_file + "\", (\"" +
                        options_.certificate_file + "\", \"" + options_.key_file + "\") or (\"" +
                        options_.certificate_folder + "\", \"" + options_.key_folder + "\")");
}

Result<KeyPair> FileStore::update(std::string_view certificates, const SecretText& key) {
  auto pair = KeyPair::from_pem(certificates, key);
  if (!pair) return pair;
  const std::string file = path_of(timestamp(options_.clock->wall_now()));
  const Result<void> stored =
      replace_file(file, encode_certificates(pair->chain()) + pair->key().pem().reveal(),
                   {.file_mode = 0600, .folder_mode = 0755});
  if (!stored) return stored.error();
  const Result<void> selected = select(file);
  if (!selected) return selected.error();
  return pair;
}

Result<void> FileStore::select(const std::string& file) const {
  const std::string updated = path_of("updated");
  for (const std::string& link : {current_path(), updated}) {
    const Result<LinkState> state = link_state(link);
    if (!state) return state.error();
  }
  std::error_code failed;
  fs::remove(updated, failed);
  if (failed) return system_error("unable to remove \"" + updated + "\"", failed);
  const fs::path target = fs::absolute(file, failed);
  if (!failed) fs::create_symlink(target, updated, failed);
  if (failed) {
    return system_error("unable to create a symlink from \"" + updated + "\" to \"" + file + "\"",
                        failed);
  }
  return rename(updated, current_path());
}

}  // namespace kube::certificate

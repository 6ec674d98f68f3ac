// SPDX-License-Identifier: Apache-2.0
//
// Where a certificate manager keeps the current certificate and key.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include <kube/base/clock.hpp>
#include <kube/base/result.hpp>
#include <kube/certificate/key_pair.hpp>

namespace kube::certificate {

/// The error of a store that has no pair yet. A manager goes on with its bootstrap pair then; all
/// other errors end it.
Error no_certificate(std::string message);
bool is_no_certificate(const Error& error);

/// Implemented by programs that keep pairs elsewhere than in files.
/// @par Thread safety   A manager calls it on one thread at a time.
class Store {
 public:
  virtual ~Store() = default;
  /// Returns the selected pair.
  /// @par Errors   no_certificate() when there is none.
  virtual Result<KeyPair> current() = 0;
  /// Makes the pair (PEM) the selected one.
  /// @par Errors   Any: the selected pair stays.
  virtual Result<KeyPair> update(std::string_view certificates, const SecretText& key) = 0;
};

struct FileStoreOptions {
  std::string prefix{};  ///< "kubelet-client"; required.
  std::string certificate_folder{};
  std::string key_folder{};
  std::string certificate_file{};  ///< Read while there is no pair in the folder.
  std::string key_file{};
  std::shared_ptr<Clock> clock{};  ///< Empty: real_clock().
};

/// Keeps pairs in files, as client-go and the kubelet do: each in a file PREFIX-TIME.pem with mode
/// 0600, certificates first; PREFIX-current.pem is a symbolic link to the selected one. Without it,
/// `certificate_file` and `key_file`, then PREFIX.crt and PREFIX.key of the folders are read. Files
/// of earlier pairs are kept.
///
/// A client whose configuration names the link as the files of its certificate and its key follows
/// the rotation (see manager.hpp).
///
/// @par Thread safety   One thread at a time calls update(); other processes and transports may
///   read meanwhile, and see the old pair or the new one.
class FileStore final : public Store {
 public:
  /// Opens a store and completes a switch of pairs that was interrupted.
  /// @par Errors   InvalidArgument: no prefix. Config: PREFIX-updated.pem is not a symbolic link,
  ///   or the operating system's reason.
  static Result<std::shared_ptr<FileStore>> open(FileStoreOptions options);

  /// The path of PREFIX-current.pem.
  std::string current_path() const;

  /// @par Errors   no_certificate(), naming all places; those of KeyPair::from_files().
  Result<KeyPair> current() override;
  /// Checks the pair, writes it and selects it.
  /// @par Errors   Those of KeyPair::from_pem(); Config: PREFIX-current.pem is not a symbolic link,
  ///   or the operating system's reason.
  Result<KeyPair> update(std::string_view certificates, const SecretText& key) override;

 private:
  explicit FileStore(FileStoreOptions options);
  std::string path_of(std::string_view qualifier) const;
  Result<void> recover() const;
  Result<void> select(const std::string& file) const;

  FileStoreOptions options_;
};

}  // namespace kube::certificate

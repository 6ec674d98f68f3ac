// SPDX-License-Identifier: Apache-2.0
//
// A server's certificate and key, from files that another process may replace.
#pragma once

#include <boost/asio/ssl/context.hpp>
#include <memory>
#include <string>

#include <kube/base/mutex.hpp>
#include <kube/base/result.hpp>

namespace kube::serving {

/// @par Thread safety   All functions may be called from any thread.
class TlsFiles {
 public:
  using Context = std::shared_ptr<boost::asio::ssl::context>;

  TlsFiles(std::string certificate_file, std::string key_file)
      : certificate_file_(std::move(certificate_file)), key_file_(std::move(key_file)) {}

  /// Reads the files, and makes the context of the next connections when their content has changed;
  /// returns whether it has. After an error the last context stays.
  /// @par Errors   InvalidArgument, naming the file, the line of a block of PEM that can't be read,
  ///   and what was expected; nothing of the content.
  /// @par Blocks   While it reads two small files.
  Result<bool> read();
  /// Null before the first read(). Connections keep the one that they began with.
  Context context() const;

 private:
  const std::string certificate_file_;
  const std::string key_file_;
  mutable Mutex mutex_;
  std::string certificate_ KUBE_GUARDED_BY(mutex_);
  std::string key_ KUBE_GUARDED_BY(mutex_);
  Context context_ KUBE_GUARDED_BY(mutex_);
};

}  // namespace kube::serving

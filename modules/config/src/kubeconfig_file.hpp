// SPDX-License-Identifier: Apache-2.0
//
// The entries of kubeconfig files, before a context is chosen.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>

#include <kube/base/result.hpp>
#include <kube/transport/curl_transport.hpp>

namespace kube::kubeconfig {

struct Cluster {
  std::string server{};
  std::string tls_server_name{};
  bool insecure_skip_tls_verify = false;
  transport::PemSource certificate_authority{};
  std::string proxy_url{};
  bool disable_compression = false;
};

struct User {
  transport::PemSource client_certificate{};
  transport::PemSource client_key{};
  std::string token{};
  std::string token_file{};
  std::string username{};
  std::string password{};
  std::string impersonate{};       ///< as
  bool impersonates_more = false;  ///< as-uid, as-groups or as-user-extra
  std::string auth_provider{};     ///< Its name, "?" without one.
  bool exec = false;               ///< Needs a credential plugin.
};

struct Context {
  std::string cluster{};
  std::string user{};
  std::string namespace_{};
};

/// An entry and the file it came from, for messages.
template <class T>
struct Entry {
  T value{};
  std::string file{};
};

template <class T>
using Entries = std::map<std::string, Entry<T>, std::less<>>;

/// One file, or several merged.
struct File {
  std::string current_context{};
  Entries<Cluster> clusters{};
  Entries<User> users{};
  Entries<Context> contexts{};

  bool empty() const {
    return current_context.empty() && clusters.empty() && users.empty() && contexts.empty();
  }
};

/// Reads YAML or JSON. Errors are Config and name `file` and the line or the field.
Result<File> read_kubeconfig(std::string_view text, const std::filesystem::path& directory,
                             const std::string& file);

/// Adds the entries that `into` does not have: the first file that has an entry wins.
void merge(File& into, File from);

}  // namespace kube::kubeconfig

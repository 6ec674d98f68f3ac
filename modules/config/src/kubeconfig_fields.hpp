// SPDX-License-Identifier: Apache-2.0
//
// The plain fields of the entries of a kubeconfig, as tables: reading, writing, merging, setting by
// name, redacting and the resolving of paths all go through them.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>

#include <kube/config/kubeconfig_types.hpp>

namespace kube::kubeconfig {

enum class FieldKind {
  Text,
  Path,
  Bytes,  ///< base64 in the file
};

/// @par Thread safety   A value.
template <class T>
struct TextField {
  std::string_view name;
  FieldKind kind = FieldKind::Text;
  bool always = false;              ///< Written even when it is empty.
  std::string T::*text = nullptr;   ///< This one,
  SecretText T::*secret = nullptr;  ///< or this one.

  constexpr TextField(std::string_view name_, std::string T::*text_,
                      FieldKind kind_ = FieldKind::Text, bool always_ = false)
      : name(name_), kind(kind_), always(always_), text(text_) {}
  constexpr TextField(std::string_view name_, SecretText T::*secret_,
                      FieldKind kind_ = FieldKind::Text)
      : name(name_), kind(kind_), secret(secret_) {}

  bool is_set(const T& entry) const {
    return secret != nullptr ? !(entry.*secret).empty() : !(entry.*text).empty();
  }
  void set(T& entry, std::string value) const {
    if (secret != nullptr) {
      entry.*secret = std::move(value);
    } else {
      entry.*text = std::move(value);
    }
  }
  /// Returns what is written to a file, a secret too.
  const std::string& to_write(const T& entry) const {
    return secret != nullptr ? (entry.*secret).reveal() : entry.*text;
  }
};

template <class T>
struct FlagField {
  std::string_view name;
  bool T::*member;
};

template <class T>
std::span<const TextField<T>> text_fields();
template <class T>
std::span<const FlagField<T>> flag_fields();

template <>
inline std::span<const TextField<Cluster>> text_fields<Cluster>() {
  static constexpr TextField<Cluster> kFields[] = {
      {"server", &Cluster::server, FieldKind::Text, true},
      {"tls-server-name", &Cluster::tls_server_name},
      {"certificate-authority", &Cluster::certificate_authority, FieldKind::Path},
      {"certificate-authority-data", &Cluster::certificate_authority_data, FieldKind::Bytes},
      {"proxy-url", &Cluster::proxy_url}};
  return kFields;
}
template <>
inline std::span<const FlagField<Cluster>> flag_fields<Cluster>() {
  static constexpr FlagField<Cluster> kFlags[] = {
      {"insecure-skip-tls-verify", &Cluster::insecure_skip_tls_verify},
      {"disable-compression", &Cluster::disable_compression}};
  return kFlags;
}

template <>
inline std::span<const TextField<AuthInfo>> text_fields<AuthInfo>() {
  static constexpr TextField<AuthInfo> kFields[] = {
      {"client-certificate", &AuthInfo::client_certificate, FieldKind::Path},
      {"client-certificate-data", &AuthInfo::client_certificate_data, FieldKind::Bytes},
      {"client-key", &AuthInfo::client_key, FieldKind::Path},
      {"client-key-data", &AuthInfo::client_key_data, FieldKind::Bytes},
      {"token", &AuthInfo::token},
      {"tokenFile", &AuthInfo::token_file, FieldKind::Path},
      {"username", &AuthInfo::username},
      {"password", &AuthInfo::password}};
  return kFields;
}
template <>
inline std::span<const FlagField<AuthInfo>> flag_fields<AuthInfo>() {
  return {};
}

template <>
inline std::span<const TextField<Context>> text_fields<Context>() {
  static constexpr TextField<Context> kFields[] = {
      {"cluster", &Context::cluster, FieldKind::Text, true},
      {"user", &Context::user, FieldKind::Text, true},
      {"namespace", &Context::namespace_}};
  return kFields;
}
template <>
inline std::span<const FlagField<Context>> flag_fields<Context>() {
  return {};
}

/// Replaces the fields of `into` by those of `from` that are set; lists by lists that are not
/// empty; maps by key.
void merge_fields(Cluster& into, const Cluster& from);
void merge_fields(AuthInfo& into, const AuthInfo& from);
void merge_fields(Context& into, const Context& from);

}  // namespace kube::kubeconfig

// SPDX-License-Identifier: Apache-2.0
#include <kube/config/exec_cluster.hpp>

#include <optional>
#include <utility>

#include <kube/base/file.hpp>
#include <kube/json/base64.hpp>
#include <kube/json/value.hpp>

namespace kube::rest {
namespace {

constexpr std::pair<std::string_view, std::string ExecCluster::*> kTexts[] = {
    {"server", &ExecCluster::server},
    {"tls-server-name", &ExecCluster::tls_server_name},
    {"proxy-url", &ExecCluster::proxy_url}};
constexpr std::pair<std::string_view, bool ExecCluster::*> kFlags[] = {
    {"insecure-skip-tls-verify", &ExecCluster::insecure_skip_tls_verify},
    {"disable-compression", &ExecCluster::disable_compression}};
constexpr std::string_view kCa = "certificate-authority-data";

Error wrong_member(std::string_view name, std::string_view expected) {
  return {ErrorCode::Decode,
          "cluster." + std::string(name) + ": expected " + std::string(expected)};
}

}  // namespace

Result<ExecCluster> config_to_exec_cluster(const Config& config) {
  std::string ca = config.tls.ca.data;
  if (ca.empty() && !config.tls.ca.file.empty()) {
    Result<DatedFile> file = read_regular_file(config.tls.ca.file);
    if (!file) return file.error().with_context("the CA of the cluster");
    ca = std::move(file->text);
  }
  return ExecCluster{.server = config.host,
                     .tls_server_name = config.tls.server_name,
                     .insecure_skip_tls_verify = config.tls.insecure_skip_verify,
                     .certificate_authority_data = std::move(ca),
                     .proxy_url = config.proxy_url,
                     .disable_compression = config.disable_compression,
                     .config = config.exec_provider ? config.exec_provider->config : std::string()};
}

Config exec_cluster_to_config(const ExecCluster& cluster) {
  return {.host = cluster.server,
          .tls = {.ca = {.data = cluster.certificate_authority_data},
                  .server_name = cluster.tls_server_name,
                  .insecure_skip_verify = cluster.insecure_skip_tls_verify},
          .proxy_url = cluster.proxy_url,
          .disable_compression = cluster.disable_compression};
}

std::string to_json(const ExecCluster& cluster) {
  json::Object out;
  for (const auto& [name, member] : kTexts) {
    if (!(cluster.*member).empty()) out.set(name, cluster.*member);
  }
  for (const auto& [name, member] : kFlags) {
    if (cluster.*member) out.set(name, true);
  }
  if (!cluster.certificate_authority_data.empty()) {
    std::string text;
    json::write_base64(cluster.certificate_authority_data, text);
    out.set(kCa, std::move(text));
  }
  if (!cluster.config.empty()) {
    if (auto value = json::parse(cluster.config)) out.set("config", *std::move(value));
  }
  return json::dump(json::Value(std::move(out)));
}

Result<ExecCluster> exec_cluster_from_json(std::string_view text) {
  const Result<json::Value> value = json::parse(text);
  if (!value) return value.error();
  const json::Object* object = value->if_object();
  if (object == nullptr) return Error(ErrorCode::Decode, "cluster: expected an object");
  ExecCluster out;
  for (const auto& [name, member] : *object) {
    if (member.is_null()) continue;
    for (const auto& [known, field] : kTexts) {
      if (name != known) continue;
      if (!member.is_string()) return wrong_member(name, "a string");
      out.*field = *member.if_string();
    }
    for (const auto& [known, field] : kFlags) {
      if (name != known) continue;
      if (!member.is_bool()) return wrong_member(name, "a boolean");
      out.*field = *member.if_bool();
    }
    if (name == kCa) {
      std::optional<std::string> bytes;
      if (member.is_string()) bytes = json::read_base64(*member.if_string());
      if (!bytes) return wrong_member(name, "base64");
      out.certificate_authority_data = *std::move(bytes);
    }
    if (name == "config") out.config = json::dump(member);
  }
  return out;
}

}  // namespace kube::rest

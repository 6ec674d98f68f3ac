// SPDX-License-Identifier: Apache-2.0
#include <kube/config/exec_credential.hpp>

#include <utility>

#include <kube/json/value.hpp>

#include "exec_versions.hpp"

namespace kube::rest {
namespace {

Error info_decode_error(const std::string& why) {
  return {ErrorCode::Config, "decode: " + why};
}

}  // namespace

Result<ExecInfo> load_exec_info(const Environment& environment) {
  const Environment variables = environment ? environment : process_environment();
  const std::string text = variables(kExecInfoVariable).value_or("");
  if (text.empty()) {
    return Error(ErrorCode::Config, std::string(kExecInfoVariable) + " env var is unset or empty");
  }
  return parse_exec_info(text);
}

Result<ExecInfo> parse_exec_info(std::string_view text) {
  const Result<json::Value> document = json::parse(text);
  if (!document) return info_decode_error(document.error().message());
  const std::string version(document->string_at({"apiVersion"}));
  const std::string kind(document->string_at({"kind"}));
  if (version.empty()) return info_decode_error("Object 'apiVersion' is missing");
  if (kind.empty()) return info_decode_error("Object 'kind' is missing");
  const std::string group = version.substr(0, version.find('/'));
  if (group != kExecGroup || kind != "ExecCredential") {
    return Error(ErrorCode::Config, "invalid group/kind: wanted ExecCredential." +
                                        std::string(kExecGroup) + ", got " + kind + "." + group);
  }
  if (!is_exec_version(version)) {
    return info_decode_error("no kind \"ExecCredential\" is registered for version \"" + version +
                             "\"");
  }
  const json::Value* cluster = document->at_path({"spec", "cluster"});
  if (cluster == nullptr || cluster->is_null()) {
    return Error(ErrorCode::Config, "ExecCredential does not contain cluster information");
  }
  Result<ExecCluster> read = exec_cluster_from_json(json::dump(*cluster));
  if (!read) return info_decode_error("spec." + read.error().message());
  ExecInfo info{.api_version = version, .interactive = document->true_at({"spec", "interactive"})};
  info.config = exec_cluster_to_config(*read);
  info.cluster = *std::move(read);
  return info;
}

}  // namespace kube::rest

// SPDX-License-Identifier: Apache-2.0
//
// A folder with an exec credential plugin: a script that prints what the test wants and writes down
// how it was run.
#pragma once

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include <kube/config/credentials.hpp>
#include <kube/json/value.hpp>

#include "temporary_directory.hpp"

namespace kube::rest {

class PluginFolder {
 public:
  PluginFolder() {
    script("plugin",
           "here=$(dirname \"$0\")\n"
           "echo \"$@\" >> \"$here/runs\"\n"
           "printf '%s' \"$KUBERNETES_EXEC_INFO\" > \"$here/info\"\n"
           "printf '%s' \"$SETTING\" > \"$here/setting\"\n"
           "if read -r line; then echo \"read $line\" > \"$here/input\"; fi\n"
           "cat \"$here/answer\"\n");
  }

  /// Returns the path of a shell script.
  std::string script(const std::string& name, const std::string& body) const {
    std::string path = directory_.write(name, "#!/bin/sh\n" + body);
    std::filesystem::permissions(path, std::filesystem::perms::owner_all);
    return path;
  }
  std::string command() const { return directory_ / "plugin"; }

  ExecConfig config() const {
    return {.command = command(),
            .api_version = "client.authentication.k8s.io/v1",
            .interactive_mode = ExecInteractiveMode::Never};
  }

  void print(const std::string& text) const {
    std::filesystem::rename(directory_.write("next", text), directory_ / "answer");
  }
  void print_status(json::Object status,
                    const std::string& version = "client.authentication.k8s.io/v1") const {
    print(json::dump(json::Object{
        {"kind", "ExecCredential"}, {"apiVersion", version}, {"status", std::move(status)}}));
  }
  void print_token(const std::string& token, const std::string& expires = "") const {
    json::Object status{{"token", token}};
    if (!expires.empty()) status.set("expirationTimestamp", expires);
    print_status(std::move(status));
  }

  /// Returns what the last run wrote down; "" without it.
  std::string noted(const std::string& name) const {
    std::ifstream file(directory_ / name, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  }
  long runs() const {
    const std::string lines = noted("runs");
    return std::count(lines.begin(), lines.end(), '\n');
  }
  const TemporaryDirectory& directory() const { return directory_; }

 private:
  TemporaryDirectory directory_;
};

}  // namespace kube::rest

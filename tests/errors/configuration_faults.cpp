// SPDX-License-Identifier: Apache-2.0
//
// What is wrong before anything is sent.
#include <string>
#include <utility>

#include <kube/api/core/v1/pod.hpp>
#include <kube/config/kubeconfig.hpp>

#include "faults.hpp"

namespace errors {
namespace {

using kube::Error;

// A kubeconfig of one context with these entries.
Fault of_kubeconfig(std::string what, const std::string& cluster, const std::string& user) {
  const std::string text =
      "current-context: c\ncontexts: [{name: c, context: {cluster: k, user: u}}]\nclusters: "
      "[{name: k, "
      "cluster: {" +
      cluster + "}}]\nusers: [{name: u, user: {" + user + "}}]\n";
  return {std::move(what), [text] {
            const auto config = kube::kubeconfig::parse(text, "", "/", "/home/me/.kube/config");
            return config ? get(*config) : config.error();
          }};
}

}  // namespace

std::vector<Fault> configuration_faults() {
  const std::string server = "server: \"https://127.0.0.1:1\"";
  std::vector<Fault> faults;
  faults.push_back({"no kubeconfig exists", [] {
                      return error_of(kube::kubeconfig::load(
                          {.environment = [](std::string_view name) -> std::optional<std::string> {
                            if (name == "HOME") return "/nowhere";
                            return std::nullopt;
                          }}));
                    }});
  faults.push_back({"the kubeconfig is not YAML", [] {
                      return error_of(
                          kube::kubeconfig::parse("users: [", "", "/", "/home/me/.kube/config"));
                    }});
  faults.push_back({"the context does not exist", [] {
                      return error_of(kube::kubeconfig::parse("contexts: [{name: a}, {name: b}]",
                                                              "c", "/", "/home/me/.kube/config"));
                    }});
  faults.push_back(of_kubeconfig("the cluster has no server", "server: \"\"", "token: a"));
  faults.push_back(of_kubeconfig("the server's URL has a password",
                                 "server: \"https://me:secret@127.0.0.1\"", "token: a"));
  faults.push_back(of_kubeconfig("the token is not a string", server, "token: [secret]"));
  faults.push_back(of_kubeconfig("the token file is not there", server, "tokenFile: /nowhere"));
  faults.push_back(of_kubeconfig("the exec plugin of the user is not complete", server,
                                 "exec: {command: login}"));
  faults.push_back(of_kubeconfig("the key is not PEM", server,
                                 "client-certificate-data: YQ==, client-key-data: YQ=="));
  faults.push_back(of_kubeconfig("the proxy's password is not encoded",
                                 server + ", proxy-url: \"http://me:a/secret@proxy:3128\"",
                                 "token: a"));
  faults.push_back(of_kubeconfig("the proxy has an unknown scheme",
                                 server + ", proxy-url: \"ftp://me:secret@proxy:21\"", "token: a"));
  faults.push_back({"a name that can't be in a path", [] {
                      const auto client = kube::Client::create({.host = "http://127.0.0.1:1"});
                      return error_of(client->api<kube::core::v1::Pod>("web").get("a/b"));
                    }});
  faults.push_back({"a namespace is missing", [] {
                      const auto client = kube::Client::create({.host = "http://127.0.0.1:1"});
                      return error_of(client->api<kube::core::v1::Pod>().get("front-0"));
                    }});
  return faults;
}

}  // namespace errors

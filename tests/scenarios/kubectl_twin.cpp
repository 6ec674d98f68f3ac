// SPDX-License-Identifier: Apache-2.0
#include "kubectl_twin.hpp"

#include <regex>

#include <kube/api/core/v1/namespace.hpp>
#include <kube/client/api.hpp>
#include <kube/client/apply_manifest.hpp>
#include <kube/client/cached_discovery.hpp>
#include <kube/client/deferred_rest_mapper.hpp>

namespace scenarios {
namespace {

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
    text.replace(at, from.size(), to);
  return text;
}

// Without the word that begins the errors of a program.
std::string without_prefix(const std::string& text, const std::string& prefix) {
  std::string lines = replaced("\n" + text, "\n" + prefix, "\n");
  return lines.substr(1);
}

}  // namespace

std::string ages_hidden(const std::string& table) {
  static const std::regex age("\\b(AGE|(?:[0-9]+[smhdy])+)( +|\n|$)");
  std::string text;
  std::size_t at = 0;
  for (std::sregex_iterator it(table.begin(), table.end(), age), end; it != end; ++it) {
    const auto begin = static_cast<std::size_t>(it->position());
    text += table.substr(at, begin - at) + ((*it)[1] == "AGE" ? "AGE" : "age");
    if (it->length(2) != 0) text += (*it)[2] == "\n" ? "\n" : "  ";
    at = begin + static_cast<std::size_t>(it->length());
  }
  return text + table.substr(at);
}

KubectlTwin::KubectlTwin() {
  kube::core::v1::Namespace twin;
  twin.metadata.name = twin_;
  must(client_.api<kube::core::v1::Namespace>().create(twin));
}

KubectlTwin::~KubectlTwin() {
  static_cast<void>(client_.api<kube::core::v1::Namespace>().delete_(twin_));
}

void KubectlTwin::TearDown() {
  KubecppScenario::TearDown();
  if (uncompared_) {
    GTEST_SKIP() << "there is no kubectl of today in PATH: the outputs were not compared with its";
  }
}

void KubectlTwin::create_both(const std::string& text) {
  const kube::DeferredRestMapper mapper(std::make_shared<kube::MemoryCachedDiscovery>(
      std::make_shared<kube::DiscoveryClient>(client_.rest())));
  for (const std::string& in : {namespace_, twin_}) {
    for (kube::ManifestObject& each : must(kube::read_manifest(text))) {
      each.object.set_namespace(in);
      const auto resource =
          must(mapper.mapping(each.object.gvk().group_kind(), each.object.gvk().version, {}));
      must(client_.api(resource, in).create(each.object));
    }
  }
}

void KubectlTwin::patch_both(const kube::meta::ResourceInfo& resource, const std::string& name,
                             const std::string& patch, bool status) {
  for (const std::string& in : {namespace_, twin_}) {
    if (in == twin_ && !has_kubectl()) continue;  // who creates its objects may be kubectl
    const auto api = client_.api(resource, in);
    const auto document = kube::Patch::merge(must(kube::json::parse(patch)));
    must(status ? api.patch_status(name, document) : api.patch(name, document));
  }
}

KubectlTwin::Arguments KubectlTwin::our_line(Arguments arguments) const {
  arguments.insert(arguments.end(), {"--namespace", namespace_});
  return kubecpp_line(std::move(arguments));
}

KubectlTwin::Arguments KubectlTwin::their_line(Arguments arguments) const {
  arguments.insert(arguments.begin(), "kubectl");
  arguments.insert(arguments.end(), {"--namespace", twin_, "--kubeconfig", kubeconfig_,
                                     "--cache-dir=" + folder_.path("kubectl-cache")});
  return arguments;
}

programs::Outcome KubectlTwin::ours(programs::Outcome outcome) const {
  const std::string err =
      replaced(without_prefix(outcome.err, "kubecpp: "), "kubecpp ", "kubectl ");
  outcome.err = replaced(err, namespace_, "NAMESPACE");
  outcome.out = replaced(outcome.out, namespace_, "NAMESPACE");
  return outcome;
}

programs::Outcome KubectlTwin::theirs(programs::Outcome outcome) const {
  // Its log, such as "I1123 21:17:57.295085 ...", is not its message.
  static const std::regex log("(^|\\n)[IWE][0-9]{4} [^\\n]*");
  std::string err = std::regex_replace(outcome.err, log, "");
  if (err.starts_with('\n')) err.erase(0, 1);
  outcome.err = replaced(without_prefix(err, "error: "), twin_, "NAMESPACE");
  outcome.out = replaced(outcome.out, twin_, "NAMESPACE");
  return outcome;
}

programs::Outcome KubectlTwin::both(const Arguments& arguments,
                                    programs::Program::Options options) const {
  return compared(arguments, std::move(options), [](std::string text) { return text; });
}

programs::Outcome KubectlTwin::both_objects(const Arguments& arguments) const {
  return compared(arguments, {}, [](std::string text) {
    static const std::regex uid("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}");
    static const std::regex version("(\"?resourceVersion\"?: )\"[0-9]+\"");
    static const std::regex time("[0-9]{4}(-[0-9]{2}){2}T[0-9:]{8}(Z|[+-][0-9:]{5})");
    text = std::regex_replace(text, uid, "UID");
    text = std::regex_replace(text, version, "$1\"VERSION\"");
    return std::regex_replace(text, time, "TIME");
  });
}

programs::Outcome KubectlTwin::both_tables(const Arguments& arguments) const {
  return compared(arguments, {}, ages_hidden);
}

programs::Outcome KubectlTwin::compared(
    const Arguments& arguments, programs::Program::Options options,
    const std::function<std::string(std::string)>& shown) const {
  std::string line;
  for (const std::string& each : arguments) line += each + " ";
  SCOPED_TRACE(line);
  programs::Outcome mine = ours(programs::run(our_line(arguments), options));
  mine.out = shown(mine.out);
  if (has_kubectl()) {
    const programs::Outcome other = theirs(programs::run(their_line(arguments), options));
    EXPECT_EQ(mine.out, shown(other.out));
    EXPECT_EQ(mine.err, other.err);
    EXPECT_EQ(mine.status, other.status);
  } else {
    uncompared_ = true;
  }
  return mine;
}

}  // namespace scenarios

// SPDX-License-Identifier: Apache-2.0
#include "client_process.hpp"

#include <cstdint>
#include <utility>

namespace faults {
namespace {

std::string work_of(const Setup& setup) {
  switch (setup.work) {
    case Work::Informer:
      return setup.watch_list ? "watch-list" : "informer";
    case Work::Get:
      return "get";
    case Work::List:
      return "list";
    case Work::Create:
      return "create";
  }
  return {};
}

std::string text_of(const Setup& setup, const std::string& url, const std::string& ca) {
  kube::json::Object text;
  text.set("url", url);
  text.set("ca", ca);
  text.set("work", work_of(setup));
  text.set("idle_ms", std::int64_t{setup.idle_timeout.count()});
  text.set("timeout_ms", std::int64_t{setup.timeout.count()});
  return kube::json::dump(kube::json::Value(std::move(text)));
}

programs::Program::Options with_input() {
  programs::Program::Options options;
  options.stdin_pipe = true;
  return options;
}

}  // namespace

ClientProcess::ClientProcess(const std::string& program, const Setup& setup, const std::string& url,
                             const std::string& ca)
    : program_({program, "--client", text_of(setup, url, ca)}, with_input()) {}

kube::json::Value ClientProcess::figures() {
  const std::string number = std::to_string(++asked_);
  const std::string end = "\nend " + number + "\n";
  if (!program_.write("figures " + number + "\n") || !program_.prints(end)) return {};
  const std::string out = program_.out();
  const std::size_t line_end = out.find(end);
  const std::size_t before = out.rfind('\n', line_end - 1);
  const std::size_t begin = before == std::string::npos ? 0 : before + 1;
  auto value = kube::json::parse(std::string_view(out).substr(begin, line_end - begin));
  return value ? *std::move(value) : kube::json::Value();
}

int ClientProcess::stop() {
  program_.write("stop\n");
  return program_.wait();
}

}  // namespace faults

// SPDX-License-Identifier: Apache-2.0
#include "apiserver_command.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <charconv>
#include <cstdint>
#include <cstdio>
#include <filesystem>

#include "command.hpp"
#include "stop_signal.hpp"

namespace kubecpp {
namespace {

using kube::Error;
using kube::ErrorCode;
using kube::Result;

// Readable by the owner alone: it may hold a token.
Result<void> write_private_file(const std::string& path, const std::string& text) {
  const auto failed = [&](const char* what) {
    return Error(ErrorCode::Config, path + ": cannot be " + what);
  };
  const int file =
      ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, S_IRUSR | S_IWUSR);
  if (file < 0) return failed("created");
  std::size_t written = 0;
  while (written < text.size()) {
    const ssize_t n = ::write(file, text.data() + written, text.size() - written);
    if (n <= 0) break;
    written += static_cast<std::size_t>(n);
  }
  const bool closed = ::close(file) == 0;
  if (!closed || written != text.size()) return failed("written");
  return {};
}

}  // namespace

Result<kube::apiserver::ApiServer::Options> listen_options(const std::string& listen) {
  const auto wrong = [&] {
    return Error(
        ErrorCode::InvalidArgument,
        "--listen " + listen + ": expected ADDRESS:PORT, such as 127.0.0.1:8080 or [::1]:0");
  };
  const std::size_t colon = listen.rfind(':');
  if (colon == std::string::npos) return wrong();
  std::string address = listen.substr(0, colon);
  if (address.starts_with('[') && address.ends_with(']')) {
    address = address.substr(1, address.size() - 2);
    if (address.empty()) return wrong();
  } else if (address.find(':') != std::string::npos) {
    return wrong();
  }
  if (address.empty() || address == "localhost") address = "127.0.0.1";
  const std::string port = listen.substr(colon + 1);
  std::uint16_t number = 0;
  const auto [end, failed] = std::from_chars(port.data(), port.data() + port.size(), number);
  if (port.empty() || failed != std::errc() || end != port.data() + port.size()) return wrong();
  kube::apiserver::ApiServer::Options options;
  options.address = address;
  options.port = number;
  return options;
}

int run_apiserver(const ApiserverOptions& options, Output& out) {
  const example::StopSignal signal;
  auto server_options = listen_options(options.listen);
  if (!server_options) return report(server_options.error());
  // Nobody is served before everything is there.
  const std::vector<std::filesystem::path> files(options.load.begin(), options.load.end());
  server_options->before_listening = [&](kube::apiserver::ApiServer& server) -> Result<void> {
    if (files.empty()) return {};
    const auto loaded = server.load_paths(files);
    // Whatever is wrong with it, it is a file's content and not the call.
    if (!loaded) return Error(ErrorCode::Config, "--load: " + loaded.error().to_string());
    std::fprintf(stderr, "loaded %zu %s\n", *loaded, *loaded == 1 ? "object" : "objects");
    return {};
  };
  auto server = kube::apiserver::ApiServer::start(*server_options);
  if (!server) {
    const bool wrong_address = server.error().code() == ErrorCode::InvalidArgument;
    return report(wrong_address ? server.error().with_context("--listen") : server.error());
  }

  if (!options.kubeconfig_out.empty()) {
    auto written = write_private_file(options.kubeconfig_out, (*server)->kubeconfig());
    if (!written) return report(written.error().with_context("--kubeconfig-out"));
  }
  out.write("listening on " + (*server)->url() + "\n");
  // A server whose address nobody was told is of no use.
  if (out.good()) example::wait_for_stop(signal.token());
  (*server)->stop();
  return out.exit_status(0);
}

}  // namespace kubecpp

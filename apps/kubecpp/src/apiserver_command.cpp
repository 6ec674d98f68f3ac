// SPDX-License-Identifier: Apache-2.0
#include "apiserver_command.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <charconv>
#include <cstdint>
#include <cstdio>

#include <kube/apiserver/api_server.hpp>

#include "command.hpp"
#include "stop_signal.hpp"

namespace kubecpp {
namespace {

using kube::Error;
using kube::ErrorCode;
using kube::Result;

Result<kube::apiserver::ApiServer::Options> listen_options(const std::string& listen) {
  const auto wrong = [&] {
    return Error(
        ErrorCode::InvalidArgument,
        "--listen " + listen + ": expected ADDRESS:PORT, such as 127.0.0.1:8080 or [::1]:0");
  };
  const std::size_t colon = listen.rfind(':');
  if (colon == std::string::npos || colon == 0) return wrong();
  std::string address = listen.substr(0, colon);
  if (address.starts_with('[') && address.ends_with(']')) {
    address = address.substr(1, address.size() - 2);
  } else if (address.find(':') != std::string::npos) {
    return wrong();
  }
  const std::string port = listen.substr(colon + 1);
  std::uint16_t number = 0;
  const auto [end, failed] = std::from_chars(port.data(), port.data() + port.size(), number);
  if (port.empty() || failed != std::errc() || end != port.data() + port.size()) return wrong();
  kube::apiserver::ApiServer::Options options;
  options.address = address;
  options.port = number;
  return options;
}

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

int run_apiserver(const ApiserverOptions& options) {
  const StopSignal signal;
  auto server_options = listen_options(options.listen);
  if (!server_options) return report(server_options.error());
  auto server = kube::apiserver::ApiServer::start(*server_options);
  if (!server) return report(server.error());

  for (const std::string& path : options.load) {
    auto loaded = (*server)->load_path(path);
    if (!loaded) return report(loaded.error().with_context("--load"));
    std::fprintf(stderr, "loaded %zu objects from %s\n", *loaded, path.c_str());
  }
  if (!options.kubeconfig_out.empty()) {
    auto written = write_private_file(options.kubeconfig_out, (*server)->kubeconfig());
    if (!written) return report(written.error().with_context("--kubeconfig-out"));
  }
  std::printf("listening on %s\n", (*server)->url().c_str());
  std::fflush(stdout);

  wait_for_stop(signal.token());
  (*server)->stop();
  return 0;
}

}  // namespace kubecpp

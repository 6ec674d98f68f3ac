// SPDX-License-Identifier: Apache-2.0
#include "apiserver_command.hpp"

#include <memory>

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <stop_token>
#include <string_view>
#include <system_error>

#include <kube/base/log.hpp>
#include <kube/base/stop.hpp>
#include <kube/base/stop_signal.hpp>

#include "command.hpp"
#include "error_output.hpp"
#include "flags.hpp"

namespace kubecpp {
namespace {

using kube::Error;
using kube::ErrorCode;
using kube::Result;

// Only the owner can read it, because it may contain a token; pipes and devices keep their mode.
Result<void> write_private_file(const std::string& path, const std::string& text) {
  const auto failed = [&](const char* what) {
    return Error(ErrorCode::Config,
                 path + ": cannot be " + what + ": " + std::generic_category().message(errno));
  };
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, S_IRUSR | S_IWUSR);
  if (file < 0) return failed("created");
  struct stat known {};
  bool good = ::fstat(file, &known) == 0;
  if (good && S_ISREG(known.st_mode)) {
    good = ::fchmod(file, S_IRUSR | S_IWUSR) == 0 && ::ftruncate(file, 0) == 0;
  }
  std::string_view rest = text;
  while (good && !rest.empty()) {
    const ssize_t n = ::write(file, rest.data(), rest.size());
    if (n > 0) rest.remove_prefix(static_cast<std::size_t>(n));
    good = n >= 0 || errno == EINTR;
  }
  Result<void> written;
  if (!good) written = failed("written");
  if (::close(file) != 0 && good) written = failed("written");
  return written;
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

std::string exposure_warning(const std::string& address) {
  in_addr four{};
  in6_addr six{};
  bool loopback = true;  // also for text that is not an address
  if (::inet_pton(AF_INET, address.c_str(), &four) == 1) {
    loopback = (ntohl(four.s_addr) >> 24U) == 127;
  } else if (::inet_pton(AF_INET6, address.c_str(), &six) == 1) {
    loopback = IN6_IS_ADDR_LOOPBACK(&six) || (IN6_IS_ADDR_V4MAPPED(&six) && six.s6_addr[12] == 127);
  }
  if (loopback) return {};
  return "Warning: --listen " + address +
         ": anyone who can reach this address over the network has full access to the server; use "
         "127.0.0.1 to restrict it to this machine";
}

int run_apiserver(const ApiserverOptions& options, Output& out) {
  const kube::StopSignal signal;
  auto server_options = listen_options(options.listen);
  if (!server_options) return report(server_options.error());
  server_options->host_names = options.host_names;
  // The objects are loaded before the server accepts requests.
  std::vector<std::filesystem::path> files;
  for (const std::string& file : options.load) files.push_back(file == "-" ? "/dev/stdin" : file);
  server_options->load_warning = [](std::string_view text) {
    std::fprintf(stderr, "Warning: %s\n", printable(text).c_str());
  };
  server_options->runtime.logger = kube::stderr_logger(kube::LogLevel::Warning);
  server_options->before_listening = [&](kube::apiserver::ApiServer& server) -> Result<void> {
    if (files.empty()) return {};
    const auto loaded = server.load_paths(files, signal.token());
    // Every error here is about the content of a file, not about the command line.
    if (!loaded) return Error(ErrorCode::Config, "--load: " + loaded.error().to_string());
    std::fprintf(stderr, "loaded %zu %s\n", *loaded, *loaded == 1 ? "object" : "objects");
    return {};
  };
  // Before the server listens there is nothing to clean up, and the file may be a pipe that has no
  // writer.
  std::optional<std::stop_callback<void (*)()>> leave_at_once;
  leave_at_once.emplace(signal.token(), [] {
    print_error("interrupted");
    std::_Exit(130);
  });
  if (const std::string warning = exposure_warning(server_options->address); !warning.empty()) {
    std::fprintf(stderr, "%s\n", printable(warning).c_str());
  }
  auto server = kube::apiserver::ApiServer::start(*server_options);
  leave_at_once.reset();
  if (!server) {
    const bool wrong_address = server.error().code() == ErrorCode::InvalidArgument;
    return report(wrong_address ? server.error().with_context("--listen") : server.error());
  }

  if (!options.kubeconfig_out.empty()) {
    auto written = write_private_file(options.kubeconfig_out, (*server)->kubeconfig());
    if (!written) return report(written.error().with_context("--kubeconfig-out"));
  }
  out.write("listening on " + (*server)->url() + "\n");
  // A server whose address was not printed is useless.
  if (out.good()) kube::wait_for_stop(signal.token());
  (*server)->stop();
  return out.exit_status(0);
}

Runner add_apiserver(CLI::App& command) {
  const auto options = std::make_shared<ApiserverOptions>();
  ApiserverOptions& apiserver = *options;
  command
      .add_option("--listen", apiserver.listen,
                  "Address and port to listen on; port 0 picks a free one")
      ->capture_default_str();
  command
      .add_option("--load", apiserver.load,
                  "JSON or YAML file, or directory of such files, to load before the server "
                  "listens; at most "
                  "256 MiB each; - reads standard input")
      ->check(kNotEmpty);
  command
      .add_option("--host-name", apiserver.host_names,
                  "Host name with a dot that clients may use; other names get 403; * allows any")
      ->check(kNotEmpty);
  command
      .add_option("--kubeconfig-out", apiserver.kubeconfig_out,
                  "File to write a kubeconfig for this server to")
      ->check(kNotEmpty);
  return [options](Output& out) { return run_apiserver(*options, out); };
}

}  // namespace kubecpp

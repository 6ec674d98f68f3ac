// SPDX-License-Identifier: Apache-2.0
#include <kube/config/transport_for.hpp>

namespace kube::rest {

transport::CurlTransport::Options transport_options(const Config& config,
                                                    const Environment& environment) {
  const Environment variables = environment ? environment : process_environment();
  transport::CurlTransport::Options options;
  options.tls = config.tls;
  options.proxy_url = config.proxy_url;
  options.compression = !config.disable_compression;
  options.http2 = variables("DISABLE_HTTP2").value_or("").empty();
  return options;
}

Result<std::shared_ptr<transport::RoundTripper>> transport_for(
    const Config& config, const Runtime& runtime, std::shared_ptr<transport::RoundTripper> base) {
  if (auto valid = validate(config); !valid) return valid.error();
  if (!base) {
    auto made = transport::CurlTransport::create(transport_options(config));
    if (!made) {
      return config.origin.empty() ? made.error() : made.error().with_context(config.origin);
    }
    base = *std::move(made);
  }
  return authenticated(config, runtime, std::move(base));
}

}  // namespace kube::rest

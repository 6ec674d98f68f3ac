// SPDX-License-Identifier: Apache-2.0
#include <kube/transport/curl_transport.hpp>

#include <utility>

#include <kube/transport/url.hpp>

#include "curl_exchange.hpp"
#include "io_loop.hpp"
#include "proxy.hpp"
#include "tls_rotation.hpp"

namespace kube::transport {
namespace {

Result<ProxyRules> proxy_rules(const std::string& proxy_url) {
  if (proxy_url.empty()) return ProxyRules::from_environment();
  Result<Proxy> proxy = Proxy::parse(proxy_url);
  if (proxy) return ProxyRules::always(*std::move(proxy));
  return Error(ErrorCode::Config,
               "the proxy URL " + printable_server_url(proxy_url) +
                   " is invalid: " + proxy.error().message() +
                   "; expected SCHEME://[user:password@]host[:port], where SCHEME is http, "
                   "https or socks5");
}

}  // namespace

struct CurlTransport::Impl {
  std::shared_ptr<CurlShared> shared;
  std::shared_ptr<IoLoop> loop;
};

Result<std::shared_ptr<CurlTransport>> CurlTransport::create(Options options) {
  if (!options.clock) options.clock = real_clock();
  Result<std::shared_ptr<TlsRotation>> tls = TlsRotation::create(options.tls, options.logger);
  if (!tls) return tls.error();
  Result<ProxyRules> proxy = proxy_rules(options.proxy_url);
  if (!proxy) return proxy.error();
  auto shared = std::make_shared<CurlShared>(
      CurlSettings{std::move(options), *std::move(tls), *std::move(proxy)});
  Result<std::shared_ptr<IoLoop>> loop = IoLoop::create(shared);
  if (!loop) return loop.error();
  auto impl = std::make_unique<Impl>(Impl{std::move(shared), *std::move(loop)});
  return std::shared_ptr<CurlTransport>(new CurlTransport(std::move(impl)));
}

CurlTransport::CurlTransport(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

// While the destructor waits, handlers may still call start().
CurlTransport::~CurlTransport() {
  impl_->loop->stop();
}

std::shared_ptr<Exchange> CurlTransport::start(HttpRequest request,
                                               std::shared_ptr<ResponseHandler> handler,
                                               std::stop_token stop) {
  const std::shared_ptr<CommandQueue>& queue = impl_->loop->queue();
  auto exchange =
      std::make_shared<CurlExchange>(impl_->shared, queue, std::move(request), std::move(handler));
  impl_->shared->counters.requests.fetch_add(1, std::memory_order_relaxed);
  exchange->listen(std::move(stop));
  queue->post({Command::Verb::Start, exchange});
  return exchange;
}

Result<void> CurlTransport::replace_tls(TlsConfig tls) {
  if (Result<void> replaced = impl_->shared->settings.tls->replace(std::move(tls)); !replaced) {
    return replaced;
  }
  impl_->loop->queue()->post({Command::Verb::UseNewTls, nullptr});
  return {};
}

CurlTransport::Stats CurlTransport::stats() const {
  const CurlCounters& counters = impl_->shared->counters;
  Stats stats;
  stats.requests = counters.requests.load(std::memory_order_relaxed);
  stats.connections = counters.connections.load(std::memory_order_relaxed);
  stats.http2_responses = counters.http2_responses.load(std::memory_order_relaxed);
  stats.bytes_received = counters.bytes_received.load(std::memory_order_relaxed);
  return stats;
}

}  // namespace kube::transport

// SPDX-License-Identifier: Apache-2.0
#include <kube/certificate/manager.hpp>

#include <algorithm>
#include <stop_token>
#include <utility>

#include <kube/api/certificates/v1/certificate_signing_request.hpp>
#include <kube/base/call_user_code.hpp>
#include <kube/base/mutex.hpp>
#include <kube/base/stop.hpp>
#include <kube/base/wait.hpp>
#include <kube/base/worker_thread.hpp>
#include <kube/certificate/signing_request.hpp>
#include <kube/meta/errors.hpp>

#include "rotation_rules.hpp"

namespace kube::certificate {
namespace {

using namespace std::chrono_literals;
using certificates::v1::KeyUsage;

constexpr Duration kWaitForCertificate = 15min;
constexpr Duration kRetryPeriod = 32s;
constexpr Duration kLoopPeriod = 1s;
constexpr Backoff::Options kRotationBackoff{
    .initial = 2s, .cap = Duration::zero(), .factor = 2, .jitter = 0.1, .steps = 5};

std::vector<std::string> usages_for(const PrivateKey& key, std::string_view purpose) {
  std::vector<std::string> usages{std::string(KeyUsage::DigitalSignature)};
  if (key.type() == KeyType::Rsa) usages.emplace_back(KeyUsage::KeyEncipherment);
  usages.emplace_back(purpose);
  return usages;
}

bool is_healthy(const Error& error) {
  return is_unauthorized(error) || is_forbidden(error) || is_not_found(error);
}

std::string log_name(const ManagerOptions& options) {
  if (!options.name.empty()) return options.name;
  if (!options.signer_name.empty()) return options.signer_name;
  const auto& usages = options.usages;
  const bool client = std::find(usages.begin(), usages.end(), KeyUsage::ClientAuth) != usages.end();
  return client ? "client auth" : "certificate";
}

}  // namespace

std::vector<std::string> client_usages(const PrivateKey& key) {
  return usages_for(key, KeyUsage::ClientAuth);
}
std::vector<std::string> serving_usages(const PrivateKey& key) {
  return usages_for(key, KeyUsage::ServerAuth);
}

class Manager::Impl {
 public:
  explicit Impl(ManagerOptions options)
      : options_(std::move(options)),
        clock_(options_.runtime.executor ? options_.runtime.clock() : real_clock()),
        name_(log_name(options_)),
        lived_(options_.runtime.metrics, "certificate_manager_rotation_seconds", {{"name", name_}}),
        failures_(options_.runtime.metrics, "certificate_manager_renew_errors_total",
                  {{"name", name_}}) {}

  Result<void> load();
  void start();
  void stop() { stop_.request_stop(); }
  void join();

  Optional<KeyPair> current() const;
  bool server_healthy() const;
  std::optional<WallTime> next_rotation() const;

 private:
  Result<Optional<KeyPair>> stored() const;
  Optional<RequestTemplate> wanted() const;
  bool satisfied(const Optional<RequestTemplate>& wanted) const;
  WallTime next_deadline();
  bool wait_for_deadline(const std::stop_token& stop);
  void rotate_when_due(const std::stop_token& stop);
  void look_at_template();
  bool attempt(const std::stop_token& stop);
  Result<KeyPair> request_pair(const std::stop_token& stop);
  Result<PrivateKey> new_key() const;
  Result<std::string> signed_certificate(const RequestTemplate& names, const PrivateKey& key,
                                         const std::string& request, const std::stop_token& stop);
  void log_error(std::string_view message, const Error& error) const;

  const ManagerOptions options_;
  const std::shared_ptr<Clock> clock_;
  const std::string name_;
  const metrics::Histogram lived_;
  const metrics::Counter failures_;
  bool force_rotation_ = false;  // the rotating thread's

  mutable Mutex mutex_;
  CondVar changed_;
  Optional<KeyPair> pair_ KUBE_GUARDED_BY(mutex_);
  bool healthy_ KUBE_GUARDED_BY(mutex_) = false;
  bool template_changed_ KUBE_GUARDED_BY(mutex_) = false;
  bool started_ KUBE_GUARDED_BY(mutex_) = false;
  std::optional<WallTime> next_ KUBE_GUARDED_BY(mutex_);
  Optional<RequestTemplate> last_request_ KUBE_GUARDED_BY(mutex_);
  std::stop_source waiting_ KUBE_GUARDED_BY(mutex_);  // of the last request

  std::stop_source stop_;
  WorkerThread rotating_;
  WorkerThread watching_;  // the template
};

void Manager::Impl::log_error(std::string_view message, const Error& error) const {
  KUBE_LOG(options_.runtime.logger, LogLevel::Error, "certificate", message, {"certificate", name_},
           {"error", error.to_string()});
}

// The store's pair, or nothing when it has none that is valid.
Result<Optional<KeyPair>> Manager::Impl::stored() const {
  auto pair = call_user_code("the certificate store", [&] { return options_.store->current(); });
  if (!pair) {
    if (is_no_certificate(pair.error())) return Optional<KeyPair>();
    return pair.error();
  }
  if (clock_->wall_now() >= pair->leaf().not_after()) return Optional<KeyPair>();
  return Optional<KeyPair>(*std::move(pair));
}

Result<void> Manager::Impl::load() {
  auto pair = stored();
  if (!pair) return pair.error();
  force_rotation_ = !pair->has_value();
  if (force_rotation_ && !options_.bootstrap_certificate.empty() &&
      !options_.bootstrap_key.empty()) {
    auto bootstrap = KeyPair::from_pem(options_.bootstrap_certificate, options_.bootstrap_key);
    if (!bootstrap) return bootstrap.error().with_context("the bootstrap certificate");
    const auto kept = call_user_code("the certificate store", [&] {
      return options_.store->update(options_.bootstrap_certificate, options_.bootstrap_key);
    });
    if (!kept) log_error("unable to store the bootstrap certificate", kept.error());
    *pair = *std::move(bootstrap);
  }
  const MutexLock lock(mutex_);
  pair_ = *std::move(pair);
  return {};
}

void Manager::Impl::start() {
  if (!options_.client) return;
  const MutexLock lock(mutex_);
  if (std::exchange(started_, true)) return;
  const std::stop_token stop = stop_.get_token();
  rotating_ = WorkerThread("kube-cert", [this, stop] {
    repeat_until(
        *clock_, {.period = kLoopPeriod}, [&] { rotate_when_due(stop); }, stop);
  });
  if (!options_.get_template) return;
  watching_ = WorkerThread("kube-cert-tmpl", [this, stop] {
    repeat_until(
        *clock_, {.period = kLoopPeriod}, [&] { look_at_template(); }, stop);
  });
}

void Manager::Impl::join() {
  stop();
  rotating_.join();
  watching_.join();
}

Optional<KeyPair> Manager::Impl::current() const {
  const MutexLock lock(mutex_);
  if (pair_ && clock_->wall_now() > pair_->leaf().not_after()) return std::nullopt;
  return pair_;
}

bool Manager::Impl::server_healthy() const {
  const MutexLock lock(mutex_);
  return healthy_;
}

std::optional<WallTime> Manager::Impl::next_rotation() const {
  const MutexLock lock(mutex_);
  return next_;
}

Optional<RequestTemplate> Manager::Impl::wanted() const {
  if (!options_.get_template) return options_.request;
  auto wanted = call_user_code("get_template", [&]() -> Result<Optional<RequestTemplate>> {
    return options_.get_template();
  });
  if (wanted) return *std::move(wanted);
  log_error("no template of the certificate", wanted.error());
  return std::nullopt;
}

bool Manager::Impl::satisfied(const Optional<RequestTemplate>& wanted) const {
  Optional<KeyPair> pair;
  {
    const MutexLock lock(mutex_);
    pair = pair_;
  }
  return pair && (!wanted || satisfies(pair->leaf(), *wanted));
}

// Rotation happens between 70 % and 90 % of the certificate's life, so that programs that were
// started together do not all ask at once.
WallTime Manager::Impl::next_deadline() {
  if (std::exchange(force_rotation_, false)) return clock_->wall_now();
  if (!satisfied(wanted())) return clock_->wall_now();
  const double part = 0.7 + 0.2 * options_.runtime.random();
  const MutexLock lock(mutex_);
  const Certificate& leaf = pair_->leaf();
  const double life = static_cast<double>((leaf.not_after() - leaf.not_before()).count());
  return leaf.not_before() + Duration(static_cast<Duration::rep>(life * part));
}

// False when there is nothing to rotate.
bool Manager::Impl::wait_for_deadline(const std::stop_token& stop) {
  const WallTime deadline = next_deadline();
  const Duration left = deadline - clock_->wall_now();
  if (left <= Duration::zero()) return true;
  Optional<RequestTemplate> requested;
  {
    MutexLock lock(mutex_);
    next_ = deadline;
    const WaitStatus status =
        clock_->wait_until(lock, changed_, deadline_after(clock_->now(), left), stop,
                           [this]() KUBE_REQUIRES(mutex_) { return template_changed_; });
    next_ = std::nullopt;
    if (status == WaitStatus::Stopped) return false;
    if (status == WaitStatus::TimedOut) return true;
    template_changed_ = false;
    requested = last_request_;
  }
  // It may have been requested meanwhile.
  return !(requested == wanted());
}

void Manager::Impl::rotate_when_due(const std::stop_token& stop) {
  if (!wait_for_deadline(stop) || !wanted()) return;
  const WaitCondition rotated = [this](const std::stop_token& token) -> Result<bool> {
    return attempt(token);
  };
  const auto done =
      exponential_backoff(*clock_, kRotationBackoff, rotated, stop, options_.runtime.random);
  if (done || stop.stop_requested()) return;
  log_error("reached backoff limit, still unable to rotate certificates", done.error());
  // Ends with success or the stop.
  static_cast<void>(poll_until(*clock_, kRetryPeriod, false, rotated, stop));
}

// Every second: a template that neither the certificate nor the last request has ends the waiting.
void Manager::Impl::look_at_template() {
  const Optional<RequestTemplate> now = wanted();
  if (satisfied(now)) return;
  std::stop_source outdated;
  {
    const MutexLock lock(mutex_);
    if (last_request_ == now) return;
    template_changed_ = true;
    outdated = waiting_;
  }
  outdated.request_stop();
  changed_.notify_all();
}

bool Manager::Impl::attempt(const std::stop_token& stop) {
  auto pair = request_pair(stop);
  if (!pair) {
    if (stop.stop_requested()) return false;
    log_error("unable to rotate the certificate", pair.error());
    failures_.add();
    return false;
  }
  KUBE_LOG(options_.runtime.logger, LogLevel::Info, "certificate", "rotated the certificate",
           {"certificate", name_});
  Optional<KeyPair> old;
  {
    const MutexLock lock(mutex_);
    old = std::exchange(pair_, Optional<KeyPair>(*std::move(pair)));
    healthy_ = true;
  }
  if (old) {
    const Duration lived = clock_->wall_now() - old->leaf().not_before();
    lived_.observe(std::chrono::duration<double>(lived).count());
  }
  return true;
}

Result<PrivateKey> Manager::Impl::new_key() const {
  auto key = options_.generate_key ? call_user_code("generate_key", options_.generate_key)
                                   : PrivateKey::generate();
  if (!key) return key.error().with_context("unable to generate a new private key");
  const auto strong = check_strength(*key);
  if (!strong) return strong.error();
  return key;
}

Result<KeyPair> Manager::Impl::request_pair(const std::stop_token& stop) {
  const auto key = new_key();
  if (!key) return key.error();
  const Optional<RequestTemplate> names = wanted();
  if (!names) {
    return Error(ErrorCode::Config, "unable to create a csr, no template available");
  }
  const auto request = make_request(*key, *names);
  if (!request) return request.error().with_context("unable to create a csr");
  const auto certificate = signed_certificate(*names, *key, *request, stop);
  if (!certificate) return certificate.error();
  return call_user_code("the certificate store",
                        [&] { return options_.store->update(*certificate, key->pem()); })
      .with_context("unable to store the new certificate");
}

Result<std::string> Manager::Impl::signed_certificate(const RequestTemplate& names,
                                                      const PrivateKey& key,
                                                      const std::string& request,
                                                      const std::stop_token& stop) {
  const auto client = call_user_code("client", [&] { return options_.client(current()); });
  if (!client) return client.error().with_context("unable to load a client");
  const auto usages = call_user_code("get_usages", [&]() -> Result<std::vector<std::string>> {
    return options_.get_usages ? options_.get_usages(key) : options_.usages;
  });
  if (!usages) return usages.error();
  const SigningRequest wanted{.request = request,
                              .signer_name = options_.signer_name,
                              .lifetime = options_.requested_lifetime,
                              .usages = *usages};
  const auto submitted = request_certificate(*client, wanted, key, stop);
  if (!submitted) {
    const MutexLock lock(mutex_);
    healthy_ = is_healthy(submitted.error());
    return submitted.error();
  }
  StopGroup ended({stop});
  const std::stop_source outdated;
  ended.add(outdated.get_token());
  {
    const MutexLock lock(mutex_);
    last_request_ = names;
    waiting_ = outdated;
  }
  return wait_for_certificate(*client, *submitted, kWaitForCertificate, ended.token());
}

Result<std::unique_ptr<Manager>> Manager::create(ManagerOptions options) {
  const bool has_function = static_cast<bool>(options.get_usages);
  if (has_function && !options.usages.empty()) {
    return Error(ErrorCode::InvalidArgument, "cannot specify both get_usages and usages");
  }
  if (!has_function && options.usages.empty()) {
    return Error(ErrorCode::InvalidArgument, "either get_usages or usages should be specified");
  }
  if (!options.store) return Error(ErrorCode::InvalidArgument, "the certificate store is missing");
  auto impl = std::make_shared<Impl>(std::move(options));
  const Result<void> loaded = impl->load();
  if (!loaded) return loaded.error();
  return std::unique_ptr<Manager>(new Manager(std::move(impl)));
}

Manager::Manager(std::shared_ptr<Impl> impl) : impl_(std::move(impl)) {}
Manager::~Manager() {
  stop_and_wait();
}
void Manager::start() {
  impl_->start();
}
void Manager::stop() {
  impl_->stop();
}
void Manager::stop_and_wait() {
  impl_->join();
}
Optional<KeyPair> Manager::current() const {
  return impl_->current();
}
bool Manager::server_healthy() const {
  return impl_->server_healthy();
}
std::optional<WallTime> Manager::next_rotation() const {
  return impl_->next_rotation();
}

}  // namespace kube::certificate

// SPDX-License-Identifier: Apache-2.0
#include "client.hpp"

#include <sys/resource.h>

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <iostream>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <kube/api/core/v1/pod.hpp>
#include <kube/cache/shared_informer.hpp>
#include <kube/client/client.hpp>
#include <kube/json/value.hpp>

#include "caller.hpp"

namespace faults {
namespace {

using kube::core::v1::Pod;
using kube::json::Array;
using kube::json::Object;
using kube::json::Value;

// Counts lines, and keeps the last that tells of an error.
class CountingLogger final : public kube::Logger {
 public:
  bool enabled(kube::LogLevel level, std::string_view /*component*/) const override {
    return level >= kube::LogLevel::Info;
  }
  void write(const kube::LogRecord& record) override {
    const std::lock_guard lock(mutex_);
    ++lines_;
    for (const kube::LogField& field : record.fields) {
      if (field.key == "error") last_error_ = field.value;
    }
  }
  std::size_t lines() const {
    const std::lock_guard lock(mutex_);
    return lines_;
  }
  std::string last_error() const {
    const std::lock_guard lock(mutex_);
    return last_error_;
  }

 private:
  mutable std::mutex mutex_;
  std::size_t lines_ = 0;
  std::string last_error_;
};

// The informer of a program, with a handler that only counts.
class InformerClient final : public ClientWork {
 public:
  InformerClient(const kube::Client& client, const Value& setup)
      : informer_(client.rest(), options(setup)) {
    informer_
        .set_watch_error_handler([this](const kube::Error& error) {
          const std::lock_guard lock(mutex_);
          ++reports_;
          last_report_ = error.to_string();
        })
        .value();
    registration_ = informer_.add_event_handler(
        {.on_add = [this](const auto& /*pod*/, bool /*initial*/) { ++told_; },
         .on_update = [this](const auto& /*before*/, const auto& /*pod*/) { ++told_; },
         .on_delete = [this](const auto& /*deleted*/) { ++told_; }});
  }

  void start() override { informer_.start().value(); }
  void stop() override { informer_.stop_and_wait(); }

  std::vector<std::string> view() const override {
    std::vector<std::string> lines;
    for (const auto& pod : informer_.lister().list()) {
      lines.push_back(line_of(pod.namespace_(), pod.name(), pod.resource_version()));
    }
    std::sort(lines.begin(), lines.end());
    return lines;
  }

  void describe(Object& into) const override {
    const kube::InformerStatus status = informer_.status();
    into.set("state", kube::to_string(status.state));
    into.set("synced", status.synced);
    into.set("objects", static_cast<std::int64_t>(status.objects));
    into.set("events", static_cast<std::int64_t>(status.events));
    into.set("told", static_cast<std::int64_t>(told_.load()));
    const std::lock_guard lock(mutex_);
    into.set("reports", static_cast<std::int64_t>(reports_));
    into.set("said", status.last_error ? status.last_error->to_string() : last_report_);
  }

 private:
  static kube::InformerOptions options(const Value& setup) {
    kube::InformerOptions options;
    options.watch_idle_timeout =
        std::chrono::milliseconds(setup.int_at({"idle_ms"}).value_or(90'000));
    options.watch_list = setup.string_at({"work"}) == "watch-list";
    return options;
  }

  kube::SharedInformer<Pod> informer_;
  std::optional<kube::HandlerRegistration> registration_;
  std::atomic<std::size_t> told_{0};
  mutable std::mutex mutex_;
  std::size_t reports_ = 0;
  std::string last_report_;
};

std::int64_t kibibytes(std::string_view key) {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with(key)) return std::stoll(line.substr(key.size() + 1));
  }
  return -1;
}

std::int64_t cpu_microseconds() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  const auto micros = [](const timeval& time) {
    return std::int64_t{time.tv_sec} * 1'000'000 + time.tv_usec;
  };
  return micros(usage.ru_utime) + micros(usage.ru_stime);
}

std::string figures(const ClientWork& work, const CountingLogger& logger) {
  Object all;
  all.set("cpu_us", cpu_microseconds());
  all.set("peak_kib", kibibytes("VmHWM:"));
  all.set("resident_kib", kibibytes("VmRSS:"));
  all.set("log_lines", static_cast<std::int64_t>(logger.lines()));
  all.set("logged", logger.last_error());
  work.describe(all);
  Array view;
  for (std::string& line : work.view()) view.emplace_back(std::move(line));
  constexpr std::size_t kShown = 20;
  if (view.size() > kShown) view.resize(kShown);
  all.set("view", std::move(view));
  return kube::json::dump(Value(std::move(all)));
}

kube::Client make_client(const Value& setup, std::shared_ptr<kube::Logger> logger) {
  kube::rest::Config config;
  config.host = setup.string_at({"url"});
  config.tls.ca.data = setup.string_at({"ca"});
  config.timeout = std::chrono::milliseconds(setup.int_at({"timeout_ms"}).value_or(0));
  kube::ClientOptions options;
  options.runtime.logger = std::move(logger);
  return kube::Client::create(config, std::move(options)).value();
}

}  // namespace

int run_client(const std::string& setup_text) {
  const Value setup = kube::json::parse(setup_text).value();
  const auto logger = std::make_shared<CountingLogger>();
  const kube::Client client = make_client(setup, logger);
  const std::string_view kind = setup.string_at({"work"});
  std::unique_ptr<ClientWork> work;
  if (kind == "informer" || kind == "watch-list") {
    work = std::make_unique<InformerClient>(client, setup);
  } else {
    work = std::make_unique<Caller>(client, kind);
  }
  for (std::string line; std::getline(std::cin, line);) {
    if (line == "start") work->start();
    if (line == "stop") break;
    if (line.starts_with("figures")) {
      std::cout << figures(*work, *logger) << "\nend" << line.substr(7) << std::endl;
    }
  }
  work->stop();
  return 0;
}

}  // namespace faults

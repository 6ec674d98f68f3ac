// SPDX-License-Identifier: Apache-2.0
#include "log_printer.hpp"

#include <optional>
#include <utility>

#include <kube/base/mutex.hpp>
#include <kube/base/stop.hpp>
#include <kube/base/worker_thread.hpp>

#include "error_output.hpp"

namespace kubecpp {
namespace {

using kube::Error;
using kube::ErrorCode;
using kube::Result;

// The first error of several threads, which ends all of them.
class FirstError {
 public:
  void set(const Error& error) {
    {
      const kube::MutexLock lock(mutex_);
      if (!error_) error_ = error;
    }
    others_.request_stop();
  }
  std::stop_token token() const { return others_.get_token(); }
  std::optional<Error> get() const {
    const kube::MutexLock lock(mutex_);
    return error_;
  }

 private:
  std::stop_source others_;
  mutable kube::Mutex mutex_;
  std::optional<Error> error_ KUBE_GUARDED_BY(mutex_);
};

}  // namespace

Result<void> LogPrinter::copy(const LogSource& source, const std::stop_token& stop) {
  auto stream = source.request.stream(stop);
  if (!stream) return stream.error();
  LineWriter lines(options_.prefix ? source.prefix : std::string(),
                   [this](std::string_view text) { return out_.write(text); });
  while (auto text = stream->next(stop)) {
    if (!*text) {
      lines.finish();
      return text->error();
    }
    if (!lines.add(**text)) return {};
  }
  lines.finish();
  return {};
}

Result<void> LogPrinter::print_one(const LogSource& source, const std::stop_token& stop) {
  const auto begin = clock_.now();
  for (;;) {
    auto copied = copy(source, stop);
    if (copied || stop.stop_requested() || !out_.good()) return copied;
    if (options_.ignore_errors) {
      out_.write(printable("error: " + copied.error().message()) + "\n");
      return {};
    }
    if (!options_.follow) return copied;
    print_note(copied.error().message());
    if (copied.error().code() != ErrorCode::Server) return copied;
    if (clock_.now() - begin >= options_.retry_for) {
      return Error(ErrorCode::Timeout, "context deadline exceeded");
    }
    if (clock_.sleep_for(std::chrono::seconds(1), stop) == kube::WaitStatus::Stopped) {
      return Error(ErrorCode::Cancelled, "interrupted");
    }
  }
}

Result<void> LogPrinter::print_at_once(const std::vector<LogSource>& sources,
                                       const std::stop_token& stop) {
  FirstError failed;
  kube::StopGroup ended({stop, failed.token()});
  const auto follow = [&](const LogSource& source) {
    if (auto printed = print_one(source, ended.token()); !printed) failed.set(printed.error());
    if (!out_.good()) failed.set(Error(ErrorCode::Cancelled, "nobody reads the output"));
  };
  {
    std::vector<kube::WorkerThread> threads;  // joined here
    for (std::size_t i = 1; i < sources.size(); ++i) {
      threads.emplace_back("kubecpp-log", [&follow, &source = sources[i]] { follow(source); });
    }
    follow(sources.front());
  }
  if (const auto error = failed.get(); error && out_.good()) return *error;
  return {};
}

Result<void> LogPrinter::print(const std::vector<LogSource>& sources, const std::stop_token& stop) {
  if (options_.follow && sources.size() > 1) return print_at_once(sources, stop);
  for (const LogSource& source : sources) {
    if (auto printed = print_one(source, stop); !printed) return printed;
    if (!out_.good()) return {};
  }
  return {};
}

}  // namespace kubecpp

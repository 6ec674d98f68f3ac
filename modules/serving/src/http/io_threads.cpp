// SPDX-License-Identifier: Apache-2.0
#include "http/io_threads.hpp"

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/strand.hpp>
#include <string>
#include <utility>

namespace kube::serving {
namespace {

namespace asio = boost::asio;

class IoTimer final : public Timer::State, public std::enable_shared_from_this<IoTimer> {
 public:
  explicit IoTimer(asio::io_context& context) : timer_(asio::make_strand(context)) {}

  void start(TimePoint when, Task task) {
    asio::post(timer_.get_executor(),
               [self = shared_from_this(), when, task = std::move(task)]() mutable {
                 self->wait(when, std::move(task));
               });
  }
  void cancel() override {
    if (cancelled_.exchange(true)) return;
    asio::post(timer_.get_executor(), [self = shared_from_this()] { self->timer_.cancel(); });
  }

 private:
  void wait(TimePoint when, Task task) {
    if (cancelled_.load()) return;
    timer_.expires_at(std::chrono::time_point_cast<std::chrono::steady_clock::duration>(when));
    timer_.async_wait([self = shared_from_this(),
                       task = std::move(task)](const boost::system::error_code& error) {
      if (!error && !self->cancelled_.load()) task();
    });
  }

  asio::steady_timer timer_;  // used on its strand
  std::atomic<bool> cancelled_{false};
};

class IoExecutor final : public Executor {
 public:
  explicit IoExecutor(asio::io_context& context) : context_(context) {}
  void submit(Task task) override { asio::post(context_, std::move(task)); }
  [[nodiscard]] Timer submit_at(TimePoint when, Task task) override {
    auto timer = std::make_shared<IoTimer>(context_);
    timer->start(when, std::move(task));
    return Timer(std::move(timer));
  }
  const std::shared_ptr<Clock>& clock() const override { return clock_; }

 private:
  asio::io_context& context_;
  std::shared_ptr<Clock> clock_ = real_clock();
};

// A task that throws has a bug. Its connection, if it has one, is closed; the server continues for
// the others, because a test server that ends the whole process hides the cause.
void run(asio::io_context& context, const std::string& name, Logger* logger) {
  while (true) {
    std::string error;
    try {
      context.run();
      return;
    } catch (const std::exception& thrown) {
      error = thrown.what();
    } catch (...) {
      error = "not a std::exception";
    }
    KUBE_LOG(logger, LogLevel::Error, name, "task threw", {"error", error});
  }
}

}  // namespace

struct IoThreads::Work {
  asio::executor_work_guard<asio::io_context::executor_type> guard;
};

IoThreads::IoThreads()
    : context_(std::make_shared<asio::io_context>()),
      work_(new Work{asio::make_work_guard(*context_)}) {}

IoThreads::~IoThreads() {
  stop();
}

void IoThreads::start(const std::string& name, std::size_t threads,
                      std::shared_ptr<Logger> logger) {
  for (std::size_t i = 0; i < threads; ++i) {
    threads_.emplace_back(name + "-" + std::to_string(i), [context = context_, name, logger] {
      run(*context, name, logger.get());
    });
  }
}

void IoThreads::stop() {
  work_.reset();
  context_->stop();
  threads_.clear();  // joins
}

void IoThreads::post(std::function<void()> task) {
  asio::post(*context_, std::move(task));
}

std::shared_ptr<Executor> IoThreads::executor() {
  return std::make_shared<IoExecutor>(*context_);
}

}  // namespace kube::serving

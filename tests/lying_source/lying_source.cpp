// SPDX-License-Identifier: Apache-2.0
#include "lying_source.hpp"

#include <algorithm>
#include <charconv>
#include <utility>

namespace kube::lying {

using kube::testing::ScriptedCall;

LyingSource::LyingSource(std::shared_ptr<Executor> executor,
                         kube::testing::ScriptedTransport& transport, ClientFacts client,
                         Draw& draw, Findings& findings, LieCounts& counts)
    : executor_(std::move(executor)),
      client_(std::move(client)),
      draw_(draw),
      findings_(findings),
      truth_(draw),
      lies_(draw, findings, counts),
      liar_(draw, lies_, truth_),
      mirror_(client_.transforms, !client_.transforms && !client_.decodes),
      takes_any_version_(draw.one_in(2)),
      has_watch_list_(!draw.one_in(3)),
      items_have_kind_(draw.one_in(3)),
      oldest_(truth_.version()) {
  transport.on("", "*", [this](ScriptedCall call) { answer(std::move(call)); });
}

std::optional<std::uint64_t> number(std::string_view text) {
  if (text.size() > 1 && text.front() == '0') return std::nullopt;
  std::uint64_t value = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (code == std::errc() && end == text.data() + text.size()) return value;
  return std::nullopt;
}

std::optional<std::uint64_t> LyingSource::version_of(std::string_view text) const {
  const auto version = number(text);
  if (!version && lying_ && takes_any_version_) return truth_.version();
  return version;
}

void LyingSource::state(const Said& version) {
  if (version.as == Said::As::Text) stated_versions_.insert(version.text);
}

TrueObjects LyingSource::selected() const {
  TrueObjects objects;
  for (const auto& [key, object] : truth_.now()) {
    if (client_.scope.includes(object)) objects.emplace(key, object);
  }
  return objects;
}

// ---- requests

void LyingSource::inspect_pace() {
  const TimePoint now = executor_->clock()->now();
  ++requests_;
  const auto minute = std::chrono::floor<std::chrono::minutes>(now.time_since_epoch()).count();
  if (std::exchange(minute_, minute) != minute) in_minute_ = 0;
  if (++in_minute_ > kMaxRequestsAMinute) {
    findings_.add("no loop without a pause", "more than " + std::to_string(kMaxRequestsAMinute) +
                                                 " requests in a minute of virtual time");
  }
}

void LyingSource::inspect_version(const ScriptedCall& call) {
  constexpr const char* kRule = "a watch resumes from the version that the server gave last";
  const std::string version = call.query("resourceVersion").value_or("");
  const bool initial = call.query("sendInitialEvents").has_value();
  if (!version.empty() && !bytes_lied() && !stated_versions_.contains(version)) {
    findings_.add("a version that is asked for was stated before", printable(version));
  }
  if (call.query("watch") && !initial) {
    if (version.empty()) findings_.add(kRule, "a watch without resourceVersion");
    if (versions_are_clear() && !expired_.empty() && version == expired_) {
      findings_.add("a list follows a watch whose version has expired", "watches from " + version);
    }
    if (versions_are_clear() && !given_.empty() &&
        !given_.resumes_at(version, executor_->clock()->now())) {
      findings_.add(kRule, "watches from " + printable(version) + ", was given " +
                               given_.to_string() + " last");
    }
  } else if (!call.query("continue") && version == "0" && watched_ && versions_are_clear() &&
             !given_.empty()) {
    findings_.add("a relist asks for at least the version that the server gave",
                  "asks for any, was given " + given_.to_string());
  }
}

void LyingSource::inspect(const ScriptedCall& call) {
  inspect_pace();
  const std::string path = client_.scope.namespace_.empty()
                               ? "/api/v1/pods"
                               : "/api/v1/namespaces/" + client_.scope.namespace_ + "/pods";
  const auto expect = [&](std::string_view what, const std::string& expected,
                          const std::string& found) {
    if (expected == found) return;
    findings_.add("each request selects what the informer selects",
                  std::string(what) + " is \"" + printable(found) + "\", not \"" + expected + "\"");
  };
  expect("path", path, call.path());
  expect("labelSelector", client_.scope.label_selector(), call.query("labelSelector").value_or(""));
  expect("fieldSelector", client_.scope.field_selector(), call.query("fieldSelector").value_or(""));
  if (call.query("continue")) {
    expect("resourceVersion beside a token", "", call.query("resourceVersion").value_or(""));
  }
  inspect_version(call);
}

void LyingSource::forget_ended() {
  std::erase_if(open_, [](const Delivery& each) { return each.over(); });
  std::erase_if(watches_, [](const std::shared_ptr<Watch>& watch) { return watch->to.over(); });
}

std::size_t LyingSource::bytes_under_way() const {
  std::size_t bytes = list_bytes_;
  for (const Delivery& each : open_) bytes += each.call().undelivered();
  return bytes;
}

void LyingSource::answer(ScriptedCall call) {
  inspect(call);
  findings_.note([&] { return "<- " + printable(call.request().url, 400); });
  forget_ended();
  if (findings_.any()) return;  // silence: the run ends
  const auto accept = call.request().headers.find("Accept").value_or("");
  const bool may_protobuf =
      client_.protobuf && accept.find(kProtobufMediaType) != std::string_view::npos;
  Delivery to(std::move(call), executor_, draw_, lying_ ? &lies_ : nullptr,
              may_protobuf ? Encoding::Protobuf : Encoding::Json);
  open_.push_back(to);
  if (tells(Lie::OtherEncoding)) {
    to.speak(to.encoding() == Encoding::Json ? Encoding::Protobuf : Encoding::Json);
  }
  if (lying_ && lies_by_http(to)) return;
  if (to.call().query("watch")) {
    watch(std::move(to));
  } else {
    list(std::move(to));
  }
}

void LyingSource::refuse(Delivery& to, const StatusStatement& status) {
  findings_.note([&] { return "-> " + printable(write(status, Encoding::Json)); });
  transport::Headers headers{
      {"Content-Type",
       std::string(to.encoding() == Encoding::Json ? kJsonMediaType : kProtobufMediaType)}};
  to.begin(status.code, std::move(headers), write(status, to.encoding()), true);
}

bool LyingSource::lies_by_http(Delivery& to) {
  if (tells(Lie::Refuses)) {
    ScriptedCall(to.call()).refuse();
    return true;
  }
  if (tells(Lie::Silence) && draw_.one_in(3)) return true;
  if (tells(Lie::AlwaysGone)) {
    refuse(to, draw_.one_in(2) ? status_of(410, "Expired") : status_of(410, "Gone"));
    return true;
  }
  if (tells(Lie::VersionTooLarge)) {
    refuse(to, too_large_version());
    return true;
  }
  if (tells(Lie::NotAcceptable)) {
    refuse(to, status_of(406, "NotAcceptable"));
    return true;
  }
  if (to.call().query("resourceVersion").value_or("0") != "0" && tells(Lie::VersionsRefused)) {
    refuse(to, status_of(400, "BadRequest"));
    return true;
  }
  if (tells(Lie::StatusForList)) {
    StatusStatement status = status_of(draw_.one_in(2) ? 500 : 200, "InternalError");
    to.begin(write(status, to.encoding()), true, false);
    return true;
  }
  return odd_answer(to);
}

// ---- what happens

void LyingSource::become_honest() {
  findings_.note([] { return "the source becomes honest"; });
  // Of what was stated in two ways under one version there is a new one now.
  truth_.pass_over();
  if (lies_.any()) static_cast<void>(truth_.write_everything());
  truth_.pass_over();
  oldest_ = truth_.version();
  last_bookmark_ = oldest_;
  lying_ = false;
  given_.clear();
  expired_.clear();
  forget_ended();
  for (Delivery& each : open_) {
    each.become_honest();
    switch (draw_.below(3)) {
      case 0:
        each.reset();
        break;
      case 1:
        each.end();
        [[fallthrough]];
      default:
        each.fall_silent();  // for ever, if it has not ended
    }
  }
  watches_.clear();
}

}  // namespace kube::lying

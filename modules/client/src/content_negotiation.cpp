// SPDX-License-Identifier: Apache-2.0
//
// Chooses the encodings of requests and responses.
#include "content_negotiation.hpp"

#include <algorithm>

#include <kube/base/ascii.hpp>
#include <kube/meta/errors.hpp>

#include "media_type.hpp"

namespace kube {
namespace {

constexpr std::string_view kCbor = "application/cbor";

// Replaces CBOR by JSON; keeps parameters.
std::string without_cbor(std::string_view accept) {
  std::string out;
  while (!accept.empty()) {
    const std::size_t end = std::min(accept.find(','), accept.size());
    const std::string_view clause = accept.substr(0, end);
    accept.remove_prefix(std::min(end + 1, accept.size()));
    const std::size_t begin = std::min(clause.find_first_not_of(" \t"), clause.size());
    const std::string_view type = clause.substr(begin, clause.find_first_of("; \t", begin) - begin);
    if (!out.empty()) out += ',';
    if (ascii::equal_ignoring_case(type, kCbor)) {
      out.append(clause.substr(0, begin)).append(kJsonMediaType);
      out += clause.substr(begin + type.size());
    } else {
      out += clause;
    }
  }
  return out;
}

}  // namespace

ContentNegotiation::ContentNegotiation(const rest::Config& config) {
  const std::string type =
      config.content_type == kCbor ? std::string(kJsonMediaType) : config.content_type;
  const std::string accept = without_cbor(config.accept_content_types);
  if (type.empty() && accept.empty()) {
    configured_.body = Encoding::Protobuf;
    configured_.accept.assign(kProtobufMediaType).append(",").append(kJsonMediaType);
    return;
  }
  configured_.body = type == kProtobufMediaType ? Encoding::Protobuf : Encoding::Json;
  configured_.accept = accept.empty() ? type + ", */*" : accept;
}

ContentChoice ContentNegotiation::choose(const meta::GroupResource& resource,
                                         bool has_protobuf) const {
  ContentChoice choice;
  if (!has_protobuf) return choice;
  choice = configured_;
  const MutexLock lock(mutex_);
  if (json_bodies_.contains(resource)) choice.body = Encoding::Json;
  if (json_answers_.contains(resource)) choice.accept = kJsonMediaType;
  return choice;
}

bool ContentNegotiation::note_response(const meta::GroupResource& resource,
                                       const ContentChoice& sent, const Error& refusal) {
  const bool body_refused = is_unsupported_media_type(refusal) && sent.body == Encoding::Protobuf;
  const bool answer_refused = is_not_acceptable(refusal) && sent.accept != kJsonMediaType;
  if (!body_refused && !answer_refused) return false;
  const MutexLock lock(mutex_);
  (body_refused ? json_bodies_ : json_answers_).insert(resource);
  return true;
}

}  // namespace kube

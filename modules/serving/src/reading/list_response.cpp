// SPDX-License-Identifier: Apache-2.0
#include "reading/list_response.hpp"

#include <algorithm>
#include <exception>
#include <iterator>
#include <utility>

namespace kube::serving {
namespace {

// Lists up to this size are sent whole, with their length; longer ones are streamed.
constexpr std::size_t kWholeList = std::size_t{128} << 10U;

/// The text of a list, produced while it is sent.
class ListSource final : public BodySource {
 public:
  ListSource(std::shared_ptr<const Resource> resource, SharedObjects objects, Selection selection,
             EncodingPtr encoding)
      : resource_(std::move(resource)),
        objects_(std::move(objects)),
        selection_(std::move(selection)),
        encoding_(std::move(encoding)) {}

  void begin(ListFacts facts) {
    if (encoding_->needs_sizes()) {
      select();
      for (const ObjectPtr& each : *objects_)
        facts.items_size += encoding_->item_size(*resource_, *each);
    }
    encoding_->list_head(*resource_, facts, ahead_.text);
  }
  /// Produces some of the text now, for the next call of next().
  bool prefetch(std::size_t size) { return fill(size, ahead_); }
  Body take_ahead() { return std::exchange(ahead_, {}); }

  /// From now on the objects are kept by the history, and not by a client that reads slowly.
  void hold_in(Collection& collection, std::uint64_t revision) {
    held_ = collection.hold(revision, std::exchange(objects_, nullptr));
  }

  State next(std::size_t size, Body& out) override {
    if (ahead_.size() != 0) {
      out = take_ahead();
      return State::More;
    }
    objects_ = held_->objects();
    if (!objects_) return State::Lost;
    State state = State::Lost;
    try {
      state = fill(size, out) ? State::More : State::End;
    } catch (const std::exception&) {
      // An object does not have the form that was asked for, and the head is sent.
    }
    objects_.reset();
    return state;
  }

 private:
  void select() {
    if (selection_.empty()) return;
    auto selected = std::make_shared<std::vector<ObjectPtr>>();
    std::ranges::copy_if(*objects_, std::back_inserter(*selected),
                         [&](const ObjectPtr& each) { return selection_.matches(*each); });
    objects_ = std::move(selected);
    selection_ = {};
  }

  // at_ is one above the size after the tail is written.
  bool fill(std::size_t size, Body& out) {
    const std::size_t before = out.size();
    while (at_ < objects_->size()) {
      const ObjectPtr& object = (*objects_)[at_++];
      if (selection_.matches(*object)) {
        add(object, out);
        first_ = false;
      }
      if (out.size() - before >= size) return true;
    }
    if (at_ > objects_->size()) return false;
    encoding_->list_tail(out.text);
    ++at_;
    return false;
  }

  void add(const ObjectPtr& object, Body& out) {
    if (object->borrowed) {
      if (const auto around = encoding_->around_item(*resource_, *object, first_)) {
        out.text += around->before;
        out.insert({around->bytes, object});
        out.text += around->after;
        return;
      }
    }
    encoding_->list_item(*resource_, *object, first_, out.text);
  }

  std::shared_ptr<const Resource> resource_;
  SharedObjects objects_;  ///< While it fills.
  HeldStatePtr held_;      ///< While it is sent.
  Selection selection_;
  EncodingPtr encoding_;
  Body ahead_;
  std::size_t at_ = 0;
  bool first_ = true;
};

}  // namespace

HttpResponse list_response(std::shared_ptr<const Resource> resource, Collection& collection,
                           SharedObjects objects, Selection selection, const ListFacts& facts,
                           EncodingPtr encoding) {
  HttpResponse response;
  const MediaType media = encoding->media();
  response.content_type = to_string(media);
  auto source = std::make_unique<ListSource>(std::move(resource), std::move(objects),
                                             std::move(selection), std::move(encoding));
  source->begin(facts);
  if (media == MediaType::Yaml) {
    while (source->prefetch(kWholeList)) {
    }
    Body whole = source->take_ahead();
    whole.flatten();
    response.body = to_media(std::move(whole.text), media);
    return response;
  }
  if (source->prefetch(kWholeList)) {
    source->hold_in(collection, facts.revision);
    response.stream = std::move(source);
  } else {
    response.body = source->take_ahead();
  }
  return response;
}

HttpResponse list_response(std::shared_ptr<const Resource> resource, Collection& collection,
                           std::vector<ObjectPtr> objects, std::uint64_t revision,
                           EncodingPtr encoding) {
  ListFacts facts;
  facts.revision = revision;
  return list_response(std::move(resource), collection,
                       std::make_shared<const std::vector<ObjectPtr>>(std::move(objects)), {},
                       facts, std::move(encoding));
}

}  // namespace kube::serving

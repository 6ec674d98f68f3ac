// SPDX-License-Identifier: Apache-2.0
//
// Responses that are lists: whole when they are short, else made while they are sent.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "forms/encoding.hpp"
#include "http/http_message.hpp"
#include "storage/selection.hpp"
#include "storage/store.hpp"

namespace kube::serving {

/// Responds with those of the objects that are selected. A long list ends with BodySource's Lost
/// when the collection's history has moved past its revision before it is sent.
HttpResponse list_response(std::shared_ptr<const Resource> resource, Collection& collection,
                           SharedObjects objects, Selection selection, const ListFacts& facts,
                           EncodingPtr encoding);

/// Responds with a list of these objects.
HttpResponse list_response(std::shared_ptr<const Resource> resource, Collection& collection,
                           std::vector<ObjectPtr> objects, std::uint64_t revision,
                           EncodingPtr encoding);

}  // namespace kube::serving

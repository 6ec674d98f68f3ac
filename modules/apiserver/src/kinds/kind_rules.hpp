// SPDX-License-Identifier: Apache-2.0
//
// What single built-in kinds do to their objects when they are written: the defaults that clients
// rely on, and what new objects get.
#pragma once

#include <string_view>

#include <kube/json/value.hpp>

#include "resources/resource.hpp"

namespace kube::apiserver {

/// Whether objects of the resource are of a built-in kind of the core group.
bool is_core_kind(const Resource& resource, std::string_view kind);

/// Fills defaults in, on create and update alike. `object` is of the served version.
void apply_defaults(const Resource& resource, json::Value& object);

/// Whether a new object may come with its status: a kubelet registers its node with room and
/// addresses at once.
bool keeps_status(const Resource& resource);

/// What only a new object gets: a pod's phase, a namespace's finalizer.
void prepare_new(const Resource& resource, json::Value& object);

/// The same for an object that is put as it is: when its status says nothing. A namespace gets its
/// finalizer and a phase all the same, as what is in it would outlive it.
void prepare_loaded(const Resource& resource, json::Value& object);

}  // namespace kube::apiserver

// SPDX-License-Identifier: Apache-2.0
//
// Options of the API verbs: the types of meta/v1, plain structs for designated initializers. An
// empty or unset member is not sent (docs/reference/clients-and-config.md ch. 26).
// kube/codec/query.hpp writes and reads them as parameters, kube/codec/codec.hpp as a body.
#pragma once

#include <string>
#include <string_view>

#include <kube/base/optional.hpp>
#include <kube/meta/apply_options.hpp>
#include <kube/meta/create_options.hpp>
#include <kube/meta/delete_options.hpp>
#include <kube/meta/get_options.hpp>
#include <kube/meta/list_options.hpp>
#include <kube/meta/patch_options.hpp>
#include <kube/meta/preconditions.hpp>
#include <kube/meta/update_options.hpp>

namespace kube {

using GetOptions = meta::GetOptions;
/// `limit` 0 means no limit; `resource_version` "" asks for the newest state, "0" for any state,
/// and another version for a state that is at least as new. `allow_watch_bookmarks` is for watches,
/// which set `watch` themselves.
using ListOptions = meta::ListOptions;
using CreateOptions = meta::CreateOptions;
using UpdateOptions = meta::UpdateOptions;
using PatchOptions = meta::PatchOptions;
/// Servers require the field manager.
using ApplyOptions = meta::ApplyOptions;
using Preconditions = meta::Preconditions;
using DeleteOptions = meta::DeleteOptions;

/// Returns the options of an apply as those of a patch; `force` is always sent.
PatchOptions to_patch_options(const ApplyOptions& options);

/// Returns options that list or watch one object: a field selector on its name, and its version.
ListOptions single_object_options(std::string_view name, std::string_view resource_version);

/// Returns the options of the watch that streams what a list with these options returns
/// (sendInitialEvents, NotOlderThan, bookmarks, no limit); nullopt when no watch can replace that
/// list: one in pages, except at version "0", one exactly at a version, or one with a match and no
/// version, which servers refuse.
Optional<ListOptions> watch_list_options(const ListOptions& options);

}  // namespace kube

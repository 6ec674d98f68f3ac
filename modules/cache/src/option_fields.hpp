// SPDX-License-Identifier: Apache-2.0
//
// The fields of InformerOptions and ReflectorOptions by name: what is compared and what is copied.
#pragma once

#include <utility>

#include <kube/cache/informer_options.hpp>

namespace kube::cache {

/// Calls `field(name, a's, b's)` for each option that an informer hands on to its reflector.
template <class A, class B, class F>
void for_each_reflector_option(A& a, B& b, F&& field) {
  field("resync_period", a.resync_period, b.resync_period);
  field("storage", a.storage, b.storage);
  field("drop_fields", a.drop_fields, b.drop_fields);
  field("page_size", a.page_size, b.page_size);
  field("max_list_bytes", a.max_list_bytes, b.max_list_bytes);
  field("watch_idle_timeout", a.watch_idle_timeout, b.watch_idle_timeout);
  field("watch_list", a.watch_list, b.watch_list);
  field("detect_inconsistency", a.detect_inconsistency, b.detect_inconsistency);
}

/// Calls `field(name, a's, b's)` for each option, but namespace and selectors, which make another
/// informer.
template <class F>
void for_each_option(const InformerOptions& a, const InformerOptions& b, F&& field) {
  field("protobuf", a.protobuf, b.protobuf);
  for_each_reflector_option(a, b, field);
  field("start_on_first_use", a.start_on_first_use, b.start_on_first_use);
  field("state_dir", a.state_dir, b.state_dir);
  field("state_save_period", a.state_save_period, b.state_save_period);
}

inline ReflectorOptions reflector_options(const InformerOptions& options) {
  ReflectorOptions result;
  for_each_reflector_option(options, result,
                            [](const char*, const auto& from, auto& to) { to = from; });
  return result;
}

}  // namespace kube::cache

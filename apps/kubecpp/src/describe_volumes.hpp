// SPDX-License-Identifier: Apache-2.0
//
// What `kubecpp describe` prints of the volumes of pods, and of label selectors.
#pragma once

#include <string>

#include <kube/json/value.hpp>

#include "description.hpp"

namespace kubecpp {

/// Adds the volumes of a pod, or of a template of pods, each with where its content comes from.
void describe_volumes(const kube::json::Array& volumes, bool in_template, Description& out);

/// Returns a LabelSelector as text: "app=web,tier in (a,b)"; <none> for one without conditions.
std::string label_selector_text(const kube::json::Value& selector);

}  // namespace kubecpp

// SPDX-License-Identifier: Apache-2.0
//
// HorizontalPodAutoscalers of autoscaling/v1 and v2. What v1 has no fields for is in annotations.
#pragma once

#include <string>

#include <kube/json/value.hpp>

namespace kube::serving {

/// Converts an autoscaler of v1 to v2 (kind.hpp). An annotation that does not fit is dropped.
void autoscaler_to_stored(json::Value& object);
void autoscaler_from_stored(json::Object& object);

/// Drops the annotations that stand for fields which the version has, and from a new object those
/// that stand for the status.
void drop_annotations(json::Value& autoscaler, const json::Value* before, const std::string& now);
/// A write of the spec keeps the annotations that stand for the status, and the other way round.
void keep_status_annotations(const json::Value& before, json::Value& after);
void keep_spec_annotations(const json::Value& before, json::Value& after);

}  // namespace kube::serving

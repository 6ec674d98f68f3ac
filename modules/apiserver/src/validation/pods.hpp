// SPDX-License-Identifier: Apache-2.0
//
// The parts of the rules of pods.
#pragma once

#include "validation/place.hpp"

namespace kube::apiserver {

/// Returns the spec of the StatefulSet that has the pod's spec in its template, or null.
const Place* stateful_set_of(const Place& pod_spec);
/// Labels and annotations.
void check_template_metadata(const Place& pod);
void check_template_containers(const Place& pod);
/// `place` is a pod or a template; `path` is where the server reports its annotations.
void check_pod_annotations(const Place& place, const meta::FieldPath& path);
/// Annotations of seccomp and AppArmor are those of the fields, where both are there.
void check_profile_annotations(const Place& pod);
/// The resources of all of a pod, beside what its containers ask for.
void check_pod_resources(const Place& resources);
/// The fields that the operating system, which `os` names, does not have.
void check_system(const Place& pod_spec);
/// One container that is a process of a Windows host makes all of the pod's such processes.
void check_host_processes(const Place& pod_spec);
void check_spread_constraints(const Place& pod_spec);

}  // namespace kube::apiserver

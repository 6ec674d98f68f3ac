// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "layout.hpp"

namespace kube::gen {

/// Decides which header holds which struct and string type, and their order in it.
///
/// A kind has a header, and its list kind is there too. A part that only one kind uses stands in
/// that kind's header; a part that several use has a header of its own, with the parts that are
/// only reached through it. Types that contain each other share one.
void arrange_headers(Layout& layout, const Choices& choices);

}  // namespace kube::gen

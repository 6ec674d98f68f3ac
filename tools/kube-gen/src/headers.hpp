// SPDX-License-Identifier: Apache-2.0
//
// Which generated header contains which type.
#pragma once

#include "layout.hpp"

namespace kube::gen {

/// Decides which header contains which struct and string type, and their order in it.
///
/// A kind has a header, which also has its list kind. A part that only one kind uses is in that
/// kind's header; a part that several use has its own header, with the parts that are only reached
/// through it. Types that contain each other share a header.
void arrange_headers(Layout& layout, const Choices& choices);

}  // namespace kube::gen

// SPDX-License-Identifier: Apache-2.0
//
// References to images of containers, as registries read them.
#pragma once

#include <string_view>

namespace kube::apiserver {

/// Whether an image may change under its reference: the tag is "latest", or there is neither tag
/// nor digest. False for a text that is not a reference.
bool is_moving_image(std::string_view reference);

}  // namespace kube::apiserver

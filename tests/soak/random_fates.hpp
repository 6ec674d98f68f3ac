// SPDX-License-Identifier: Apache-2.0
//
// What the proxy does to requests, from a seed.
#pragma once

#include <cstdint>

#include "faulty_front.hpp"

namespace soak {

faulty_front::Fates random_fates(std::uint64_t seed);

}  // namespace soak

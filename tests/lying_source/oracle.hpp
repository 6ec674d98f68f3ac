// SPDX-License-Identifier: Apache-2.0
//
// What holds of a store, whatever the source says, and what holds once it is honest.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <kube/cache/detail/informer_core.hpp>

#include "kinds.hpp"
#include "mirror.hpp"
#include "trace.hpp"
#include "truth.hpp"

namespace kube::lying {

std::vector<cache::CellRef> cells_of(const cache::Store& store);

/// Size, bytes, keys and indexes say the same as the objects.
void expect_consistent(const cache::Store& store, const Kind& kind, Findings& findings);
/// The objects, at their versions, and no others.
void expect_true(const cache::Store& store, const TrueObjects& truth, const Kind& kind,
                 Findings& findings);
/// The steady ones of them are there as they are.
void expect_steady(const cache::Store& store, const TrueObjects& truth, const Kind& kind,
                   Findings& findings);
/// Each object is as it was stated last, and there are no others.
void expect_stated(const cache::Store& store, const StatedObjects& stated, const Kind& kind,
                   Findings& findings);
/// An informer that fails says why, in words, without a secret.
void expect_explained(const InformerStatus& status, Findings& findings);

/// Part of every secret that a run's client has.
inline constexpr std::string_view kCanary = "canary-0e1b";

}  // namespace kube::lying

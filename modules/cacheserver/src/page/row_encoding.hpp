// SPDX-License-Identifier: Apache-2.0
//
// Watch events as the rows of the page's tables: names, labels and cells, and nothing else of the
// objects.
#pragma once

#include <memory>

#include <kube/base/clock.hpp>

#include "forms/encoding.hpp"

namespace kube::cacheserver {

/// One JSON document a line:
///
///     {"type":"ADDED","key":"web/a","namespace":"web","name":"a","labels":{...},"cells":[...],
///      "times":{"4":"2026-01-02T03:04:05Z"}}
///
/// "times" has the time since which the cell at an index counts, so that it can be shown later. The
/// first line has the names of the columns and, in milliseconds since 1970, the server's time;
/// "SYNCED" follows the initial ones.
serving::EncodingPtr make_row_encoding(std::shared_ptr<Clock> clock);

}  // namespace kube::cacheserver

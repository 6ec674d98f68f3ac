// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace programs {

/// Whether PATH has a kubectl, and none so old that it prints other things than today's.
bool has_recent_kubectl();

}  // namespace programs

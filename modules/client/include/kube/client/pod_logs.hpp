// SPDX-License-Identifier: Apache-2.0
//
// What Api<core::v1::Pod>::logs() needs.
//
//   auto log = client.api<Pod>("web").logs("front-0", {.tail_lines = 100}).do_raw();
//   if (!log) return log.error();
//   std::cout << *log;
#pragma once

#include <kube/api/core/v1/pod.hpp>
#include <kube/api/core/v1/pod_log_options.hpp>
#include <kube/client/api.hpp>
#include <kube/client/text_request.hpp>

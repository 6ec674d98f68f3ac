// SPDX-License-Identifier: Apache-2.0
//
// kube::guarded: a call of code that is not the library's. Whoever has to go on afterwards, be it a
// strand, a worker or a queue, calls a program's functions through it.
#pragma once

#include <exception>
#include <string>

#include <kube/base/result.hpp>

namespace kube {

/// f(), which gives a Result; what it throws becomes an Error (Internal): "<what> threw: <text>".
template <class F>
auto guarded(const char* what, F&& f) -> decltype(f()) {
  try {
    return f();
  } catch (const std::exception& e) {
    return Error(ErrorCode::Internal, std::string(what) + " threw: " + e.what());
  } catch (...) {
    return Error(ErrorCode::Internal, std::string(what) + " threw something unknown");
  }
}

}  // namespace kube

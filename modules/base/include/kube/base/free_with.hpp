// SPDX-License-Identifier: Apache-2.0
//
// Shared between modules: not promised to users.
//
// The deleter of std::unique_ptr for objects of C libraries.
#pragma once

namespace kube {

/// std::unique_ptr<X509, FreeWith<X509_free>>
/// @par Thread safety   A value without state.
template <auto Free>
struct FreeWith {
  template <class T>
  void operator()(T* object) const {
    Free(object);
  }
};

}  // namespace kube

// SPDX-License-Identifier: Apache-2.0
//
// Combines errors into one, like apimachinery's Aggregate. Pure functions: any thread may call
// them.
#pragma once

#include <functional>
#include <vector>

#include <kube/base/error.hpp>
#include <kube/base/optional.hpp>

namespace kube {

/// Returns one Error for all of them; nullopt if there are none. Its text is "[a, b]" without
/// duplicates, with the members of nested aggregates in place; a single text has no brackets. Its
/// code is that of the members if they agree, else Internal.
Optional<Error> aggregate(std::vector<Error> errors);

/// Returns the members of an aggregate; null for another error.
const std::vector<Error>* errors_of(const Error& error);
const std::vector<Error>* errors_of(const Error&& error) = delete;  // Give the Error a name first.

/// Whether `matches` returns true for the error or, in an aggregate, for a member at any depth.
bool any_error(const Error& error, const std::function<bool(const Error&)>& matches);

/// Returns the error without the members that match, at any depth; nullopt when none remains.
Optional<Error> filter_out(const Error& error, const std::function<bool(const Error&)>& matches);

/// Returns an aggregate without aggregates in it; another error unchanged.
Error flatten(const Error& error);

/// Returns the member of an aggregate of one; another error unchanged.
Error reduce(const Error& error);

}  // namespace kube

// SPDX-License-Identifier: Apache-2.0
//
// Several failures as one Error, as apimachinery's Aggregate.
#pragma once

#include <functional>
#include <vector>

#include <kube/base/error.hpp>
#include <kube/base/optional.hpp>

namespace kube {

/// One Error for all of them; nullopt for none. Its text is the only member's, or "[a, b]" with
/// every text once and members of aggregates in their places; without brackets when all say the
/// same. Its code is the members' when they agree, else Internal.
Optional<Error> aggregate(std::vector<Error> errors);

/// The members of an aggregate; null for any other error.
const std::vector<Error>* errors_of(const Error& error);
const std::vector<Error>* errors_of(const Error&& error) = delete;  // Give the Error a name first.

/// Whether the predicate holds for the error or, in an aggregate, for some member at any depth.
bool any_error(const Error& error, const std::function<bool(const Error&)>& matches);

/// The error without the members that match, at any depth; nullopt when none is left.
Optional<Error> filter_out(const Error& error, const std::function<bool(const Error&)>& matches);

/// An aggregate without aggregates in it; another error unchanged.
Error flatten(const Error& error);

/// The member of an aggregate of one; another error unchanged.
Error reduce(const Error& error);

}  // namespace kube

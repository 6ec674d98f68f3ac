// SPDX-License-Identifier: Apache-2.0
//
// Matchers of GoogleMock for API objects: typed ones, Unstructured ones, and those of a cache
// (Cached<T>), which they decode. A failure prints the object as JSON.
//
//   EXPECT_THAT(pods.get("web-0"),
//               IsOkAndHolds(AllOf(HasLabel("app", "web"), HasCondition("Ready", "True"))));
//   EXPECT_THAT(lister.list(), UnorderedElementsAre(HasKey("x/a"), HasKey("x/b")));
//
// This header needs GoogleMock, which the library itself does not: link GTest::gmock.
#pragma once

#include <gmock/gmock.h>

#include <algorithm>
#include <concepts>
#include <ostream>
#include <sstream>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <kube/cache/cached.hpp>
#include <kube/codec/codec.hpp>
#include <kube/codec/object.hpp>
#include <kube/meta/conditions.hpp>
#include <kube/meta/owner_references.hpp>
#include <kube/names/object_key.hpp>

// Names as GoogleTest's: it calls PrintTo, and matchers read like its own.
// NOLINTBEGIN(readability-identifier-naming)
namespace kube {

/// How GoogleTest prints an object of a cache: "web/a@12".
template <class T>
void PrintTo(const Cached<T>& object, std::ostream* out) {
  if (!object) {
    *out << "no object";
  } else {
    *out << object.key() << "@" << object.resource_version();
  }
}

namespace testing {
namespace detail {

template <class A>
struct IsCached : std::false_type {};
template <class T>
struct IsCached<Cached<T>> : std::true_type {};

/// Calls `matches(object)` for an object or for that of a Cached, and prints the object.
template <class A, class Matches>
bool match_object(const A& arg, ::testing::MatchResultListener* listener, const Matches& matches) {
  if constexpr (IsCached<A>::value) {
    const auto object = arg.get();
    if (!object) {
      *listener << "which is " << object.error().to_string();
      return false;
    }
    return match_object(**object, listener, matches);
  } else {
    *listener << "which is " << meta::to_json(arg) << " ";
    return matches(arg);
  }
}

template <class T>
std::string name_of(const T& object) {
  if constexpr (std::same_as<T, Unstructured>) {
    return std::string(object.name());
  } else {
    return object.metadata.name;
  }
}
template <class T>
std::string namespace_of(const T& object) {
  if constexpr (std::same_as<T, Unstructured>) {
    return std::string(object.namespace_());
  } else {
    return object.metadata.namespace_;
  }
}
template <class T>
std::string version_of(const T& object) {
  if constexpr (std::same_as<T, Unstructured>) {
    return std::string(object.resource_version());
  } else {
    return object.metadata.resource_version;
  }
}
template <class T>
auto labels_of(const T& object) {
  if constexpr (std::same_as<T, Unstructured>) {
    return object.labels();
  } else {
    return object.metadata.labels;
  }
}
template <class T>
auto annotations_of(const T& object) {
  if constexpr (std::same_as<T, Unstructured>) {
    return object.annotations();
  } else {
    return object.metadata.annotations;
  }
}
template <class T>
std::vector<std::string> finalizers_of(const T& object) {
  if constexpr (std::same_as<T, Unstructured>) {
    return object.finalizers();
  } else {
    return object.metadata.finalizers;
  }
}
/// The uids of all owners.
template <class T>
std::vector<std::string> owners_of(const T& object) {
  std::vector<std::string> uids;
  if constexpr (std::same_as<T, Unstructured>) {
    const json::Array owners = object.owner_references();
    for (const json::Value& owner : owners) uids.emplace_back(owner.string_at({"uid"}));
  } else {
    for (const auto& owner : object.metadata.owner_references) uids.push_back(owner.uid);
  }
  return uids;
}
template <class T>
std::string uid_of(const T& object) {
  if constexpr (std::same_as<T, Unstructured>) {
    return std::string(object.uid());
  } else {
    return object.metadata.uid;
  }
}
/// Status and reason of a condition; "" without it.
template <class T>
std::pair<std::string, std::string> condition_of(const T& object, std::string_view type) {
  std::pair<std::string, std::string> found;
  const auto look = [&](const auto& conditions) {
    if (const auto* condition = find_status_condition(conditions, type); condition != nullptr) {
      found = {condition->status, condition->reason};
    }
  };
  if constexpr (std::same_as<T, Unstructured>) {
    if (const auto conditions = status_conditions(object)) look(*conditions);
  } else if constexpr (requires { object.status->conditions; }) {
    if (object.status) look(object.status->conditions);
  } else {
    look(object.status.conditions);
  }
  return found;
}
/// Whether a map has this key with a value that matches.
template <class Map>
bool has_entry(const Map& map, const std::string& key, const ::testing::Matcher<std::string>& value,
               ::testing::MatchResultListener* listener) {
  const auto found = map.find(key);
  if (found == map.end()) {
    *listener << "without " << key;
    return false;
  }
  return value.MatchAndExplain(found->second, listener);
}

inline std::string not_if(bool negation, const std::string& has) {
  return (negation ? "does not have " : "has ") + has;
}
inline std::string describe(const ::testing::Matcher<std::string>& value) {
  std::ostringstream text;
  value.DescribeTo(&text);
  return text.str();
}
template <class M>
::testing::Matcher<std::string> text_matcher(const M& value) {
  return ::testing::SafeMatcherCast<std::string>(value);
}

}  // namespace detail

/// Matches an object of a cache that exists, can be decoded and matches `object` as a T.
MATCHER_P(Holds, object, std::string(negation ? "does not hold" : "holds") + " a matching object") {
  return detail::match_object(arg, result_listener, [&](const auto& held) {
    return ::testing::ExplainMatchResult(object, held, result_listener);
  });
}

/// Matches an object with this name.
MATCHER_P(HasName, name,
          detail::not_if(negation, "a name that " + detail::describe(detail::text_matcher(name)))) {
  return detail::match_object(arg, result_listener, [&](const auto& object) {
    return ::testing::ExplainMatchResult(name, detail::name_of(object), result_listener);
  });
}
/// Matches an object in this namespace; "" for a cluster-scoped one.
MATCHER_P(HasNamespace, name,
          detail::not_if(negation,
                         "a namespace that " + detail::describe(detail::text_matcher(name)))) {
  return detail::match_object(arg, result_listener, [&](const auto& object) {
    return ::testing::ExplainMatchResult(name, detail::namespace_of(object), result_listener);
  });
}
/// Matches an object with this key: "namespace/name", or "name".
MATCHER_P(HasKey, key,
          detail::not_if(negation, "a key that " + detail::describe(detail::text_matcher(key)))) {
  return detail::match_object(arg, result_listener, [&](const auto& object) {
    const ObjectKey found{detail::namespace_of(object), detail::name_of(object)};
    return ::testing::ExplainMatchResult(key, found.to_string(), result_listener);
  });
}
/// Matches an object with this resourceVersion.
MATCHER_P(HasResourceVersion, version,
          detail::not_if(negation, "a resourceVersion that " +
                                       detail::describe(detail::text_matcher(version)))) {
  return detail::match_object(arg, result_listener, [&](const auto& object) {
    return ::testing::ExplainMatchResult(version, detail::version_of(object), result_listener);
  });
}
/// Matches an object with this label and value.
MATCHER_P2(HasLabel, key, value,
           detail::not_if(negation, "label " + std::string(key) + " that " +
                                        detail::describe(detail::text_matcher(value)))) {
  return detail::match_object(arg, result_listener, [&](const auto& object) {
    return detail::has_entry(detail::labels_of(object), key, detail::text_matcher(value),
                             result_listener);
  });
}
/// Matches an object with this annotation and value.
MATCHER_P2(HasAnnotation, key, value,
           detail::not_if(negation, "annotation " + std::string(key) + " that " +
                                        detail::describe(detail::text_matcher(value)))) {
  return detail::match_object(arg, result_listener, [&](const auto& object) {
    return detail::has_entry(detail::annotations_of(object), key, detail::text_matcher(value),
                             result_listener);
  });
}
/// Matches an object with this finalizer.
MATCHER_P(HasFinalizer, finalizer,
          detail::not_if(negation, "finalizer " + std::string(finalizer))) {
  return detail::match_object(arg, result_listener, [&](const auto& object) {
    const std::vector<std::string> all = detail::finalizers_of(object);
    return std::find(all.begin(), all.end(), finalizer) != all.end();
  });
}
/// Matches an object that has the other one, by its uid, among its owners.
MATCHER_P(IsOwnedBy, owner,
          std::string(negation ? "is not" : "is") + " owned by " + detail::name_of(owner)) {
  return detail::match_object(arg, result_listener, [&](const auto& object) {
    const std::vector<std::string> owners = detail::owners_of(object);
    return std::find(owners.begin(), owners.end(), detail::uid_of(owner)) != owners.end();
  });
}
/// Matches an object whose status has a condition of this type with this status: "True", "False",
/// "Unknown"; "" for none.
MATCHER_P2(HasCondition, type, status,
           detail::not_if(negation, "condition " + std::string(type) + " that " +
                                        detail::describe(detail::text_matcher(status)))) {
  return detail::match_object(arg, result_listener, [&](const auto& object) {
    return ::testing::ExplainMatchResult(status, detail::condition_of(object, type).first,
                                         result_listener);
  });
}
/// The same, with this reason too.
MATCHER_P3(HasCondition, type, status, reason,
           detail::not_if(negation, "condition " + std::string(type) + " that " +
                                        detail::describe(detail::text_matcher(status)) +
                                        " with a reason that " +
                                        detail::describe(detail::text_matcher(reason)))) {
  return detail::match_object(arg, result_listener, [&](const auto& object) {
    const auto found = detail::condition_of(object, type);
    return ::testing::ExplainMatchResult(status, found.first, result_listener) &&
           ::testing::ExplainMatchResult(reason, found.second, result_listener);
  });
}

}  // namespace testing
}  // namespace kube
// NOLINTEND(readability-identifier-naming)

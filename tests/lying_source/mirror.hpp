// SPDX-License-Identifier: Apache-2.0
//
// What a cache has when it believes every word: the objects as the source stated them last, by
// lists and events, true or not. As plain as can be; it is what the cache is compared with while
// the source lies.
#pragma once

#include <map>
#include <string>

#include "kinds.hpp"
#include "statement.hpp"

namespace kube::lying {

struct StatedObject {
  std::string uid{};
  std::string version{};
  Content content{};
  Encoding encoding{};  ///< That it was stated in.
  bool operator==(const StatedObject&) const = default;
};
using StatedObjects = std::map<std::string, StatedObject>;  ///< By key.

class Mirror {
 public:
  /// `transforms`: by a function that throws for "poison" and fails for "fail". `compares`: whether
  /// the cache sees that an item of a list has changed though its version has not; never in another
  /// encoding.
  Mirror(bool transforms, bool compares) : transforms_(transforms), compares_(compares) {}

  /// One page. `first`: a new list begins; `last`: it is whole now.
  void list(const ListStatement& page, Encoding encoding, bool first, bool last);
  /// A stream of the initial state begins.
  void begin_stream();
  /// An event; of the initial state, as long as that has not ended.
  void event(const EventStatement& event, Encoding encoding, bool initial);

  /// A whole state was stated.
  bool whole() const { return whole_; }
  const StatedObjects& objects() const { return objects_; }

 private:
  bool knows(const ObjectStatement& object) const;
  void put(const ObjectStatement& object, Encoding encoding, bool initial,
           StatedObjects& into) const;

  const bool transforms_;
  const bool compares_;
  bool whole_ = false;
  bool failed_ = false;  // the list under way
  StatedObjects objects_;
  StatedObjects next_;  // of the list or stream under way
};

}  // namespace kube::lying

// SPDX-License-Identifier: Apache-2.0
#include "lies.hpp"

namespace kube::lying {

Repertoire::Repertoire(Draw& draw, Findings& findings, LieCounts& counts)
    : draw_(draw), findings_(findings), counts_(counts) {
  // What one lie alone does for ever differs from what all do in turns.
  constexpr std::size_t kSizes[] = {0, 1, 1, 1, 1, 2, 2, 3, 3, 4, 5, 7, 10, 15, 25, kLieCount};
  constexpr unsigned kPercents[] = {3, 10, 30, 60, 100};
  const std::size_t wanted = draw.of(kSizes);
  while (lies_.count() < wanted) lies_.set(draw.index(kLieCount));
  percent_ = draw.of(kPercents);
  // All of them, always, would be the first of them alone.
  if (wanted > 10 && percent_ > 10) percent_ = 10;
}

bool Repertoire::tells(Lie lie) {
  if (!has(lie) || !draw_.percent(percent_)) return false;
  const auto index = static_cast<std::size_t>(lie);
  ++counts_[index];
  told_.set(index);
  findings_.note([&] { return "  lie: " + std::string(kLies[index].name); });
  return true;
}

bool Repertoire::leaves_versions_clear() const {
  constexpr Lie kClear[] = {Lie::NameIsNoPathSegment,
                            Lie::NamespaceIsNoPathSegment,
                            Lie::KeysCollide,
                            Lie::ContentChangesAlone,
                            Lie::UidChanges,
                            Lie::OutOfScope,
                            Lie::OddText,
                            Lie::PoisonsUserCode,
                            Lie::Big,
                            Lie::ItemTwice,
                            Lie::ItemLeftOut,
                            Lie::ListIsEmpty,
                            Lie::EventRepeats,
                            Lie::EventLeftOut,
                            Lie::ClosesAtOnce,
                            Lie::Heartbeats,
                            Lie::Refuses,
                            Lie::SmallPieces,
                            Lie::TokenExpires,
                            Lie::AlwaysGone};
  return has_only(kClear);
}

bool Repertoire::leaves_objects_clear() const {
  constexpr Lie kClear[] = {Lie::NameIsNoPathSegment,
                            Lie::NamespaceIsNoPathSegment,
                            Lie::KeysCollide,
                            Lie::VersionGoesBack,
                            Lie::VersionRepeats,
                            Lie::VersionIsAhead,
                            Lie::ContentChangesAlone,
                            Lie::UidChanges,
                            Lie::OutOfScope,
                            Lie::Ghost,
                            Lie::OddText,
                            Lie::PoisonsUserCode,
                            Lie::Big,
                            Lie::ItemTwice,
                            Lie::ItemLeftOut,
                            Lie::ListIsEmpty,
                            Lie::EmptyPages,
                            Lie::TokenRepeats,
                            Lie::TokenExpires,
                            Lie::EventRepeats,
                            Lie::EventLeftOut,
                            Lie::EventTypeIsSwapped,
                            Lie::EventTypeIsOdd,
                            Lie::ClosesAfterOneEvent,
                            Lie::ClosesAtOnce,
                            Lie::ErrorEvent,
                            Lie::Chatter,
                            Lie::Flood,
                            Lie::AlwaysGone,
                            Lie::VersionTooLarge,
                            Lie::NotAcceptable,
                            Lie::VersionsRefused,
                            Lie::Refuses,
                            Lie::SmallPieces};
  return has_only(kClear);
}

std::string Repertoire::to_string() const {
  std::string text = std::to_string(percent_) + "% of";
  for (std::size_t i = 0; i < kLieCount; ++i) {
    if (lies_[i]) text.append(" ").append(kLies[i].name);
  }
  return text;
}

}  // namespace kube::lying

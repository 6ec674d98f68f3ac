// SPDX-License-Identifier: Apache-2.0
//
// Turns what is true into what a seed's repertoire makes of it. Of steady objects it tells no lie.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "lies.hpp"

namespace kube::lying {

ObjectStatement statement_of(const TrueObject& object);
/// What an event of an object is, true or not.
EventStatement event_of(std::string type, const TrueObject& object);
EventStatement bookmark_of(Said version, std::string initial_events_end = {});
EventStatement error_event(StatusStatement status);
StatusStatement status_of(int code, std::string reason);
StatusStatement too_large_version();

class Liar {
 public:
  Liar(Draw& draw, Repertoire& lies, const Truth& truth)
      : draw_(draw), lies_(lies), truth_(truth) {}

  /// False: this item is left out.
  bool change_item(const TrueObject& object, ObjectStatement& statement);
  /// What a list says besides and instead of its items. True if items may be missing now.
  bool change_list(ListStatement& list);
  /// What becomes of one event.
  std::vector<EventStatement> change_event(const TrueObject& object, EventStatement event);
  void change_bookmark(EventStatement& bookmark);
  /// Events of what there is not.
  std::vector<EventStatement> chatter();
  EventStatement odd_error_event();
  /// An Error event that asks to wait.
  EventStatement asks_for_a_year_event();

  Said odd_version();
  ObjectStatement ghost();

 private:
  void change_names(ObjectStatement& statement);
  void change_version(ObjectStatement& statement);
  void change_content(ObjectStatement& statement);

  Draw& draw_;
  Repertoire& lies_;
  const Truth& truth_;
};

}  // namespace kube::lying

// SPDX-License-Identifier: Apache-2.0
//
// Commands that write, of kubecpp and of kubectl, side by side.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "kubecpp_scenario.hpp"

namespace scenarios {

/// Returns the table as if all ages, which grow between two calls, were the same.
std::string ages_hidden(const std::string& table);

/// A test with two namespaces that begin with the same objects: kubecpp works in the test's own,
/// kubectl, where there is one, in the other. A test that compared nothing, as there is no kubectl,
/// is skipped at its end: what it expects of kubecpp alone has been checked.
class KubectlTwin : public KubecppScenario {
 protected:
  KubectlTwin();
  ~KubectlTwin() override;
  void TearDown() override;

  /// Creates the objects of a manifest in both namespaces.
  void create_both(const std::string& text);
  /// Changes both, by a merge patch of the object or of its status.
  void patch_both(const kube::meta::ResourceInfo& resource, const std::string& name,
                  const std::string& patch, bool status = false);

  /// Runs both with the same arguments and expects the same output, errors and exit status. What
  /// each prints of its namespace, and before an error, is the same word. Returns what kubecpp has
  /// printed.
  programs::Outcome both(const Arguments& arguments, programs::Program::Options options = {}) const;

  /// The same of objects in JSON or YAML: their uids, versions, times and creation times are equal
  /// words, too.
  programs::Outcome both_objects(const Arguments& arguments) const;
  /// The same of tables: each age, which grows between the two calls, is one word.
  programs::Outcome both_tables(const Arguments& arguments) const;

  /// The command lines, for programs that run in the background.
  Arguments our_line(Arguments arguments) const;
  Arguments their_line(Arguments arguments) const;
  /// What `both()` compares.
  programs::Outcome ours(programs::Outcome outcome) const;
  programs::Outcome theirs(programs::Outcome outcome) const;

  const std::string twin_ = namespace_ + "-twin";

 private:
  programs::Outcome compared(const Arguments& arguments, programs::Program::Options options,
                             const std::function<std::string(std::string)>& shown) const;

  mutable bool uncompared_ = false;
};

}  // namespace scenarios

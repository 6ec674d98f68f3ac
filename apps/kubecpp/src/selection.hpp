// SPDX-License-Identifier: Apache-2.0
//
// The objects that a command works on, as kubectl selects them: those that its arguments name,
// those of files, or those of resources that a selector matches.
#pragma once

#include <stop_token>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include <kube/base/result.hpp>
#include <kube/codec/unstructured.hpp>

#include "cluster.hpp"
#include "manifest.hpp"

namespace kubecpp {

struct Selection {
  std::vector<std::string> words{};  ///< See parse_targets().
  std::vector<std::string> files{};
  bool recursive = false;  ///< Also the folders in those of `files`.
  std::string namespace_{};
  bool all_namespaces = false;
  bool all = false;  ///< All objects of the resources that the words name.
  /// The same where the words have no names; they may have.
  bool all_unless_named = false;
  std::string label_selector{};
  std::string field_selector{};

  bool has_selector() const { return !label_selector.empty() || !field_selector.empty(); }
};

/// Adds the flags of all its members but the words.
void add_selection_flags(CLI::App& command, Selection& selection);
/// Adds -n, -l, -f and -R, for commands that have no others of them.
void add_basic_selection_flags(CLI::App& command, Selection& selection);

/// Checks that the members go together; needs no server. select() does it, too.
/// @par Errors   InvalidArgument, in kubectl's words.
kube::Result<void> check(const Selection& selection);

/// Which objects select() reads from the server. Those of selectors are always read.
enum class Read {
  Nothing,  ///< Only their names are known.
  Named,    ///< Those that the arguments name; those of files are as in the files.
  All,      ///< Those of files, too; the label selector is for what the server has.
};

struct SelectedObject {
  kube::meta::ResourceInfo resource{};
  std::string namespace_{};  ///< Empty for a cluster-scoped resource.
  std::string name{};
  std::string file{};           ///< Where it is from a file.
  kube::Unstructured object{};  ///< With its kind; empty when it was not read.
  bool is_read = false;         ///< Whether it is from the server.
};

struct Selected {
  std::vector<SelectedObject> objects{};
  std::vector<kube::Error> errors{};  ///< Of objects and lists that can't be read.
  /// Whether one object, or one file, was named, rather than some selected.
  bool single = false;

  /// Removes the errors NotFound.
  void ignore_not_found();
  /// Reports the errors; returns the exit status: `status`, or that of the last error.
  int report_errors(int status) const;
};

/// Returns the object of a file, with its resource and its namespace, which its metadata names
/// then.
/// @par Errors   Config for an unknown kind, in kubectl's words; those of Cluster::namespace_of().
kube::Result<SelectedObject> resolve_manifest(const Cluster& cluster, Manifest manifest);

/// Resolves what was selected, in the order of the arguments. Lists are read in pages of 500.
/// @par Errors   InvalidArgument in kubectl's words: names with a selector, neither a name nor a
///   selector, arguments with files; Config for an unknown resource; those of read_manifests().
/// @par Blocks   Until all requests are answered.
kube::Result<Selected> select(Cluster& cluster, const Selection& selection, Read read,
                              const std::stop_token& stop);

/// Returns the objects of the files; no server is asked for their resources, of which only the kind
/// is known.
/// @par Errors   Those of read_manifests().
kube::Result<Selected> select_local(const Selection& selection, const std::stop_token& stop);

/// Returns whether one file, rather than several, a folder, a URL or standard input is named.
bool is_single_file(const std::vector<std::string>& files);

/// Reads the object from the server unless it is read: for commands that work on one object after
/// the other.
/// @par Errors   Those of the request.
kube::Result<void> read_selected(const Cluster& cluster, SelectedObject& selected,
                                 const std::stop_token& stop);

}  // namespace kubecpp

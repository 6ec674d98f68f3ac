// SPDX-License-Identifier: Apache-2.0
#include "apply_flags.hpp"

#include <algorithm>
#include <string_view>

#include <kube/client/server_side_migration.hpp>

#include "flags.hpp"

namespace kubecpp {
namespace {

using kube::Error;
using kube::ErrorCode;
using kube::Result;

// The words that kubectl's boolean flags take.
constexpr std::string_view kTrue[] = {"1", "t", "T", "true", "TRUE", "True"};
constexpr std::string_view kFalse[] = {"0", "f", "F", "false", "FALSE", "False"};

bool is_flag_word(const std::string& word, std::span<const std::string_view> words) {
  return std::ranges::find(words, word) != words.end();
}

}  // namespace

void add_apply_flags(CLI::App& command, ApplyFlags& flags) {
  add_files(command, flags.files);
  add_recursive(command, flags.recursive);
  add_namespace(command, flags.namespace_);
  command.add_option("-l,--selector", flags.label_selector,
                     "Label selector of the objects of the files, such as app=web,tier!=db");
  command.add_flag("--server-side", flags.server_side,
                   "Let the server compute the changes, and record who owns each field");
  command.add_flag("--force-conflicts", flags.force_conflicts,
                   "With --server-side: take over fields that other field managers own");
  add_field_manager(command, flags.field_manager);
  command.add_flag("--show-managed-fields", flags.show_managed_fields,
                   "Keep the managed fields of the objects that are printed");
}

Result<void> check_files(const ApplyFlags& flags) {
  if (!flags.files.empty()) return {};
  return Error(ErrorCode::InvalidArgument, "must specify -f");
}

Result<void> check_conflicts(const ApplyFlags& flags) {
  if (!flags.force_conflicts || flags.server_side) return {};
  return Error(ErrorCode::InvalidArgument, "--force-conflicts only works with --server-side");
}

std::string manager_of(const ApplyFlags& flags) {
  if (!flags.field_manager.empty()) return flags.field_manager;
  return std::string(flags.server_side ? kube::kServerSideManager : kube::kClientSideManager);
}

void add_validation(CLI::App& command, std::string& word) {
  command.add_flag("--validate{strict}", word,
                   "What the server does about unknown and duplicate fields: strict refuses them, "
                   "warn reports them, ignore drops them; strict by default");
}

Result<std::string> parse_validation(const std::string& word) {
  if (word == "strict" || is_flag_word(word, kTrue)) return std::string("Strict");
  if (word == "warn") return std::string("Warn");
  if (word == "ignore" || is_flag_word(word, kFalse)) return std::string("Ignore");
  return Error(ErrorCode::InvalidArgument,
               "invalid - validate option \"" + word +
                   "\"; must be one of: strict (or true), warn, ignore (or false)");
}

}  // namespace kubecpp

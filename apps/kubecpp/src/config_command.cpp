// SPDX-License-Identifier: Apache-2.0
#include "config_command.hpp"

#include <algorithm>
#include <functional>
#include <memory>
#include <utility>

#include <kube/base/stop_signal.hpp>
#include <kube/config/client_config.hpp>
#include <kube/config/loading_rules.hpp>
#include <kube/config/modify.hpp>

#include "command.hpp"
#include "command_help.hpp"
#include "config_entries.hpp"
#include "error_output.hpp"
#include "output_format.hpp"
#include "table_printer.hpp"

namespace kubecpp {
namespace {

namespace kubeconfig = kube::kubeconfig;
using kube::Error;
using kube::ErrorCode;
using kube::Result;
using kube::json::Array;
using kube::json::Object;
using kubeconfig::Kubeconfig;
using kubeconfig::LoadingRules;

LoadingRules rules_of(const ConfigOptions& options) {
  LoadingRules rules = LoadingRules::defaults();
  rules.explicit_path = options.kubeconfig;
  return rules;
}

// A file that does not exist is an empty configuration: it is made when it is changed.
Result<Kubeconfig> load(const LoadingRules& rules) {
  if (!rules.explicit_path.empty() && kubeconfig::is_missing(rules.explicit_path))
    return Kubeconfig{};
  return rules.load();
}

// A wrong name is what kubectl reports with 1, not a wrong call.
int fail(const Error& error) {
  return report(error.code() == ErrorCode::InvalidArgument
                    ? Error(ErrorCode::Config, error.message())
                    : error);
}
int fail(const std::string& what) {
  return fail(Error(ErrorCode::Config, what));
}

int view(const ConfigOptions& options, Output& out) {
  OutputFormat format{.kind = GetOutput::Yaml};
  if (!options.output.empty()) {
    const kube::StopSignal signal;
    auto parsed = parse_document_format(options.output, signal.token());
    if (!parsed) return fail(parsed.error());
    format = *std::move(parsed);
    format.allow_missing_keys = options.allow_missing_keys;
  }
  LoadingRules rules = rules_of(options);
  if (!options.merge && rules.explicit_path.empty())
    return fail("if merge==false a precise file must be specified");
  rules.resolve_paths = false;  // they are shown as they are written
  Result<Kubeconfig> config = options.merge ? load(rules) : rules.load();
  if (!config) return fail(config.error());
  if (options.minify) {
    if (!options.context.empty()) config->current_context = options.context;
    if (auto done = kubeconfig::minify(*config); !done) return fail(done.error());
  }
  if (options.flatten) {
    if (auto done = kubeconfig::flatten(*config); !done) return fail(done.error());
  } else if (!options.raw) {
    kubeconfig::redact(*config);
    kubeconfig::shorten(*config);
  }
  if (format.kind == GetOutput::Json || format.kind == GetOutput::Yaml) {
    const bool json = format.kind == GetOutput::Json;
    out.write(json ? kubeconfig::to_json(*config) : kubeconfig::to_yaml(*config));
    return out.exit_status(0);
  }
  if (format.kind == GetOutput::Name) {
    out.write("config/<unknown>\n");  // as kubectl names an object without a name
    return out.exit_status(0);
  }
  const auto value = kube::json::parse(kubeconfig::to_json(*config));
  if (!value) return fail(value.error());
  const auto text = format.text(*value);
  if (!text) return fail(text.error());
  out.write(*text);
  return out.exit_status(0);
}

int get_contexts(const ConfigOptions& options, Output& out) {
  const Result<Kubeconfig> config = load(rules_of(options));
  if (!config) return fail(config.error());
  std::vector<std::string> names = options.words;
  if (names.empty()) {
    for (const auto& [name, context] : config->contexts) names.push_back(name);
  }
  Array columns;
  for (const char* name : {"Current", "Name", "Cluster", "AuthInfo", "Namespace"})
    columns.emplace_back(Object{{"name", name}, {"priority", 0}});
  Array rows;
  std::string text;
  std::vector<std::string> missing;
  std::sort(names.begin(), names.end());
  for (const std::string& name : names) {
    const auto found = config->contexts.find(name);
    if (found == config->contexts.end()) {
      missing.push_back(name);
      continue;
    }
    const kubeconfig::Context& context = found->second;
    text += printable(name) + "\n";
    rows.emplace_back(Object{{"cells", Array{name == config->current_context ? "*" : "", name,
                                             context.cluster, context.user, context.namespace_}}});
  }
  if (options.output == "name") {
    out.write(text);
  } else {
    TablePrinter table({.headers = !options.no_headers});
    table.add(Object{{"columnDefinitions", std::move(columns)}, {"rows", std::move(rows)}});
    out.write(table.take_text());
  }
  for (const std::string& name : missing) fail("context " + name + " not found");
  return out.exit_status(missing.empty() ? 0 : 1);
}

template <class T>
int get_names(const ConfigOptions& options, kubeconfig::Entries<T> Kubeconfig::*entries,
              Output& out) {
  const Result<Kubeconfig> config = load(rules_of(options));
  if (!config) return fail(config.error());
  std::string text = "NAME\n";
  for (const auto& [name, entry] : (*config).*entries) text += printable(name) + "\n";
  out.write(text);
  return out.exit_status(0);
}

int current_context(const ConfigOptions& options, Output& out) {
  const Result<Kubeconfig> config = load(rules_of(options));
  if (!config) return fail(config.error());
  if (config->current_context.empty()) return fail("current-context is not set");
  out.write(printable(config->current_context) + "\n");
  return out.exit_status(0);
}

// Changes the files; prints what the change returns.
int change(const ConfigOptions& options, Output& out,
           const std::function<Result<std::string>(Kubeconfig&, const std::string& file)>& by) {
  const LoadingRules rules = rules_of(options);
  std::string text;
  const auto done = kubeconfig::modify(rules, [&](Kubeconfig& config) -> Result<void> {
    Result<std::string> said = by(config, rules.default_file());
    if (!said) return said.error();
    text = *std::move(said);
    return {};
  });
  if (!done) return fail(done.error());
  out.write(text);
  return out.exit_status(0);
}

Result<std::string> said_if(const Result<void>& done, std::string text) {
  if (!done) return done.error();
  return text;
}

template <class T>
int delete_entry(const ConfigOptions& options, const std::string& kind,
                 kubeconfig::Entries<T> Kubeconfig::*entries, Output& out) {
  const std::string& name = options.words.front();
  return change(options, out, [&](Kubeconfig& config, const std::string& file) {
    if ((config.*entries).erase(name) == 0) {
      return Result<std::string>(
          Error(ErrorCode::Config, "cannot delete " + kind + " " + name + ", not in " + file));
    }
    if (kind == "context" && config.current_context == name) {
      print_error(
          "warning: this removed your active context, use \"kubecpp config use-context\" "
          "to select a different one");
    }
    return Result<std::string>("deleted " + kind + " " + printable(name) + " from " +
                               printable(file) + "\n");
  });
}

int change_by_words(const std::string& command, const ConfigOptions& options, Output& out) {
  const std::vector<std::string>& words = options.words;
  return change(options, out, [&](Kubeconfig& config, const std::string&) {
    const std::string& first = words.front();
    if (command == "use-context") {
      return said_if(kubeconfig::use_context(config, first),
                     "Switched to context \"" + first + "\".\n");
    }
    if (command == "set" && words.back().empty()) {
      return Result<std::string>(
          Error(ErrorCode::Config, "you cannot use set to unset a property"));
    }
    if (command == "set") {
      return said_if(kubeconfig::set(config, first, words.back(), options.set_raw_bytes),
                     "Property \"" + first + "\" set.\n");
    }
    if (command == "unset") {
      return said_if(kubeconfig::unset(config, first), "Property \"" + first + "\" unset.\n");
    }
    return said_if(kubeconfig::rename_context(config, first, words.back()),
                   "Context \"" + first + "\" renamed to \"" + words.back() + "\".\n");
  });
}

}  // namespace

int run_config(const CLI::App& command, const ConfigOptions& options, Output& out) {
  const auto chosen = command.get_subcommands();
  if (chosen.empty()) return help_of_group(command, out);
  const std::string name = chosen.front()->get_name();
  const auto with = [&](auto by) {
    return change(options, out,
                  [&](Kubeconfig& config, const std::string&) { return by(config, options); });
  };
  if (name == "view") return view(options, out);
  if (name == "get-contexts") return get_contexts(options, out);
  if (name == "get-clusters") return get_names(options, &Kubeconfig::clusters, out);
  if (name == "get-users") return get_names(options, &Kubeconfig::users, out);
  if (name == "current-context") return current_context(options, out);
  if (name == "delete-context") return delete_entry(options, "context", &Kubeconfig::contexts, out);
  if (name == "delete-cluster") return delete_entry(options, "cluster", &Kubeconfig::clusters, out);
  if (name == "delete-user") return delete_entry(options, "user", &Kubeconfig::users, out);
  if (name == "set-context") return with(set_context);
  if (name == "set-cluster") return with(set_cluster);
  if (name == "set-credentials") return with(set_credentials);
  return change_by_words(name, options, out);
}

}  // namespace kubecpp

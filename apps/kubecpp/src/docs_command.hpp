// SPDX-License-Identifier: Apache-2.0
//
// `kubecpp __docs`: the page about the commands, from their flags, help and examples.
#pragma once

#include <string>

#include <CLI/CLI.hpp>

namespace kubecpp {

/// Returns the page in Markdown.
std::string docs_page(const CLI::App& app);

}  // namespace kubecpp

// SPDX-License-Identifier: Apache-2.0
//
// -o custom-columns: a table whose columns are JSON paths.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <kube/base/result.hpp>
#include <kube/json/json_path_template.hpp>
#include <kube/json/value.hpp>

namespace kubecpp {

class CustomColumns {
 public:
  /// Reads "NAME:.metadata.name,IMAGE:.spec.containers[*].image".
  /// @par Errors   InvalidArgument, in kubectl's words.
  static kube::Result<CustomColumns> parse(std::string_view spec);
  /// Reads a file's text: a line of headers and a line of paths.
  /// @par Errors   InvalidArgument, in kubectl's words.
  static kube::Result<CustomColumns> parse_file(std::string_view text);

  /// Returns the objects as a table for TablePrinter. A cell has the values of its path, separated
  /// by commas, or "<none>".
  /// @par Errors   InvalidArgument: an object is not as a path expects.
  kube::Result<kube::json::Value> table(const kube::json::Array& objects) const;

 private:
  struct Column {
    std::string header{};
    kube::json::JsonPathTemplate path;
  };
  kube::Result<void> add(std::string_view header, std::string_view path);
  std::vector<Column> columns_{};
};

}  // namespace kubecpp

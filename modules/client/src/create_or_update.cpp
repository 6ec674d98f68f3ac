// SPDX-License-Identifier: Apache-2.0
//
// The parts of create_or_update() that do not depend on the type.
#include <kube/client/create_or_update.hpp>

namespace kube {

std::string_view to_string(OperationResult operation) {
  switch (operation) {
    case OperationResult::Unchanged:
      return "unchanged";
    case OperationResult::Created:
      return "created";
    case OperationResult::Updated:
      return "updated";
  }
  return "unknown";
}

namespace detail {

CreateOptions to_create_options(const UpdateOptions& options) {
  CreateOptions create;
  create.dry_run = options.dry_run;
  create.field_manager = options.field_manager;
  create.field_validation = options.field_validation;
  return create;
}

Error key_changed(const ObjectKey& key, const ObjectKey& changed) {
  return {ErrorCode::InvalidArgument,
          "create_or_update: the function may not change name or namespace, but changed \"" +
              key.to_string() + "\" to \"" + changed.to_string() + "\""};
}

}  // namespace detail
}  // namespace kube

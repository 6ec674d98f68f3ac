// SPDX-License-Identifier: Apache-2.0
#include <kube/validation/schema_validator.hpp>

#include <utility>

#include "schema_compiler.hpp"
#include "schema_node.hpp"
#include "schema_structure.hpp"
#include "schema_walk.hpp"

namespace kube::meta {

SchemaValidator::SchemaValidator(std::unique_ptr<const Impl> impl) : impl_(std::move(impl)) {}
SchemaValidator::SchemaValidator(SchemaValidator&&) noexcept = default;
SchemaValidator& SchemaValidator::operator=(SchemaValidator&&) noexcept = default;
SchemaValidator::~SchemaValidator() = default;

Result<SchemaValidator> SchemaValidator::create(const json::Value& schema,
                                                const SchemaOptions& options) {
  auto impl = std::make_unique<Impl>();
  if (auto compiled = detail::compile_schema(*impl, schema, options); !compiled)
    return compiled.error();
  return SchemaValidator(std::move(impl));
}

FieldErrors SchemaValidator::validate(const json::Value& value) const {
  FieldErrors errors = detail::check_by_openapi(*impl_->root, impl_->nodes.size(), value);
  detail::check_structure(*impl_->root, value, errors);
  return errors;
}

const SchemaValidator::Node& SchemaValidator::root() const {
  return *impl_->root;
}

const std::vector<std::string>& SchemaValidator::unchecked() const& {
  return impl_->unchecked;
}

const FieldErrors& SchemaValidator::refused_patterns() const& {
  return impl_->refused_patterns;
}

}  // namespace kube::meta

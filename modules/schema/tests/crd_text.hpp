// SPDX-License-Identifier: Apache-2.0
//
// Definitions around the schemas that the tests are about.
#pragma once

#include <string>

namespace kube::schema::test {

/// A definition of widgets.acme.io with this schema, which is flow style YAML.
inline std::string crd_with(const std::string& schema) {
  return "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\n"
         "metadata: {name: widgets.acme.io}\n"
         "spec:\n  group: acme.io\n  scope: Namespaced\n  names: {plural: widgets, kind: Widget}\n"
         "  versions:\n  - name: v1\n    served: true\n    storage: true\n    schema:\n"
         "      openAPIV3Schema: " +
         schema + "\n";
}

/// The same with a schema of one field, spec.
inline std::string crd_with_spec(const std::string& schema) {
  return crd_with("{type: object, properties: {spec: " + schema + "}}");
}

}  // namespace kube::schema::test

// SPDX-License-Identifier: Apache-2.0
//
// What is known of the built-in resources without asking a server: names, scope, verbs,
// subresources, columns of tables, methods of typed clients. Constant data; it refers to types by
// name, so that using it links none of them.
#pragma once

#include <span>
#include <string_view>

namespace kube::api {

using Names = std::span<const std::string_view>;

/// "scale" of deployments: what it takes or gives, and how.
struct SubresourceFacts {
  std::string_view name;
  std::string_view group;
  std::string_view version;
  std::string_view kind;
  std::string_view type;  ///< "autoscaling.v1.Scale"
  Names verbs;
};

struct KindName {
  std::string_view group;
  std::string_view version;
  std::string_view kind;
};

/// Another name of a field that selectors accept.
struct FieldAlias {
  std::string_view label;
  std::string_view field;
};

/// A column of the resource's tables.
struct PrinterColumn {
  std::string_view name;
  std::string_view type;
  std::string_view format;
  int priority;           ///< 1: of wide output only.
  std::string_view path;  ///< JSON path of the value; empty: made of several.
  std::string_view rule;  ///< How the cell is made, in a few words.
};

/// A method of the typed client beyond those of every resource: "UpdateScale".
struct ClientMethod {
  std::string_view method;
  std::string_view verb;
  std::string_view subresource;
  std::string_view input;  ///< A type; empty: none.
  bool input_is_apply_configuration;
  std::string_view result;
};

/// One resource in one version.
struct ResourceFacts {
  std::string_view group;
  std::string_view version;
  std::string_view kind;
  std::string_view type;  ///< "core.v1.Pod", the name of its descriptor.
  std::string_view list_kind;
  std::string_view list_type;
  std::string_view plural;
  std::string_view singular;
  Names short_names;
  Names categories;
  bool namespaced;
  bool served;      ///< By the release of the schema, with all APIs switched on.
  bool collection;  ///< False: only ever a subresource (policy Eviction).
  Names verbs;      ///< Of discovery.
  std::span<const SubresourceFacts> subresources;
  Names field_selectors;
  std::span<const FieldAlias> field_aliases;
  std::span<const PrinterColumn> columns;
  std::string_view clientset;  ///< "CoreV1"; empty: client-go has no typed client.
  std::string_view accessor;   ///< "Pods"
  bool protobuf;               ///< Its typed client asks for protobuf.
  Names methods;               ///< Of its typed client: "Create", "UpdateStatus", ...
  Names expansion;             ///< Hand-written ones: "Evict", ...
  std::span<const ClientMethod> client_methods;
  std::string_view introduced;  ///< Releases: "1.9"; empty: unknown or not at all.
  std::string_view deprecated;
  std::string_view removed;
  KindName replacement;    ///< What to use instead of a deprecated kind; empty: nothing.
  std::string_view since;  ///< "1.37": not in the release before; empty: it is.
};

struct GroupFacts {
  std::string_view name;  ///< "" is the core group.
  Names versions;         ///< All known, preferred first, those no longer served last.
  Names served;
  std::string_view preferred;
};

/// In the order of the schema. Safe from any thread, as all of these.
std::span<const ResourceFacts> all_resources();
/// In the order of priority in discovery.
std::span<const GroupFacts> all_groups();

/// Null for a resource that isn't built in.
const ResourceFacts* find_resource(std::string_view group, std::string_view version,
                                   std::string_view plural);
/// The resource with a collection whose objects are of the kind; null if there is none.
const ResourceFacts* find_resource_of_kind(std::string_view group, std::string_view version,
                                           std::string_view kind);

}  // namespace kube::api

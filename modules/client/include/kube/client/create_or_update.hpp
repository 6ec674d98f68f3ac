// SPDX-License-Identifier: Apache-2.0
//
// kube::create_or_update(): brings one object to the state that a function describes, whether it
// exists or not: controller-runtime's CreateOrUpdate.
//
//   const Api<ConfigMap> maps = client.api<ConfigMap>("web");
//   auto done = create_or_update(maps, "settings", [](ConfigMap& m) { m.data["level"] = "2"; });
//   if (!done) return done.error();
//   if (done->operation != OperationResult::Unchanged) std::cout << done->object.metadata.name;
#pragma once

#include <concepts>
#include <functional>
#include <stop_token>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include <kube/base/mistake.hpp>
#include <kube/base/result.hpp>
#include <kube/client/api.hpp>
#include <kube/client/retry.hpp>
#include <kube/meta/errors.hpp>
#include <kube/meta/options.hpp>
#include <kube/names/object_key.hpp>

namespace kube {

enum class OperationResult { Unchanged, Created, Updated };
/// Returns "unchanged", "created" or "updated".
/// @par Thread safety   Any thread may call it.
std::string_view to_string(OperationResult operation);

/// What create_or_update() has done, and the object as the server has it now.
template <ApiObject T>
struct CreateOrUpdateResult {
  OperationResult operation = OperationResult::Unchanged;
  T object{};
};

namespace detail {

CreateOptions to_create_options(const UpdateOptions& options);
Error key_changed(const ObjectKey& key, const ObjectKey& changed);

template <ApiObject T>
ObjectKey key_of(const T& object) {
  if constexpr (std::same_as<T, Unstructured>) {
    return object.key();
  } else {
    return {object.metadata.namespace_, object.metadata.name};
  }
}

template <ApiObject T>
std::string_view version_of(const T& object) {
  if constexpr (std::same_as<T, Unstructured>) {
    return object.resource_version();
  } else {
    return object.metadata.resource_version;
  }
}

template <ApiObject T>
T new_object(const meta::ResourceInfo& resource, const std::string& namespace_,
             std::string_view name) {
  T object{};
  if constexpr (std::same_as<T, Unstructured>) {
    object.set_gvk({resource.group, resource.version, resource.kind});
    object.set_name(name);
    if (!namespace_.empty()) object.set_namespace(namespace_);
  } else {
    object.metadata.name = name;
    object.metadata.namespace_ = namespace_;
  }
  return object;
}

// A function that can change the object: not one that gets a copy.
template <class F, class T>
concept Mutates = std::invocable<F&, T&> && !std::invocable<F&, T> &&
                  (std::is_void_v<std::invoke_result_t<F&, T&>> ||
                   std::same_as<std::invoke_result_t<F&, T&>, Result<void>>);

template <class Mutate, class T>
Result<void> mutated(Mutate& mutate, T& object) {
  if constexpr (std::is_void_v<std::invoke_result_t<Mutate&, T&>>) {
    std::invoke(mutate, object);
    return {};
  } else {
    return std::invoke(mutate, object);
  }
}

}  // namespace detail

/// Gets the object, calls `mutate` (T&) with it, or with a new one that has only its name and
/// namespace, and creates it or updates it, if `mutate` has changed it. When another writer comes
/// first (Conflict on update, AlreadyExists on create, or a deletion), it begins again, with
/// default_backoff(), so `mutate` may be called four times; it returns void or Result<void>.
///
/// An update sends the whole object, as the type T has it; to write single fields of objects that
/// others write too, Api<T>::apply() is the better way. What a server ignores, as the status of a
/// type that has the subresource "status", is sent each time that `mutate` sets it, with the result
/// Unchanged; Api<T>::update_status() writes it.
/// @par Thread safety   As Api<T>.
/// @par Errors   The error of `mutate`; InvalidArgument when it has changed name or namespace; the
///   Conflict or AlreadyExists of the last attempt; and those of Api<T>::create() and update().
///   NotFound when the namespace, or the resource, does not exist.
/// @par Blocks   For two requests an attempt, and the pauses between attempts, or until `stop` is
///   requested. The limit of Api<T>::within() is that of all together.
template <ApiObject T, class Mutate>
requires WholeObject<T> && detail::Mutates<Mutate, T> Result<CreateOrUpdateResult<T>>
create_or_update(const Api<T>& api, std::string_view name, Mutate&& mutate,
                 const UpdateOptions& options = {}, std::stop_token stop = {}) {
  using Done = CreateOrUpdateResult<T>;
  const Api<T> call(api.raw().started());
  bool is_gone = false;
  const auto once = [&]() -> Result<Done> {
    is_gone = false;
    Result<T> found = call.get(name, {}, stop);
    const bool exists = found.has_value();
    if (!exists && !is_not_found(found.error())) return found.error();
    T object = exists ? *found : detail::new_object<T>(call.resource(), call.namespace_(), name);
    const ObjectKey key = detail::key_of(object);
    if (Result<void> changed = detail::mutated(mutate, object); !changed) return changed.error();
    if (detail::key_of(object) != key) return detail::key_changed(key, detail::key_of(object));
    if (exists && object == *found) return Done{OperationResult::Unchanged, *std::move(found)};
    Result<T> written = exists ? call.update(object, options, stop)
                               : call.create(object, detail::to_create_options(options), stop);
    is_gone = exists && !written && is_not_found(written.error());
    if (!written) return written.error();
    if (!exists) return Done{OperationResult::Created, *std::move(written)};
    const std::string_view version = detail::version_of(*written);
    const bool same = !version.empty() && version == detail::version_of(*found) &&
                      options.dry_run.empty();  // which leaves the version
    return Done{same ? OperationResult::Unchanged : OperationResult::Updated, *std::move(written)};
  };
  return retry_on_error(
      call.raw().rest().runtime(), default_backoff(),
      [&](const Error& error) { return is_gone || is_conflict(error) || is_already_exists(error); },
      once, stop);
}
template <ApiObject T, class F, class... Options>
requires(!detail::Mutates<F, T>)
    KUBE_MISTAKE("[](T& object) {...}, by reference, which returns void or kube::Result<void>",
                 Result<CreateOrUpdateResult<T>>,
                 create_or_update(const Api<T>&, std::string_view, F&&, const Options&...));
template <ApiObject T, class F, std::same_as<std::stop_token> Stop>
requires detail::Mutates<F, T> KUBE_MISTAKE("create_or_update(api, name, mutate, {}, stop)",
                                            Result<CreateOrUpdateResult<T>>,
                                            create_or_update(const Api<T>&, std::string_view, F&&,
                                                             const Stop&));

}  // namespace kube

// SPDX-License-Identifier: Apache-2.0
//
// kube::TableApi: objects as the tables that kubectl prints: the server chooses columns and cells.
#pragma once

#include <functional>
#include <stop_token>
#include <string_view>
#include <utility>

#include <kube/base/result.hpp>
#include <kube/client/raw_api.hpp>
#include <kube/client/watch_stream.hpp>
#include <kube/meta/options.hpp>
#include <kube/meta/table.hpp>

namespace kube {

/// What a row holds of its object.
enum class IncludeObject { None, Metadata, Object };

/// A cheap handle; copies share the client.
///
/// @par Thread safety   All functions may be called from any thread; in a response handler they
///   fail, as RestClient::send() does.
/// @par Errors   As RawApi; Decode when the server does not make tables, as some extension servers,
///   with the kind that it has sent.
/// @par Blocks   Until the response is complete or `stop` is requested. The limit of
///   RawApi::within() is that of Api<T>::within().
class TableApi {
 public:
  explicit TableApi(RawApi raw) : raw_(std::move(raw)) {}

  /// Returns a table of one row.
  /// @par Errors   NotFound, and those of the class.
  Result<meta::Table> get(std::string_view name, const GetOptions& options = {},
                          IncludeObject include = IncludeObject::Metadata,
                          std::stop_token stop = {}) const;
  /// Returns one page: the table's metadata has continue_ when there are more. Later pages have no
  /// columns.
  /// @par Errors   Those of the class.
  Result<meta::Table> list(const ListOptions& options = {},
                           IncludeObject include = IncludeObject::Metadata,
                           std::stop_token stop = {}) const;
  /// Visits the pages of a list (of ListOptions::limit rows, 500 by default); the first has the
  /// columns. When the continue token expires on the way (410), calls `restart` and requests the
  /// whole list, with its columns, without a limit; without `restart` it fails. A server whose
  /// pages are less than half full is asked more and more slowly.
  /// @par Errors   The error of `visit`, which ends the iteration; Expired; Decode when the server
  ///   returns a continue token twice; and those of the class.
  Result<void> for_each_page(const ListOptions& options,
                             const std::function<Result<void>(meta::Table&&)>& visit,
                             const std::function<void()>& restart = nullptr,
                             IncludeObject include = IncludeObject::Metadata,
                             std::stop_token stop = {}) const;
  /// Opens a watch whose events are tables of one row: the first event has the columns, a bookmark
  /// has no row. It ends as Api<T>::watch(). An event of a server that does not make tables ends it
  /// with an event of type Error.
  /// @par Errors   Those of the class. An expired resourceVersion (410) can also come as an event
  ///   of type Error.
  Result<WatchStream<meta::Table>> watch(const ListOptions& options = {},
                                         IncludeObject include = IncludeObject::Metadata,
                                         std::stop_token stop = {}) const;

 private:
  Result<meta::Table> send(Request request, IncludeObject include, std::stop_token stop) const;

  RawApi raw_;
};

}  // namespace kube

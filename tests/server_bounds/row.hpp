// SPDX-License-Identifier: Apache-2.0
//
// What is sent to the embedded server, in three sizes, and what each may cost.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace bounds {

/// What one measurement sends.
struct Exchange {
  /// Whole requests, sent one after the other before the measurement; each must succeed.
  std::vector<std::string> before{};
  /// The bytes that are measured. The last request in them asks for the end of the connection (see
  /// request()), because an answer is read up to that end.
  std::string bytes{};
  /// The same bytes go over this many connections, one after the other, all of which stay open
  /// until the measurement is over.
  std::size_t connections = 1;
  /// true: only the heads of the answers are read while `after` is sent; that is how watches that
  /// do not read look.
  bool stalled = false;
  /// Sent as `bytes` are, one after the other, once all connections have their heads. Measured;
  /// their bytes count once for each of the connections, which are told of them.
  std::vector<std::string> after{};
};

/// What the server may use for an exchange. Memory is growth above what it held before, two to
/// three times what is measured: of most inputs less than 25 bytes a byte.
struct Limits {
  double bytes_per_byte = 50;   ///< Over a fixed 4 MiB, which every exchange may take.
  double most_megabytes = 100;  ///< Whatever the input is.
};

/// One line of the table.
struct Row {
  std::string name;          ///< "chunk extensions"; one that no other row has.
  std::size_t size;          ///< Roughly the bytes of the smallest input.
  std::vector<int> answers;  ///< The statuses that the first answer may have, at any size.
  /// Called for 1, 10 and 100 times the size, each in a server of its own. `name` differs from call
  /// to call: objects that are made carry it, so that none is in the way of another.
  std::function<Exchange(std::size_t size, const std::string& name)> make;
  Limits limits{};
};

/// A request that ends its connection. `headers` are whole lines, each with its "\r\n".
std::string request(std::string_view method, std::string_view target, std::string_view body = {},
                    std::string_view headers = "Content-Type: application/json\r\n");

/// A request behind which others follow on the connection.
std::string also(std::string_view method, std::string_view target, std::string_view body = {},
                 std::string_view headers = "Content-Type: application/json\r\n");
/// Reads a table, and ends its connection.
std::string table_request(std::string_view target);

/// `count` texts of about `size` bytes in all, each made from its number, with `between` in
/// between.
std::string repeat(std::size_t size, std::string_view between,
                   const std::function<std::string(std::size_t)>& make);

/// What arrives at sockets: heads, framing, targets, selectors, watches.
std::vector<Row> request_rows();
/// What is done with bodies: those of objects, definitions and what is under them, and what grows
/// with the objects that there are.
std::vector<Row> algorithm_rows();
std::vector<Row> body_rows();
std::vector<Row> definition_rows();
std::vector<Row> state_rows();

/// What a row may cost that the usual limits do not fit: each says why.
void allow(std::vector<Row>& rows, std::string_view name, const Limits& limits);

}  // namespace bounds

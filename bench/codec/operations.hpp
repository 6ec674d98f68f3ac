// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <kube/api/core/v1/pod.hpp>

namespace kube::bench {

/// One pod in all its forms; both encodings as a server sends them.
struct Sample {
  std::string protobuf;
  std::string json;
  core::v1::Pod pod{};
  core::v1::Pod equal{};
};

/// Something that is done with a pod, on our side.
struct Operation {
  std::string name;  ///< Ours.
  std::string title;
  std::string peer{};      ///< Name of the same thing on the other side; empty: there is none.
  double asked = 0;        ///< How many times as fast as `peer`, or as `compared`, it is to be.
  std::string compared{};  ///< Of what is compared with another operation of ours.
  std::function<void(Sample&)> run{};
};

/// In the order of the table.
std::vector<Operation> operations(std::vector<Sample>& samples);

}  // namespace kube::bench

// SPDX-License-Identifier: Apache-2.0
//
// Pods that a replay server sends: texts whose size is given, with what real pods carry.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace kube::bench {

/// A pod in one encoding, of which some texts of fixed length differ between pods.
///
/// @par Thread safety   Const functions: any thread.
class PodTemplate {
 public:
  /// The text has the placeholders of pods.cpp.
  PodTemplate(std::string text, std::size_t namespaces);

  std::size_t size() const { return text_.size(); }
  /// Appends pod `number` of `version`, which has ten digits.
  void append(std::size_t number, std::uint64_t version, std::string& out) const;

 private:
  struct Place {
    std::size_t offset;
    std::size_t digits;
    std::uint64_t modulo;  // 0: the version
  };
  std::string text_;
  std::vector<Place> places_;
};

/// Pods of about `bytes` in JSON, in kSizes sizes that are 16 bytes apart, as pods that change are.
class Pods {
 public:
  static constexpr std::size_t kSizes = 16;

  /// Pod `number` is in namespace number % namespaces, which are at most 1,000.
  /// @par Errors   Throws std::runtime_error.
  Pods(std::size_t bytes, std::size_t namespaces);

  const PodTemplate& json(std::size_t number, std::uint64_t version) const {
    return json_[size_of(number, version)];
  }
  /// The bare message.
  const PodTemplate& protobuf(std::size_t number, std::uint64_t version) const {
    return protobuf_[size_of(number, version)];
  }

 private:
  static std::size_t size_of(std::size_t number, std::uint64_t version) {
    return (number * 7 + version * 5) % kSizes;
  }
  std::vector<PodTemplate> json_;
  std::vector<PodTemplate> protobuf_;
};

}  // namespace kube::bench

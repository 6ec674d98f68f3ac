// SPDX-License-Identifier: Apache-2.0
//
// What the generated types cost besides time at run time: the compilation of a header, the size of
// the library, and the memory of a decoded pod (data/pod.json, a running pod of a Deployment) in
// proportion to its bytes in protobuf.
#include <benchmark/benchmark.h>
#include <malloc.h>
#include <sys/resource.h>

#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <new>
#include <string>

#include <kube/api/core/v1/pod.hpp>
#include <kube/codec/codec.hpp>
#include <kube/codec/protobuf.hpp>

namespace {

std::atomic<std::ptrdiff_t> live_bytes{0};
std::atomic<std::ptrdiff_t> live_blocks{0};

}  // namespace

// Every block counts with what it really takes, not with what was asked for.
void* operator new(std::size_t size) {
  void* block = std::malloc(size);
  if (block == nullptr) throw std::bad_alloc();
  live_bytes += static_cast<std::ptrdiff_t>(malloc_usable_size(block));
  ++live_blocks;
  return block;
}
void operator delete(void* block) noexcept {
  if (block == nullptr) return;
  live_bytes -= static_cast<std::ptrdiff_t>(malloc_usable_size(block));
  --live_blocks;
  std::free(block);
}
void operator delete(void* block, std::size_t) noexcept {
  operator delete(block);
}

namespace kube {
namespace {

namespace fs = std::filesystem;
using core::v1::Pod;

std::string read_file(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

// Processor time of the children that have ended.
double child_seconds() {
  rusage usage{};
  getrusage(RUSAGE_CHILDREN, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

void compile(benchmark::State& state, const std::string& source) {
  const fs::path file = fs::temp_directory_path() / "kube-footprint.cpp";
  const fs::path object = fs::temp_directory_path() / "kube-footprint.o";
  std::ofstream(file) << source;
  const std::string command = std::string(KUBE_COMPILER) + " -O2 -g1 @" + KUBE_COMPILE_OPTIONS +
                              " -c " + file.string() + " -o " + object.string();
  for (auto _ : state) {
    const double before = child_seconds();
    if (std::system(command.c_str()) != 0) return state.SkipWithError("does not compile");
    state.SetIterationTime(child_seconds() - before);
  }
  fs::remove(file);
  fs::remove(object);
}

// To reach: 1.5 s.
void CompilePodHeader(benchmark::State& state) {
  compile(state, "#include <kube/api/core/v1/pod.hpp>\n");
}
BENCHMARK(CompilePodHeader)->UseManualTime()->Unit(benchmark::kSecond)->Iterations(3);

void CompileCoreUmbrella(benchmark::State& state) {
  compile(state, "#include <kube/api/core/v1.hpp>\n");
}
BENCHMARK(CompileCoreUmbrella)->UseManualTime()->Unit(benchmark::kSecond)->Iterations(3);

// The header and what the standard library's part of it costs, for comparison.
void CompileStandardHeaders(benchmark::State& state) {
  compile(state,
          "#include <chrono>\n#include <map>\n#include <memory>\n#include <string>\n"
          "#include <variant>\n#include <vector>\n");
}
BENCHMARK(CompileStandardHeaders)->UseManualTime()->Unit(benchmark::kSecond)->Iterations(3);

// To reach: 25 MB.
void StripLibrary(benchmark::State& state) {
  const fs::path stripped = fs::temp_directory_path() / "kube-footprint.a";
  const std::string command =
      std::string(KUBE_STRIP) + " -g -o " + stripped.string() + " " + KUBE_API_LIBRARY;
  for (auto _ : state) {
    if (std::system(command.c_str()) != 0) return state.SkipWithError("strip failed");
  }
  state.counters["MB"] = static_cast<double>(fs::file_size(stripped)) / 1e6;
  fs::remove(stripped);
}
BENCHMARK(StripLibrary)->Unit(benchmark::kSecond)->Iterations(1);

// The pod as a server sends it, without white space.
Pod pod_of_file() {
  return meta::from_json<Pod>(read_file(KUBE_POD_FILE)).value();
}

template <class Decode>
void count_memory(benchmark::State& state, std::size_t wire, Decode decode) {
  for (auto _ : state) {
    const std::ptrdiff_t bytes = live_bytes;
    const std::ptrdiff_t blocks = live_blocks;
    const auto pod = decode();
    if (!pod) return state.SkipWithError(pod.error().to_string().c_str());
    state.PauseTiming();
    // Its own struct, and what it points to.
    const auto taken = static_cast<double>(live_bytes - bytes) + sizeof(Pod);
    state.counters["wire"] = static_cast<double>(wire);
    state.counters["memory"] = taken;
    state.counters["blocks"] = static_cast<double>(live_blocks - blocks);
    state.counters["ratio"] = taken / static_cast<double>(wire);
    state.ResumeTiming();
  }
}

// To reach: a ratio of 2.5.
void MemoryOfDecodedPod(benchmark::State& state) {
  const std::string wire = meta::to_protobuf(pod_of_file()).value();
  count_memory(state, wire.size(), [&] { return meta::from_protobuf<Pod>(wire); });
}
BENCHMARK(MemoryOfDecodedPod)->Iterations(10);

// The same value by way of JSON, in proportion to its bytes in protobuf.
void MemoryOfPodFromJson(benchmark::State& state) {
  const std::string wire = meta::to_protobuf(pod_of_file()).value();
  const std::string text = meta::to_json(pod_of_file());
  count_memory(state, wire.size(), [&] { return meta::from_json<Pod>(text); });
}
BENCHMARK(MemoryOfPodFromJson)->Iterations(10);

}  // namespace
}  // namespace kube

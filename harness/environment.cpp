#include "harness/environment.h"

#include <fmt/format.h>
#include <hwy/highway.h>

#include <algorithm>
#include <cfenv>
#include <cstdint>
#include <fstream>
#include <limits>
#include <string_view>
#include <vector>

#include "harness/error.h"
#include "harness/suggest.h"

#if defined(__SSE2__)
#include <xmmintrin.h>
#endif

#ifdef __FAST_MATH__
#error "halfulp checks roundings, which -ffast-math gives up: compile without it"
#endif

// Set by the build system for this file alone.
#ifndef HALFULP_VERSION
#define HALFULP_VERSION "unknown"
#endif
#ifndef HALFULP_COMMIT
#define HALFULP_COMMIT "unknown"
#endif
#ifndef HALFULP_COMPILE_FLAGS
#define HALFULP_COMPILE_FLAGS "unknown"
#endif
#ifndef HALFULP_BUILD_TYPE
#define HALFULP_BUILD_TYPE "unknown"
#endif

namespace halfulp {
namespace {

std::string compiler() {
#if defined(__clang__)
  return fmt::format("Clang {}.{}.{}", __clang_major__, __clang_minor__, __clang_patchlevel__);
#elif defined(__GNUC__)
  return fmt::format("GCC {}.{}.{}", __GNUC__, __GNUC_MINOR__, __GNUC_PATCHLEVEL__);
#else
  return "unknown";
#endif
}

std::string cpu() {
  std::ifstream cpuinfo("/proc/cpuinfo");
  for (std::string line; std::getline(cpuinfo, line);) {
    const std::size_t colon = line.find(": ");
    if (line.starts_with("model name") && colon != std::string::npos) return line.substr(colon + 2);
  }
  return "unknown";
}

std::string rounding() {
  switch (std::fegetround()) {
    case FE_TONEAREST:
      return "to_nearest_even";
    case FE_TOWARDZERO:
      return "toward_zero";
    case FE_UPWARD:
      return "upward";
    case FE_DOWNWARD:
      return "downward";
    default:
      return "unknown";
  }
}

#if defined(__SSE2__)
constexpr unsigned mxcsr_denormals_are_zero = 1u << 6;
constexpr unsigned mxcsr_flush_to_zero = 1u << 15;

bool flushes_to_zero() { return (_mm_getcsr() & mxcsr_flush_to_zero) != 0; }
bool denormals_are_zero() { return (_mm_getcsr() & mxcsr_denormals_are_zero) != 0; }
#else
/// Does a subnormal result come out as zero?
bool flushes_to_zero() {
  volatile float min_normal = std::numeric_limits<float>::min();
  volatile float half = 0.5f;
  volatile float result = min_normal * half;
  return result == 0;
}
/// Does a subnormal operand count as zero?
bool denormals_are_zero() {
  volatile float subnormal = std::numeric_limits<float>::denorm_min();
  volatile float large = 0x1p100f;
  volatile float result = subnormal * large;
  return result == 0;
}
#endif

/// Kernels were compiled for the targets in HWY_TARGETS; with several, a call goes to the best one
/// that Highway supports at the time. Targets are bits, the best one lowest.
std::vector<std::int64_t> single_targets(std::int64_t mask) {
  std::vector<std::int64_t> targets;
  for (std::int64_t rest = mask; rest != 0; rest &= rest - 1) targets.push_back(rest & -rest);
  return targets;
}

/// Compiled, and on this machine, whatever `select_isa` chose before.
std::vector<std::int64_t> runnable_targets() {
  const std::int64_t selected = hwy::SupportedTargets();
  hwy::SetSupportedTargetsForTest(0);
  const std::int64_t detected = hwy::SupportedTargets();
  hwy::SetSupportedTargetsForTest(selected);
  return single_targets(detected & HWY_TARGETS);
}

/// The target that a dispatched call goes to.
std::int64_t chosen_target() {
  const std::vector<std::int64_t> targets = single_targets(hwy::SupportedTargets() & HWY_TARGETS);
  return targets.empty() ? std::int64_t{HWY_STATIC_TARGET} : targets.front();
}

}  // namespace

RunEnvironment run_environment() {
  return {.version = HALFULP_VERSION,
          .commit = HALFULP_COMMIT,
          .compiler = compiler(),
          .flags = HALFULP_COMPILE_FLAGS,
          .build_type = HALFULP_BUILD_TYPE,
          .cpu = cpu(),
          .isa = hwy::TargetName(chosen_target()),
          .rounding = rounding(),
          .flush_to_zero = flushes_to_zero(),
          .denormals_are_zero = denormals_are_zero()};
}

void require_ieee_environment() {
  const auto require = [](bool fulfilled, std::string_view what) {
    if (!fulfilled) {
      throw Failure(ExitCode::oracle_failure,
                    fmt::format("floating-point environment: {}: no result would be right", what));
    }
  };
  require(std::fegetround() == FE_TONEAREST, "the rounding mode is " + rounding());
  require(!flushes_to_zero(), "subnormal results are flushed to zero");
  require(!denormals_are_zero(), "subnormal operands are taken as zero");
}

std::vector<std::string> available_isas() {
  std::vector<std::string> names;
  for (const std::int64_t target : runnable_targets()) names.emplace_back(hwy::TargetName(target));
  return names;
}

void select_isa(const std::string& name) {
  const std::vector<std::int64_t> targets = runnable_targets();
  const auto named = std::ranges::find(
      targets, name, [](std::int64_t target) { return std::string(hwy::TargetName(target)); });
  if (named == targets.end()) {
    const std::vector<std::string> names = available_isas();
    const std::vector<std::string_view> known(names.begin(), names.end());
    throw UsageError(unknown_name("instruction set", name, known));
  }
  hwy::SetSupportedTargetsForTest(*named);
}

}  // namespace halfulp

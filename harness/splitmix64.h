// SplitMix64 (Steele, Lea and Flood, 2014): random bits that are the same on every machine.
#pragma once

#include <cstdint>

namespace halfulp {

/// What each step adds to the state.
inline constexpr std::uint64_t splitmix64_step = 0x9e3779b97f4a7c15;

/// The output after one step from `state`: a bijection that scatters its argument. Output k of the
/// stream that starts in `state` is splitmix64(state + k * splitmix64_step).
constexpr std::uint64_t splitmix64(std::uint64_t state) {
  std::uint64_t z = state + splitmix64_step;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

}  // namespace halfulp

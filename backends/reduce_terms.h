// What a reduction combines: how an element becomes a partial result, how one is added to it, and
// how two are merged. The order in which that happens is none of their business.
#pragma once

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "backends/kernels.h"
#include "backends/reduce.h"

namespace halfulp::backends {

/// Elements first, first + stride, first + 2 * stride, ... of a vector, or of two.
template <typename T>
struct View {
  const T* x = nullptr;
  const T* y = nullptr;  ///< only for `dot`
  std::ptrdiff_t first = 0;
  std::ptrdiff_t stride = 1;
  std::size_t size = 0;

  T x_at(std::size_t i) const { return x[first + static_cast<std::ptrdiff_t>(i) * stride]; }
  T y_at(std::size_t i) const { return y[first + static_cast<std::ptrdiff_t>(i) * stride]; }
  View slice(std::size_t from, std::size_t count, std::ptrdiff_t step) const {
    return {x, y, first + static_cast<std::ptrdiff_t>(from) * stride, stride * step, count};
  }
};

/// Rounding of a partial operation (`narrow`, inlined for one kind) and of a result.
template <typename T, Narrowing::Kind kind>
class Rounding {
 public:
  explicit Rounding(const Reduction& reduction)
      : step_(reduction.step), result_(reduction.result) {}

  T step(T value) const {
    if constexpr (kind == Narrowing::Kind::none) return value;
    if constexpr (kind == Narrowing::Kind::significand_only) return significand(value);
    if constexpr (kind == Narrowing::Kind::full) return full(value);
  }
  T result(T value) const {
    if constexpr (std::is_same_v<T, float>) return narrow(value, result_);
    return value;
  }

 private:
  float significand(float value) const {
    const auto bits = std::bit_cast<std::uint32_t>(value);
    const std::uint32_t unit = 1u << step_.dropped_bits;
    const std::uint32_t last_kept = (bits >> step_.dropped_bits) & 1u;
    const std::uint32_t rounded = (bits + (unit / 2 - 1) + last_kept) & ~(unit - 1);
    return std::isnan(value) ? value : std::bit_cast<float>(rounded);
  }
  float full(float value) const {
    const float magnitude = std::fabs(value);
    float rounded = magnitude < step_.min_normal ? (magnitude + step_.magic) - step_.magic
                                                 : significand(magnitude);
    if (rounded > step_.max_finite) rounded = step_.overflow;
    return std::isnan(value) ? value : std::copysign(rounded, value);
  }

  Narrowing step_;
  Narrowing result_;
};

/// Partial results that are one number.
template <typename T, Narrowing::Kind kind>
struct NumberTerms : Rounding<T, kind> {
  using State = T;
  using Rounding<T, kind>::Rounding;
  State narrowed(State s) const { return this->result(s); }
};

template <typename T, Narrowing::Kind kind>
struct SumTerms : NumberTerms<T, kind> {
  static constexpr bool compensated = true;
  using NumberTerms<T, kind>::NumberTerms;

  T lift(const View<T>& v, std::size_t i) const { return v.x_at(i); }
  T append(T s, const View<T>& v, std::size_t i) const { return this->step(s + v.x_at(i)); }
  T merge(T a, T b) const { return this->step(a + b); }
  /// The element less a compensation.
  T minus(const View<T>& v, std::size_t i, T c) const { return this->step(v.x_at(i) - c); }
};

template <typename T, Narrowing::Kind kind>
struct ProductTerms : NumberTerms<T, kind> {
  static constexpr bool compensated = false;
  using NumberTerms<T, kind>::NumberTerms;

  T lift(const View<T>& v, std::size_t i) const { return v.x_at(i); }
  T append(T s, const View<T>& v, std::size_t i) const { return this->step(s * v.x_at(i)); }
  T merge(T a, T b) const { return this->step(a * b); }
};

template <typename T, Narrowing::Kind kind, Products products>
struct DotTerms : NumberTerms<T, kind> {
  static constexpr bool compensated = true;
  using NumberTerms<T, kind>::NumberTerms;

  T lift(const View<T>& v, std::size_t i) const { return this->step(v.x_at(i) * v.y_at(i)); }
  T append(T s, const View<T>& v, std::size_t i) const {
    if constexpr (products == Products::fused) {
      return this->step(std::fma(v.x_at(i), v.y_at(i), s));
    }
    return this->step(s + lift(v, i));
  }
  T merge(T a, T b) const { return this->step(a + b); }
  T minus(const View<T>& v, std::size_t i, T c) const {
    if constexpr (products == Products::fused) {
      return this->step(std::fma(v.x_at(i), v.y_at(i), -c));
    }
    return this->step(lift(v, i) - c);
  }
};

/// How many elements, their mean, and the sum of their squared distances from it.
template <typename T>
struct Moments {
  std::uint64_t count;
  T mean;
  T m2;
};

/// States that merge by Chan's formula (T. F. Chan, G. H. Golub and R. J. LeVeque, 1979).
template <typename T, Narrowing::Kind kind>
struct ChanTerms : Rounding<T, kind> {
  using State = Moments<T>;
  static constexpr bool compensated = false;
  using Rounding<T, kind>::Rounding;

  State lift(const View<T>& v, std::size_t i) const { return {1, v.x_at(i), 0}; }
  State append(const State& s, const View<T>& v, std::size_t i) const {
    return merge(s, lift(v, i));
  }
  State merge(const State& a, const State& b) const {
    const T d = this->step(b.mean - a.mean);
    const T r = this->step(number(b.count) / number(a.count + b.count));
    const T squares = this->step(d * d);
    const T weight = this->step(number(a.count) * r);
    return {a.count + b.count, this->step(a.mean + this->step(d * r)),
            this->step(this->step(a.m2 + b.m2) + this->step(squares * weight))};
  }
  State narrowed(const State& s) const {
    return {s.count, this->result(s.mean), this->result(s.m2)};
  }

 protected:
  T number(std::uint64_t count) const { return this->step(static_cast<T>(count)); }
};

/// Elements one by one (B. P. Welford, 1962), parts by Chan's formula.
template <typename T, Narrowing::Kind kind>
struct WelfordTerms : ChanTerms<T, kind> {
  using State = Moments<T>;
  using ChanTerms<T, kind>::ChanTerms;

  State lift(const View<T>& v, std::size_t i) const { return append({0, 0, 0}, v, i); }
  State append(const State& s, const View<T>& v, std::size_t i) const {
    const T x = v.x_at(i);
    const std::uint64_t k = s.count + 1;
    const T d = this->step(x - s.mean);
    const T mean = this->step(s.mean + this->step(d / this->number(k)));
    return {k, mean, this->step(s.m2 + this->step(d * this->step(x - mean)))};
  }
};

}  // namespace halfulp::backends

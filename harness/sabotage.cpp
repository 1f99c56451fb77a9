#include "harness/sabotage.h"

#include <algorithm>
#include <limits>
#include <memory>

#include "harness/encoding.h"

namespace halfulp {
namespace {

/// One result as a sabotage sees it.
struct Target {
  std::uint64_t n;
  std::uint64_t index;
  std::size_t lane;
};

constexpr std::uint64_t victim_width = 97;
constexpr std::uint64_t victim_index = 41;
constexpr std::size_t victim_lane = 7;
constexpr std::uint64_t sample_distance = 64;

bool is_victim(const Target& t) { return t.n == victim_width && t.index == victim_index; }

float one_step_up(float value) {
  const std::uint64_t bits = encode_exact(static_cast<double>(value), binary16);
  return static_cast<float>(to_double(next_up(bits, binary16), binary16));
}

bool is_sampled(std::uint64_t n, std::uint64_t index) {
  return index % sample_distance == 0 || index + 1 == n;
}

float last_bit(const Target& t, float value) { return is_victim(t) ? one_step_up(value) : value; }
float lost_sign(const Target&, float value) { return value == 0 ? -0.0f : value; }
float lost_zero(const Target&, float value) { return value == 0 ? 0x1p-24f : value; }
float not_a_number(const Target& t, float value) {
  return is_victim(t) ? std::numeric_limits<float>::quiet_NaN() : value;
}
float infinite(const Target& t, float value) {
  return is_victim(t) ? std::numeric_limits<float>::infinity() : value;
}
float untouched(const Target& t, float value) {
  return t.index + 1 == t.n ? std::bit_cast<float>(poison_f32) : value;
}
float one_lane(const Target& t, float value) {
  return t.lane == victim_lane ? one_step_up(value) : value;
}
float samples_only(const Target& t, float value) {
  return is_sampled(t.n, t.index) ? value : one_step_up(value);
}

template <float (*alter)(const Target&, float)>
class SabotagedEvaluator final : public Evaluator {
 public:
  explicit SabotagedEvaluator(std::unique_ptr<Evaluator> honest) : honest_(std::move(honest)) {}
  void bind(const Binding& binding) override {
    n_ = binding.count;
    honest_->bind(binding);
  }
  void evaluate(std::uint64_t first, Block& out) override {
    honest_->evaluate(first, out);
    for (std::size_t lane = 0; lane < out.size; ++lane) {
      out.f32[lane] = alter({n_, first + lane, lane}, out.f32[lane]);
    }
  }

 private:
  std::unique_ptr<Evaluator> honest_;
  std::uint64_t n_ = 0;
};

template <float (*alter)(const Target&, float)>
Backend sabotaged(std::string_view name) {
  Backend backend = find_backend("fused-fp32");
  backend.name = "sabotage-" + std::string(name);
  backend.compile = [](const Backend&, const Program& program,
                       const Format& dtype) -> std::unique_ptr<Evaluator> {
    const Backend honest = find_backend("fused-fp32");
    return std::make_unique<SabotagedEvaluator<alter>>(honest.compile(honest, program, dtype));
  };
  return backend;
}

template <typename Count>
std::uint64_t sum_over(const Widths& widths, Count count) {
  std::uint64_t total = 0;
  for (std::uint64_t k = 0; k < widths.size(); ++k) total += count(widths[k]);
  return total;
}

/// An axis of odd length has its one zero in the middle. Counts the zeros that `hit` says are hit.
template <typename Hit>
std::uint64_t zeros_where(const Widths& widths, Hit hit) {
  return sum_over(widths, [&](std::uint64_t n) { return n % 2 == 1 && hit(n, n / 2) ? 1u : 0u; });
}
std::uint64_t zeros(const Widths& widths) {
  return zeros_where(widths, [](auto, auto) { return true; });
}

SabotageCounts expected_one_lane(const Widths& widths) {
  return {.differing = sum_over(widths, [](auto n) { return n > victim_lane ? 1u : 0u; }),
          .steps_max = 1,
          .zero_lost = zeros_where(widths, [](auto, auto index) { return index == victim_lane; }),
          .lane_dependence = true};
}

SabotageCounts expected_samples_only(const Widths& widths) {
  const auto wrong_points = [](std::uint64_t n) {
    std::uint64_t wrong = 0;
    for (std::uint64_t i = 0; i < n; ++i) wrong += is_sampled(n, i) ? 0 : 1;
    return wrong;
  };
  return {.differing = sum_over(widths, wrong_points),
          .steps_max = 1,
          .zero_lost = zeros_where(widths, [](auto n, auto i) { return !is_sampled(n, i); })};
}

SabotageCounts one_nonfinite(const Widths&) { return {.differing = 1, .nonfinite = 1}; }

}  // namespace

SabotageCounts counts_of(const SweepRow& row) {
  const Metrics& m = row.metrics;
  return {m.differing, m.steps.value, m.zero_lost,          m.zero_sign,
          m.nonfinite, m.unwritten,   row.lanes.changed > 0};
}

std::vector<Sabotage> all_sabotages() {
  return {
      {"last-bit", "one result is off by its last bit", sabotaged<last_bit>("last-bit"),
       [](const Widths&) { return SabotageCounts{.differing = 1, .steps_max = 1}; }},
      {"zero-sign", "every +0 became -0", sabotaged<lost_sign>("zero-sign"),
       [](const Widths& w) { return SabotageCounts{.zero_sign = zeros(w)}; }},
      {"zero-lost", "every zero became the smallest subnormal", sabotaged<lost_zero>("zero-lost"),
       [](const Widths& w) {
         return SabotageCounts{.differing = zeros(w), .steps_max = 1, .zero_lost = zeros(w)};
       }},
      {"nan", "one result is NaN", sabotaged<not_a_number>("nan"), one_nonfinite},
      {"infinity", "one result is infinite", sabotaged<infinite>("infinity"), one_nonfinite},
      {"stale", "the last result of every axis is not written", sabotaged<untouched>("stale"),
       [](const Widths& w) {
         return SabotageCounts{.differing = w.size(), .nonfinite = w.size(), .unwritten = w.size()};
       }},
      {"one-lane", "wrong in lane 7 of a block only", sabotaged<one_lane>("one-lane"),
       expected_one_lane},
      {"samples-only", "right at every 64th point and the last, wrong elsewhere",
       sabotaged<samples_only>("samples-only"), expected_samples_only},
  };
}

Widths sabotage_widths() { return Widths::parse("2..200"); }

SweepSpec sabotage_sweep(const Backend& backend, const Widths& widths) {
  SweepSpec spec;
  spec.subject = &find_case("meshgrid");
  spec.params = {complete_params(*spec.subject, {})};
  spec.dtypes = {binary16};
  spec.backends = {backend};
  spec.widths = widths;
  return spec;
}

}  // namespace halfulp

#include "harness/fidelity.h"

#include <algorithm>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>

namespace halfulp {
namespace {

/// The variant of a backend whose results a scalar record's second digest holds.
constexpr std::string_view without_avx2 = "+rsqrt=stepwise";

/// Work is dealt out in parts of about this many points.
constexpr std::uint64_t chunk_points = std::uint64_t{1} << 20;

/// Results of an 8-bit format are digested as binary32 in scalar recordings.
Format digest_format(const Claim& claim, const Format& output) {
  return claim.widths == nullptr && output.width() == 8 ? binary32 : output;
}

void append_claims(const WidthRecord& record, std::size_t position, std::vector<Claim>& claims) {
  claims.push_back({.record = position,
                    .subject = &find_case(record.case_name),
                    .backend = record.backend,
                    .params = record.params,
                    .dtype = record.dtype,
                    .widths = &record.widths,
                    .digests = record.digests});
}

void append_claims(const ScalarRecord& record, std::size_t position, std::vector<Claim>& claims) {
  const Case& c = find_case("scalar-op");
  Claim claim{.record = position,
              .subject = &c,
              .backend = record.backend,
              .params = complete_params(c, scalar_params(record)),
              .dtype = record.dtype,
              .digests = {record.digest},
              .modelled = record.modelled};
  claims.push_back(claim);
  if (record.digest_without_avx2) {
    claim.backend += without_avx2;
    claim.digests = {*record.digest_without_avx2};
    claims.push_back(std::move(claim));
  }
}

/// Consecutive axis values of one claim.
struct Chunk {
  std::size_t claim;
  std::uint64_t first;
  std::uint64_t last;
  std::uint64_t points;
};

void append_chunks(const Claim& claim, std::size_t position, std::vector<Chunk>& chunks) {
  Chunk chunk{position, 0, 0, 0};
  while (chunk.last < claim.digests.size()) {
    chunk.points += claim.points(chunk.last, chunk.last + 1);
    ++chunk.last;
    if (chunk.points < chunk_points && chunk.last < claim.digests.size()) continue;
    chunks.push_back(chunk);
    chunk = {position, chunk.last, chunk.last, 0};
  }
}

/// Runs job(0) … job(count - 1) on threads until `stop`; rethrows the first exception.
void run_parallel(std::size_t count, unsigned threads, const std::atomic<bool>& stop,
                  const std::function<void(std::size_t)>& job) {
  std::atomic<std::size_t> next{0};
  std::exception_ptr error;
  std::mutex mutex;
  const auto work = [&] {
    try {
      for (std::size_t i = next++; i < count && !stop; i = next++) job(i);
    } catch (...) {
      const std::lock_guard lock(mutex);
      if (!error) error = std::current_exception();
      next = count;
    }
  };
  std::vector<std::jthread> helpers;
  for (unsigned t = 1; t < threads; ++t) helpers.emplace_back(work);
  work();
  helpers.clear();
  if (error) std::rethrow_exception(error);
}

/// Gathers what threads find.
class Tally {
 public:
  Tally(std::span<ClaimResult> results, std::uint64_t total, const Progress& progress)
      : results_(results), total_(total), progress_(progress) {}

  void add(const Chunk& chunk, std::span<const std::uint64_t> differing) {
    const std::lock_guard lock(mutex_);
    ClaimResult& result = results_[chunk.claim];
    result.points += chunk.points;
    result.differing.insert(result.differing.end(), differing.begin(), differing.end());
    done_ += chunk.points;
    if (progress_) progress_(done_, total_);
  }

 private:
  std::mutex mutex_;
  std::span<ClaimResult> results_;
  std::uint64_t done_ = 0;
  std::uint64_t total_;
  const Progress& progress_;
};

void check_chunk(const Claim& claim, const Chunk& chunk, const std::atomic<bool>& stop,
                 Tally& tally) {
  ClaimChecker checker(claim, find_backend(claim.backend));
  std::vector<std::uint64_t> differing;
  for (std::uint64_t position = chunk.first; position < chunk.last; ++position) {
    if (stop) return;
    if (!checker.matches(position)) differing.push_back(position);
  }
  tally.add(chunk, differing);
}

/// The chunks of all claims that can be evaluated; says of the others why not.
std::vector<Chunk> plan(std::span<const Claim> claims, std::span<ClaimResult> results) {
  std::vector<Chunk> chunks;
  for (std::size_t c = 0; c < claims.size(); ++c) {
    if (!claims[c].modelled) {
      results[c].verdict = Fidelity::not_modelled;
      continue;
    }
    try {
      const ClaimChecker can_run(claims[c], find_backend(claims[c].backend));
      append_chunks(claims[c], c, chunks);
    } catch (const Unsupported& reason) {
      results[c].verdict = Fidelity::unavailable;
      results[c].note = reason.what();
    }
  }
  return chunks;
}

}  // namespace

Params scalar_params(const ScalarRecord& record) {
  Params params{{"op", record.op}};
  if (!record.scalar.empty()) params["scalar"] = record.scalar;
  return params;
}

ExactNumber Claim::axis_value(std::uint64_t position) const {
  if (widths != nullptr) return exact(static_cast<std::int64_t>((*widths)[position]));
  return subject->axis_values(params, dtype).at(position);
}

std::uint64_t Claim::points(std::uint64_t first, std::uint64_t last) const {
  std::uint64_t sum = 0;
  for (std::uint64_t position = first; position < last; ++position) {
    sum += axis_count(*subject, params, dtype, axis_value(position));
  }
  return sum;
}

std::vector<Claim> claims_of(std::span<const Record> records) {
  std::vector<Claim> claims;
  for (std::size_t r = 0; r < records.size(); ++r) {
    std::visit([&](const auto& record) { append_claims(record, r, claims); }, records[r].content);
  }
  return claims;
}

ClaimChecker::ClaimChecker(const Claim& claim, const Backend& backend)
    : claim_(claim),
      runner_(backend, *claim.subject, claim.params, claim.dtype),
      digest_(digest_format(claim, runner_.output_format()),
              claim.widths == nullptr ? DigestZeros::signed_ : DigestZeros::positive) {}

bool ClaimChecker::matches(std::uint64_t position) {
  std::uint64_t delivered = 0;
  runner_.run(claim_.axis_value(position), [&](std::uint64_t, const Block& block) {
    digest_.add(block);
    delivered += block.size;
  });
  return digest_.take() == claim_.digests[position] &&
         delivered == claim_.points(position, position + 1);
}

std::vector<ClaimResult> check_claims(std::span<const Claim> claims, unsigned threads,
                                      const std::atomic<bool>& stop, const Progress& progress) {
  std::vector<ClaimResult> results(claims.size());
  const std::vector<Chunk> chunks = plan(claims, results);
  std::uint64_t total = 0;
  for (const Chunk& chunk : chunks) total += chunk.points;
  Tally tally(results, total, progress);
  run_parallel(chunks.size(), threads, stop, [&](std::size_t i) {
    check_chunk(claims[chunks[i].claim], chunks[i], stop, tally);
  });

  run_parallel(claims.size(), threads, stop, [&](std::size_t c) {
    ClaimResult& result = results[c];
    if (result.differing.empty()) return;
    std::sort(result.differing.begin(), result.differing.end());
    result.verdict = Fidelity::differs;
    result.note = describe_nearest_variant(claims[c], result.differing, stop);
  });
  return results;
}

}  // namespace halfulp

// The hot loop of a sweep: one thread's share of one (parameters, dtype), block by block.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "harness/diff.h"
#include "harness/evaluate.h"
#include "harness/sweep.h"

namespace halfulp {

/// One axis value of a sweep.
struct AxisValue {
  ExactNumber n;
  std::uint64_t label = 0;    ///< Point::width
  std::uint64_t count = 0;    ///< indices: the length of a vector
  std::uint64_t results = 0;  ///< what the program returns for them
};

/// A part of an axis: what a thread takes at a time.
struct Segment {
  std::size_t position = 0;  ///< of the axis value
  std::uint64_t first = 0;
  std::uint64_t last = 0;  ///< one past the end
};

/// The subjects compared in one sweep over one (parameters, dtype): shared by its threads.
struct SweepJob {
  const Case* subject = nullptr;
  Params params;
  Format dtype{};
  Format output{};
  std::vector<AxisValue> axis;
  bool labels_are_values = true;  ///< AxisValue::label is n itself
  std::uint64_t rows = 1;         ///< vectors in the batch
  Program program;                ///< for axes of two or more points
  Program singleton;              ///< for axes of one
  Reference reference;

  /// A backend, or one world of it.
  struct Subject {
    Backend backend;
    std::size_t group;  ///< subjects of one group are the worlds of one backend
  };
  std::vector<Subject> subjects;
  std::vector<std::size_t> worlds_of_group;  ///< number of subjects in each group

  bool has_worlds(std::size_t group) const { return worlds_of_group[group] > 1; }
};

/// What a worker found for a subject or, lane by lane the worst of its worlds, for a group.
struct Findings {
  Metrics metrics;
  std::vector<std::uint32_t> affected;  ///< positions of axis values with a differing point
  LaneCheck lanes;
  std::uint64_t tensor_differing = 0;  ///< of the swept axis, with its repeats
  std::uint64_t tensor_points = 0;
  std::uint64_t every_world_differs = 0;

  void merge(const Findings& other);
};

/// One thread's compiled programs and findings. Blocks of one axis value come in ascending order.
class SweepWorker {
 public:
  explicit SweepWorker(const SweepJob& job);

  void run(const Segment& segment);

  const std::vector<Findings>& subjects() const { return subjects_; }
  const std::vector<Findings>& groups() const { return groups_; }
  TierCounts tiers() const;

 private:
  struct Engine {
    std::unique_ptr<Evaluator> general;
    std::unique_ptr<Evaluator> singleton;
    Evaluator& bound(const Binding& binding);
  };
  struct Oracle {
    std::unique_ptr<OracleEvaluator> general;
    std::unique_ptr<OracleEvaluator> singleton;
  };

  void bind(const Segment& segment);
  void evaluate_reference(std::uint64_t first, std::size_t size);
  void compare_subjects(const Segment& segment, std::uint64_t first, std::size_t size);
  void fold_world(const Comparison& comparison);
  void close_group(std::size_t group, const Segment& segment, std::uint64_t first);
  void check_lanes(std::size_t subject, std::uint64_t first, std::uint64_t last);
  Comparison comparison(const Block& actual, const Segment& segment, std::uint64_t first) const;
  void add(Findings& findings, const Block& actual, const Segment& segment, std::uint64_t first);

  const SweepJob& job_;
  AxisBinder binder_;
  DiffConstants constants_;
  std::vector<Engine> engines_;
  Engine reference_engine_;
  Oracle oracle_;
  std::vector<Findings> subjects_;
  std::vector<Findings> groups_;

  // State of the bound axis and the current block.
  std::optional<std::size_t> bound_position_;
  std::vector<Evaluator*> bound_;  ///< null where the world is not admitted
  Evaluator* bound_reference_ = nullptr;
  OracleEvaluator* bound_oracle_ = nullptr;
  double range_ulp_ = 1;
  std::uint64_t repeats_ = 0;
  std::unique_ptr<OracleBlock> expected_;
  std::unique_ptr<Block> actual_;
  std::unique_ptr<Block> worst_;
  std::vector<std::uint64_t> worst_steps_;
  std::size_t worlds_folded_ = 0;
  std::vector<std::uint8_t> every_;
};

}  // namespace halfulp

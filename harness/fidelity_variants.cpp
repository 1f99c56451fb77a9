// Which backend reproduces a recording that its own does not?
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "harness/error.h"
#include "harness/fidelity.h"
#include "harness/value_text.h"

namespace halfulp {
namespace {

/// What a search may cost, in points; compiling a candidate counts as `candidate_cost`.
constexpr std::uint64_t search_budget = 100'000'000;
constexpr std::uint64_t candidate_cost = 20'000;

struct Setting {
  std::string_view field;
  std::string_view value;

  std::string text() const { return fmt::format("+{}={}", field, value); }
};

/// `name+field=value…` with one field set, replacing what it said of the field.
std::string with_setting(const std::string& backend, const Setting& setting) {
  std::string result = backend;
  const std::string start = fmt::format("+{}=", setting.field);
  if (const std::size_t from = result.find(start); from != std::string::npos) {
    const std::size_t to = result.find('+', from + 1);
    result.erase(from, to == std::string::npos ? to : to - from);
  }
  return result + setting.text();
}

/// Every way to change one field of the backend, those that make sense for it first.
std::vector<Setting> settings_of(const Backend& backend, std::span<const FieldInfo> fields) {
  std::vector<Setting> settings;
  for (const FieldInfo& field : fields) {
    for (const std::string_view value : field.values) {
      if (value != field_value(backend, field.name)) settings.push_back({field.name, value});
    }
  }
  std::stable_partition(settings.begin(), settings.end(), [&](const Setting& setting) {
    return std::find(backend.varies.begin(), backend.varies.end(), setting.field) !=
           backend.varies.end();
  });
  return settings;
}

class VariantSearch {
 public:
  VariantSearch(const Claim& claim, std::span<const std::uint64_t> differing,
                const std::atomic<bool>& stop)
      : claim_(claim), stop_(stop), order_(differing.begin(), differing.end()) {
    for (std::uint64_t p = 0; p < claim.digests.size(); ++p) {
      if (!std::binary_search(differing.begin(), differing.end(), p)) order_.push_back(p);
    }
  }

  std::string describe() {
    const std::vector<FieldInfo> fields = backend_fields();
    const std::vector<Setting> settings = settings_of(find_backend(claim_.backend), fields);
    if (const auto found = one_field(settings)) return "matches with " + *found;
    if (const auto found = other_backend()) return "matches as " + *found;
    if (const auto found = two_fields(settings)) return "matches with " + *found;
    if (spent_ < search_budget) return "no variant matches";
    return fmt::format("no variant matches within {} points", grouped(search_budget));
  }

 private:
  bool exhausted() const { return stop_ || spent_ >= search_budget; }

  std::optional<std::string> one_field(std::span<const Setting> settings) {
    for (const Setting& setting : settings) {
      if (reproduces(with_setting(claim_.backend, setting))) return setting.text();
    }
    return {};
  }

  std::optional<std::string> other_backend() {
    for (const Backend& backend : all_backends()) {
      if (reproduces(backend.name)) return backend.name;
    }
    return {};
  }

  std::optional<std::string> two_fields(std::span<const Setting> settings) {
    for (std::size_t i = 0; i < settings.size() && !exhausted(); ++i) {
      const std::string base = with_setting(claim_.backend, settings[i]);
      for (const Setting& second : settings.subspan(i + 1)) {
        if (second.field == settings[i].field) continue;
        if (reproduces(with_setting(base, second))) return settings[i].text() + second.text();
      }
    }
    return {};
  }

  /// Does the backend give every digest? Most fail at the first axis value.
  bool reproduces(const std::string& name) {
    if (exhausted()) return false;
    spent_ += candidate_cost;
    try {
      ClaimChecker checker(claim_, find_backend(name));
      for (const std::uint64_t position : order_) {
        if (exhausted()) return false;
        spent_ += claim_.points(position, position + 1);
        if (!checker.matches(position)) return false;
      }
      return true;
    } catch (const Unsupported&) {
      return false;
    } catch (const UsageError&) {
      return false;  // a combination of fields that does not exist
    }
  }

  const Claim& claim_;
  const std::atomic<bool>& stop_;
  std::vector<std::uint64_t> order_;  ///< positions, those that differed first
  std::uint64_t spent_ = 0;
};

}  // namespace

std::string describe_nearest_variant(const Claim& claim, std::span<const std::uint64_t> differing,
                                     const std::atomic<bool>& stop) {
  return VariantSearch(claim, differing, stop).describe();
}

}  // namespace halfulp

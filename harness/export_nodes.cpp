// From sizes that miss a tolerance to node ids with reasons.
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <set>

#include "harness/export.h"
#include "harness/sweep_table.h"

namespace halfulp {
namespace {

/// A value of a result that tells it apart from others.
struct Field {
  std::string placeholder;
  std::function<std::string(const Key&)> value;
};

std::vector<Field> fields_of(const std::vector<ExportSubject>& subjects) {
  std::vector<Field> fields{{"case", [](const Key& key) { return key.subject; }}};
  std::set<std::string> names;
  for (const ExportSubject& subject : subjects) {
    for (const auto& [name, value] : subject.key.params) names.insert(name);
  }
  for (const std::string& name : names) {
    fields.push_back({name, [name](const Key& key) {
                        const auto found = key.params.find(name);
                        return found == key.params.end() ? "" : name + "=" + found->second;
                      }});
  }
  fields.push_back({"dtype", [](const Key& key) { return key.dtype; }});
  fields.push_back({"backend", [](const Key& key) { return key.backend; }});
  return fields;
}

bool is_in_template(const Field& field, const NodeTemplate& node_template) {
  return node_template.uses(field.placeholder) ||
         (field.placeholder == "dtype" && node_template.uses("torch_dtype"));
}

/// The fields that the template leaves out although their values vary.
std::vector<Field> merged_fields(const std::vector<ExportSubject>& subjects,
                                 const NodeTemplate& node_template) {
  std::vector<Field> merged;
  for (Field& field : fields_of(subjects)) {
    std::set<std::string> values;
    for (const ExportSubject& subject : subjects) {
      if (!subject.sizes.empty()) values.insert(field.value(subject.key));
    }
    if (values.size() > 1 && !is_in_template(field, node_template)) {
      merged.push_back(std::move(field));
    }
  }
  return merged;
}

/// One result behind a node id that misses the tolerance.
struct Miss {
  std::string label;  ///< what the id does not say of it; may be empty
  std::string reason;
};

constexpr std::size_t most_listed = 6;

/// `a, b and 3 more`
std::string cut_list(const std::vector<std::string>& items, std::string_view separator) {
  std::string text;
  for (std::size_t i = 0; i < std::min(items.size(), most_listed); ++i) {
    if (i > 0) text += separator;
    text += items[i];
  }
  if (items.size() > most_listed) text += fmt::format(" and {} more", items.size() - most_listed);
  return text;
}

/// `reason`, or `arange eager-cpu, arange fused-fp32: reason; …` where results differ.
std::string combined_reason(const std::vector<Miss>& misses, bool is_partial) {
  std::vector<std::pair<std::string, std::vector<std::string>>> groups;
  for (const Miss& miss : misses) {
    auto group = std::ranges::find(groups, miss.reason, [](const auto& g) { return g.first; });
    if (group == groups.end()) group = groups.insert(groups.end(), {miss.reason, {}});
    group->second.push_back(miss.label);
  }
  if (groups.size() == 1 && !is_partial) return groups.front().first;
  std::vector<std::string> texts;
  for (const auto& [reason, labels] : groups) {
    texts.push_back(cut_list(labels, ", ") + ": " + reason);
  }
  return cut_list(texts, "; ");
}

/// All results of one node id.
struct Node {
  std::vector<Miss> misses;
  std::size_t results = 0;
};

class NodeCollector {
 public:
  NodeCollector(const std::vector<ExportSubject>& subjects, const NodeTemplate& node_template)
      : template_(node_template), merged_(merged_fields(subjects, node_template)) {
    for (const ExportSubject& subject : subjects) {
      has_many_sizes_ = has_many_sizes_ || subject.sizes.size() > 1;
    }
    for (const ExportSubject& subject : subjects) add(subject);
  }

  ExpectedFailures failures() const {
    ExpectedFailures out;
    for (const auto& [id, node] : nodes_) {
      if (node.misses.empty()) continue;
      const bool is_partial = node.misses.size() < node.results;
      out.listed.push_back({id, combined_reason(node.misses, is_partial)});
    }
    out.ids = nodes_.size();
    for (const Field& field : merged_) out.merged.push_back(field.placeholder);
    if (merges_sizes()) out.merged.emplace_back("width");
    return out;
  }

 private:
  bool merges_sizes() const { return has_many_sizes_ && !template_.uses("width"); }

  void add(const ExportSubject& subject) {
    std::string label;
    for (const Field& field : merged_) {
      label += (label.empty() ? "" : " ") + field.value(subject.key);
    }
    for (const ExportSize& size : subject.sizes) {
      Node& node = nodes_[template_.expand(subject.key, size.n)];
      ++node.results;
      if (!size.is_listed()) continue;
      std::string full = label;
      if (merges_sizes()) full += (full.empty() ? "" : " ") + to_string(size.n);
      node.misses.push_back({std::move(full), miss_reason(size.found)});
    }
  }

  const NodeTemplate& template_;
  std::vector<Field> merged_;
  bool has_many_sizes_ = false;
  std::map<std::string, Node> nodes_;
};

/// `smallest attainable tolerance` as a test would write it.
std::string attainable_text(const Attainment& found) { return rounded_up(found.attainable); }

}  // namespace

std::string miss_reason(const WidthTolerance& found) {
  const std::string rounded = attainable_text(found.rounded);
  if (!found.rounded.meets) {
    return fmt::format("unreachable in this dtype (smallest attainable tolerance {})", rounded);
  }
  return fmt::format("this backend misses it ({}; correctly rounded {})",
                     attainable_text(found.backend), rounded);
}

ExpectedFailures expected_failures(const std::vector<ExportSubject>& subjects,
                                   const NodeTemplate& node_template) {
  return NodeCollector(subjects, node_template).failures();
}

}  // namespace halfulp

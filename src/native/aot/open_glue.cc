#include "native/aot/open_glue.h"

#include <algorithm>
#include <map>

#include "native/aot/glue_sites.h"
#include "native/aot_runtime/weft_rt_fft.h"
#include "native/aot_runtime/weft_rt_sort.h"
#include "native/schedule/fft_plan.h"
#include "native/schedule/sort_plan.h"
#include "ops/families.h"

namespace weft::native {
namespace {

std::string text(int64_t x) { return x == INT64_MIN ? "INT64_MIN" : std::to_string(x); }

/// The lists of numbers and of their factors.
class Numbers {
 public:
  explicit Numbers(const ExtentNames& names) : names_(names) {}

  /// The position of one, which others may share.
  size_t add(int64_t n) {
    const auto [it, is_new] = known_.try_emplace(n, 0);
    if (is_new) it->second = append(n);
    return it->second;
  }
  /// The position of the first of some in a row; `is_literal(i)`: number i holds no names whatever it is.
  template <class Fn>
  size_t add_all(std::span<const int64_t> row, const Fn& is_literal) {
    const size_t first = count_;
    for (size_t i = 0; i < row.size(); ++i) append(row[i], is_literal(i));
    return first;
  }
  std::string source() const {
    return "static const weft_rt_number numbers[] = {\n" + rows_ + "  {0}\n};\nstatic const int32_t factors[] = {" +
           factors_ + "0};\n";
  }

 private:
  size_t append(int64_t n, bool is_literal = false) {
    const ExtentNames::Product p = is_literal ? ExtentNames::Product{n, {}} : names_.decode(n);
    rows_ += "  {" + text(p.coefficient) + ", " + std::to_string(num_factors_) + ", " +
             std::to_string(p.symbols.size()) + "},\n";
    for (size_t s : p.symbols) factors_ += std::to_string(s) + ", ";
    num_factors_ += p.symbols.size();
    return count_++;
  }

  const ExtentNames& names_;
  std::map<int64_t, size_t> known_;
  std::string rows_, factors_;
  size_t count_ = 0, num_factors_ = 0;
};

class Source {
 public:
  Source(const OpenParts& parts, std::vector<DataBlob>& blobs)
      : parts_(parts),
        f_(*parts.open.program->function()),
        names_(parts.open.program->names()),
        numbers_(names_),
        blobs_(blobs) {}

  std::string run() {
    expect_self_sufficient();
    const OpenProgram& program = *parts_.open.program;
    const std::vector<Type> types = f_.arg_types(), results = f_.result_types();
    const size_t num_args = program.source().args().size();
    std::string places, pools, constants, shape_args;
    for (size_t i = 0; i < num_args; ++i) places += place(types[i]);
    for (Type t : results) places += place(t);
    for (size_t i = num_args; i < types.size(); ++i)
      constants += text(static_cast<int64_t>(types[i].num_bytes())) + ", ";
    for (size_t a : program.shape_arguments()) shape_args += std::to_string(a) + ", ";
    for (const OpenArena::Pool& pool : parts_.open.arena.pools)
      pools += "{" + std::to_string(numbers_.add(pool.unit)) + ", " + text(pool.count) + "}, ";
    const std::string steps = steps_source();
    const std::string& extents = parts_.extents_symbol;
    return sites_source(parts_.extents, false, blobs_, "extents_sites") + "int " + extents +
           "(const void* const*, void* const*, void*, struct weft_rt_context*, void*);\n" + tables_ +
           numbers_.source() + "static const weft_rt_open_place open_places[] = {\n" + places +
           "  {0}\n};\nstatic const weft_rt_open_pool pools[] = {" + pools +
           "{0}};\nstatic const size_t constant_bytes[] = {" + constants +
           "0};\nstatic const int32_t shape_args[] = {" + shape_args +
           "0};\nstatic const weft_rt_open_step steps[] = {\n" + steps +
           "  {0}\n};\nstatic const weft_rt_open open = {\n  .library = &library, .extents = " + extents +
           ", .extents_sites = extents_sites,\n  .extents_workspace = " +
           std::to_string(parts_.extents.workspace_bytes) + ", .num_given = " + std::to_string(parts_.num_given) +
           ", .num_names = " + std::to_string(names_.count()) +
           ", .num_shape_args = " + std::to_string(program.shape_arguments().size()) +
           ", .num_constants = " + std::to_string(types.size() - num_args) +
           ",\n  .shape_args = shape_args, .constant_bytes = constant_bytes, .numbers = numbers, .factors = factors,\n"
           "  .places = open_places, .pools = pools, .num_pools = " +
           std::to_string(parts_.open.arena.pools.size()) + ", .num_steps = " + std::to_string(num_steps_) +
           ", .steps = steps,\n  .header_bytes = " + std::to_string(parts_.open.arena.header_bytes) +
           ", .scratch_bytes = " + std::to_string(parts_.open.scratch_bytes) + "\n};\n\n";
  }

 private:
  /// What the evaluator does in this process no library can.
  void expect_self_sufficient() const {
    for (const OpenLibraryStep& step : parts_.open.libraries) {
      if (step.open == nullptr) continue;
      const OpView op = step.open->op();
      throw Unsupported("[" + std::string(op.def().mnemonic) +
                            "] with open extents and these types there is no generated kernel, as libraries need one; "
                            "make the extents static with weft transform --refine",
                        op.loc());
    }
    for (const Site& site : parts_.open.host_ops) {
      const OpView op = site.view();
      if (is_planned(op.id) || !has_open_numbers(op, names_)) continue;
      throw Unsupported("[" + std::string(op.def().mnemonic) +
                            "] with open extents this op is compiled for the extents of a call, by what libraries do "
                            "not have; make the extents static with weft transform --refine",
                        op.loc());
    }
  }

  bool is_planned(OpId op) const {
    const auto steps = parts_.open.plans->steps();
    return std::ranges::any_of(steps, [&](const OpenPlans::Step& s) { return s.op == op; });
  }

  std::string place(Type t) {
    if (!t.is_tensor()) return "  {" + c_string(t.str()) + ", 0, 0, 0, 1},\n";
    const std::vector<int64_t> shape(t.shape().begin(), t.shape().end());
    const size_t first = numbers_.add_all(shape, [](size_t) { return false; });
    return "  {" + c_string(open_type(parts_, t)) + ", " + std::to_string(first) + ", " + std::to_string(t.rank()) +
           ", " + std::to_string(byte_size(t.element_type())) + ", " +
           std::to_string(byte_size(part_type(t.element_type()))) + "},\n";
  }

  std::string steps_source() {
    std::string rows;
    for (const OpenPlans::Step& step : parts_.open.plans->steps()) {
      const OpView op{f_, step.op};
      const auto site = std::ranges::find_if(parts_.open.sites, [&](const Site& s) { return s.op == step.op; });
      if (site == parts_.open.sites.end()) continue;
      rows += "  {" + std::to_string(site - parts_.open.sites.begin()) + ", ";
      rows += step.sort != nullptr ? sort_source(step, op) : fft_source(op);
      ++num_steps_;
    }
    return rows;
  }

  std::string sort_source(const OpenPlans::Step& step, const OpView& op) {
    const int64_t d = sorted_dimension(op);
    SortUse use = step.sort->use;
    std::vector<int64_t> words = step.sort->for_parts(parts_.partitions);
    // As many as there are, or fewer: the runtime looks at both.
    if (names_.is_open(use.take) || use.take == INT64_MAX) use.take = d < 0 ? 1 : op.operand_type(0).dim(d);
    words[WEFT_RT_SORT_TAKE] = use.take;
    if (!step.comparator.empty()) tables_ += "int32_t " + step.comparator + "(const void* const*, int64_t, int64_t);\n";
    const auto is_literal = [](size_t i) { return i > WEFT_RT_SORT_RESULT_LENGTH; };
    return "WEFT_RT_OPEN_SORT, " + std::to_string(numbers_.add_all(words, is_literal)) + ", " +
           std::to_string(words.size()) + ", 0, 0, " + (step.comparator.empty() ? "0" : step.comparator) + "},\n";
  }

  std::string fft_source(const OpView& op) {
    std::string reason;
    const auto plan = plan_fft(op, &reason);
    if (!plan) throw Unsupported("[stablehlo.fft] " + reason, op.loc());
    std::vector<int64_t> words = plan->for_parts(parts_.partitions);
    if (words[WEFT_RT_FFT_INTERMEDIATE] != 0) words[WEFT_RT_FFT_INTERMEDIATE] = 2 * op.operand_type(0).num_elements();
    const std::string name = "weft_fft_table_" + std::to_string(blobs_.size());
    tables_ += "extern const unsigned char " + name + "[] __attribute__((visibility(\"hidden\")));\n";
    const std::vector<int64_t> shape = {static_cast<int64_t>(plan->table.size())};
    if (plan->is_double) {
      blobs_.push_back({name, Tensor::of<double>(plan->table, shape)});
    } else {
      blobs_.push_back({name, Tensor::of<float>(std::vector<float>(plan->table.begin(), plan->table.end()), shape)});
    }
    const size_t passes = static_cast<size_t>(words[WEFT_RT_FFT_PASSES]);
    const auto is_literal = [&](size_t i) {
      if (i == WEFT_RT_FFT_INTERMEDIATE) return false;
      if (i < WEFT_RT_FFT_HEADER || i >= WEFT_RT_FFT_HEADER + passes * WEFT_RT_FFT_PASS_WORDS) return true;
      return (i - WEFT_RT_FFT_HEADER) % WEFT_RT_FFT_PASS_WORDS > WEFT_RT_FFT_STEP;
    };
    return "WEFT_RT_OPEN_FFT, " + std::to_string(numbers_.add_all(words, is_literal)) + ", " +
           std::to_string(words.size()) + ", " + (plan->is_double ? "1, " : "0, ") + name + ", 0},\n";
  }

  const OpenParts& parts_;
  const Function& f_;
  const ExtentNames& names_;
  Numbers numbers_;
  std::vector<DataBlob>& blobs_;
  std::string tables_;
  size_t num_steps_ = 0;
};

}  // namespace

std::string open_source(const OpenParts& parts, std::vector<DataBlob>& blobs) { return Source(parts, blobs).run(); }

std::vector<std::pair<size_t, int64_t>> given_extents(const OpenParts& parts) {
  const OpenProgram& program = *parts.open.program;
  const Function& f = *program.function();
  std::vector<std::pair<size_t, int64_t>> out;
  for (size_t k = 0; k < parts.num_given; ++k) {
    for (size_t i = 0; i < program.source().args().size() && out.size() == k; ++i) {
      const Type t = f.type(f.args()[i]);
      for (int64_t d = 0; t.is_tensor() && d < t.rank() && out.size() == k; ++d) {
        if (t.dim(d) == program.names().name(k)) out.emplace_back(i, d);
      }
    }
  }
  return out;
}

std::string open_type(const OpenParts& parts, Type t) {
  if (!t.is_tensor()) return t.str();
  const ExtentNames& names = parts.open.program->names();
  std::string out = "tensor<";
  for (int64_t d : t.shape()) {
    const ExtentNames::Product p = names.decode(d);
    std::string extent = p.coefficient != 1 || p.symbols.empty() ? std::to_string(p.coefficient) : "";
    for (size_t s : p.symbols) {
      extent += (extent.empty() ? "" : "*") + (s < parts.num_given ? "e" + std::to_string(s) : std::string("?"));
    }
    out += extent + "x";
  }
  return out + t.element_str() + ">";
}

}  // namespace weft::native

#include "native/schedule/schedule.h"

#include <algorithm>
#include <optional>
#include <ranges>
#include <set>
#include <unordered_map>
#include <unordered_set>

#include "native/codegen/kernel.h"
#include "native/contraction/epilogue.h"
#include "native/schedule/elements.h"
#include "native/schedule/fft_plan.h"
#include "native/schedule/fusion_rules.h"
#include "native/schedule/outline.h"
#include "native/schedule/sort_plan.h"
#include "ops/control_flow/lane_cost.h"
#include "ops/control_flow/region_flow.h"
#include "ops/families.h"
#include "ops/record.h"
#include "ops/reduction/sort_order.h"

namespace weft::native {
namespace {

StepKind kind_of(const OpView& op) {
  static const std::unordered_map<std::string_view, StepKind> kTable = {
      {"stablehlo.while", StepKind::kWhile},   {"stablehlo.case", StepKind::kCase},
      {"stablehlo.if", StepKind::kCase},       {"weft.lane_while", StepKind::kLaneWhile},
      {"weft.stack_new", StepKind::kStackNew}, {"weft.stack_push", StepKind::kStackPush},
      {"weft.stack_pop", StepKind::kStackPop}, {"weft.check", StepKind::kCheck},
  };
  const auto it = kTable.find(op.def().mnemonic);
  if (it != kTable.end()) {
    // Lanes of scalars run as a vector kernel; others as a loop of the entry.
    if (it->second == StepKind::kLaneWhile && codegen::can_root(op)) return StepKind::kKernel;
    const bool is_tensor_check = it->second == StepKind::kCheck && !op.operand_type(0).is_scalar();
    return is_tensor_check ? StepKind::kHost : it->second;
  }
  if (callee(op) != nullptr) return StepKind::kCall;
  const Effects effects = record(op).effects;
  if (effects == Effects::kCheck || effects == Effects::kIo) return StepKind::kHost;
  return is_scalar_op(op) ? StepKind::kScalar : StepKind::kKernel;
}

/// Ops that no kernel computes (sort, fft, …) run by their own eval rule, when that needs nothing but its operands.
bool runs_in_host(const OpView& op) {
  const auto is_plain = [](Type t) { return t.is_tensor() && t.is_static(); };
  for (size_t i = 0; i < op.num_operands(); ++i) {
    if (!is_plain(op.operand_type(i))) return false;
  }
  for (size_t i = 0; i < op.num_results(); ++i) {
    if (!is_plain(op.result_type(i))) return false;
  }
  if (record(op).eval.refused() || op.num_results() == 0) return false;
  if (op.def().mnemonic == "stablehlo.sort") return sort_keys(op.function, op.region(0)).has_value();
  return record(op).effects == Effects::kPure && op.regions().empty();
}

constexpr size_t kMaxGroupOps = 256;
constexpr size_t kMaxRoots = 12;
constexpr size_t kMaxPlaces = 4;
constexpr double kCheapFlops = 2, kRepeatFlops = 24;  // of what kernels compute rather than read, for an element

class RegionScheduler {
 public:
  RegionScheduler(const Function& f, RegionId region, LibraryChooser& libraries, bool fuse)
      : f_(f), libraries_(libraries), fuse_(fuse) {
    block_.region = region;
  }

  Block run() {
    const auto ops = f_.ops(block_.region);
    count_uses(block_.region);
    for (size_t i = 0; i < ops.size(); ++i) position_[ops[i]] = i;
    if (fuse_) place_epilogues(ops);
    if (fuse_) find_elements(ops);
    for (size_t i = ops.size(); i-- > 0;) place(ops[i]);
    emit();
    return std::move(block_);
  }

 private:
  struct Group {
    std::vector<OpId> roots;    // last in program order first
    std::vector<OpId> members;  // roots included, in reverse program order
    bool accepts_roots = false;
  };
  struct Use {
    OpId op;
    size_t operand;
  };

  OpView view(OpId op) const { return {f_, op}; }

  void count_uses(RegionId region) {
    for (OpId op : f_.ops(region)) {
      const auto operands = f_.operands(op);
      for (size_t i = 0; i < operands.size(); ++i) {
        if (region == block_.region && !f_.def(op).is_terminator) {
          uses_[operands[i]].push_back({op, i});
        } else if (region != block_.region) {
          needed_.insert(operands[i]);
          used_in_regions_.insert(operands[i]);
        }
        if (f_.def(op).is_terminator && region == block_.region) needed_.insert(operands[i]);
      }
      if (f_.def(op).is_terminator && region == block_.region) block_.results.assign(operands.begin(), operands.end());
      for (RegionId r : f_.regions(op)) {
        // Scalar bodies of reduce and the like belong to their op; they capture nothing that matters here or are refused.
        count_uses(r);
      }
    }
  }

  bool any_needed(OpId op) const {
    for (Value v : f_.results(op)) {
      if (needed_.contains(v)) return true;
    }
    return false;
  }
  bool any_used(OpId op) const {
    for (Value v : f_.results(op)) {
      if (uses_.contains(v)) return true;
    }
    return false;
  }
  void need_operands(OpId op) {
    for (Value v : f_.operands(op)) needed_.insert(v);
  }

  /// Contractions that a library runs with what follows them: one step at the place of the last op.
  void place_epilogues(std::span<const OpId> ops) {
    const auto only_user = [&](Value v) -> OpId {
      const auto it = uses_.find(v);
      if (needed_.contains(v) || it == uses_.end() || it->second.size() != 1 || kinds_.contains(it->second[0].op))
        return {};
      return it->second[0].op;
    };
    std::vector<Value> inputs;
    for (OpId op : ops) {
      const auto epilogue = find_epilogue(f_, op, only_user);
      std::string note;
      const int library = epilogue ? libraries_.choose_with(view(op), *epilogue, note) : -1;
      if (library < 0) continue;
      for (OpId member : epilogue->members) kinds_[member] = StepKind::kLibrary;
      const OpId last = epilogue->members.back();
      library_[last] = library;
      notes_[last] = note;
      auto& list = library_inputs_[last];
      list.assign(f_.operands(op).begin(), f_.operands(op).end());
      for (Value v : epilogue->inputs()) list.push_back(v);
      inputs.insert(inputs.end(), list.begin(), list.end());
    }
    needed_.insert(inputs.begin(), inputs.end());
  }

  void find_elements(std::span<const OpId> ops) {
    const UsersOf users_of = [&](Value v) -> std::optional<std::vector<OpId>> {
      if (needed_.contains(v)) return std::nullopt;
      std::vector<OpId> users;
      const auto it = uses_.find(v);
      if (it == uses_.end()) return users;
      for (const Use& use : it->second) {
        if (std::ranges::find(users, use.op) == users.end()) users.push_back(use.op);
      }
      return users;
    };
    for (OpId op : ops) {
      const auto access = element_access(view(op), users_of);
      if (!access) continue;
      elements_[op] = *access;
      with_elements_.insert(access->reshape);
    }
  }

  /// The access as a step, where something needs what it gives.
  void place_element(OpId op, const ElementAccess& access) {
    const Value out = access.is_update ? f_.result(op) : access.scalar;
    if (!needed_.contains(out) && !uses_.contains(out)) return;
    kinds_[op] = StepKind::kElement;
    need_operands(op);
    if (access.is_update) needed_.insert(access.scalar);
  }

  void place(OpId op) {
    if (f_.def(op).is_terminator || kinds_.contains(op) || with_elements_.contains(op)) return;
    if (const auto element = elements_.find(op); element != elements_.end()) return place_element(op, element->second);
    const OpView v = view(op);
    if (only_orders(v)) return;
    StepKind kind = kind_of(v);
    if (kind == StepKind::kKernel && is(v, "stablehlo.constant") && !is_free(v)) kind = StepKind::kConstant;
    const bool has_effect = record(v).effects != Effects::kPure;
    if (!any_needed(op) && !any_used(op) && !has_effect) return;  // dead
    const LibraryChooser::Form form = kind == StepKind::kKernel ? libraries_.form(v) : LibraryChooser::Form::kKernel;
    if (form == LibraryChooser::Form::kLoop) kind = StepKind::kLaneWhile;
    std::string note;
    if (kind != StepKind::kKernel) {
      need_operands(op);
      if (v.attrs().has(kLanesNote)) {
        notes_[op] = v.attrs().text(kLanesNote);
      } else if (kind == StepKind::kLaneWhile) {
        codegen::can_root(v, &note);
        notes_[op] = "one lane after another: " + note;
        note.clear();
      }
      const int library = kind == StepKind::kHost ? libraries_.choose(v, note) : -1;
      kinds_[op] = library >= 0 ? StepKind::kLibrary : kind;
      if (library >= 0) library_[op] = library, notes_[op] = note;
      return;
    }
    if (form != LibraryChooser::Form::kHost && (is(v, "stablehlo.sort") || is(v, "chlo.top_k"))) {
      if (auto plan = plan_sort(v, sort_use(v), &note)) {
        notes_[op] = plan->note;
        sorts_[op] = std::make_shared<const SortPlan>(std::move(*plan));
        kinds_[op] = StepKind::kSort;
        need_operands(op);
        return;
      }
      sort_reason_ = note;
      note.clear();
    }
    if (is(v, "stablehlo.fft")) {
      if (auto plan = plan_fft(v, nullptr)) {
        notes_[op] = plan->note;
        ffts_[op] = std::make_shared<const FftPlan>(std::move(*plan));
        kinds_[op] = StepKind::kFft;
        need_operands(op);
        return;
      }
    }
    const int library = libraries_.choose(v, note);
    if (!note.empty()) notes_[op] = note;
    if (library >= 0) {
      need_operands(op);
      kinds_[op] = StepKind::kLibrary;
      library_[op] = library;
      return;
    }
    if (form == LibraryChooser::Form::kHost) {
      need_operands(op);
      kinds_[op] = StepKind::kHost;
      return;
    }
    place_fusable(op, v, form == LibraryChooser::Form::kOwnKernel);
  }

  /// The one group all of whose members use op's results, or -1; -1 too when something outside groups uses them.
  int only_group_of_users(OpId op) {
    int group = -1;
    for (Value r : f_.results(op)) {
      const auto it = uses_.find(r);
      if (it == uses_.end()) continue;
      for (const Use& use : it->second) {
        const auto g = group_of_.find(use.op);
        if (g == group_of_.end()) {
          if (free_.contains(use.op)) return -1;
          if (kinds_.contains(use.op)) return -1;
          continue;  // a dead user
        }
        if (group >= 0 && g->second != group) return -1;
        group = g->second;
      }
    }
    return group;
  }

  /// At how many different indices the kernel of op's users would compute it: elementwise users want it where they are
  /// computed themselves, each use through an op that moves elements wants it elsewhere. Without this bound a chain of
  /// slices and pads is computed exponentially often.
  std::set<size_t> places_of(OpId op) const {
    std::set<size_t> out;
    for (Value r : f_.results(op)) {
      const auto it = uses_.find(r);
      if (it == uses_.end()) continue;
      for (const Use& use : it->second) {
        const bool moves = record(view(use.op)).scalar.refused();
        const auto known = places_.find(use.op);
        const std::set<size_t> root = {0};
        for (size_t place : known == places_.end() ? root : known->second) {
          out.insert(moves ? (place + 1) * 0x9e3779b97f4a7c15u + use.op.index * 64u + use.operand : place);
          if (out.size() > kMaxPlaces) return out;
        }
      }
    }
    return out;
  }

  /// Where a user runs: its group's last root, or itself.
  size_t runs_at(OpId user) const {
    const auto g = group_of_.find(user);
    return position_.at(g == group_of_.end() ? user : groups_[static_cast<size_t>(g->second)].roots[0]);
  }

  /// Calls visit(user) for what reads op's results where it stands, free ops, which are copied into their readers, left out; false when
  /// control flow reads them.
  template <class Visit>
  bool each_user(OpId op, std::unordered_set<OpId>& seen, const Visit& visit) const {
    for (Value r : f_.results(op)) {
      if (used_in_regions_.contains(r)) return false;
      const auto it = uses_.find(r);
      if (it == uses_.end()) continue;
      for (const Use& use : it->second) {
        if (!seen.insert(use.op).second) continue;
        if (!free_.contains(use.op)) visit(use.op);
        else if (!each_user(use.op, seen, visit)) return false;
      }
    }
    return true;
  }

  /// The group of users that runs before all other readers of op's results, which may then become a root of it; -1 if none.
  int first_group_of_users(OpId op) {
    int first = -1;
    std::optional<size_t> earliest;
    std::unordered_set<OpId> seen;
    const bool is_known = each_user(op, seen, [&](OpId user) {
      const size_t at = runs_at(user);
      if (earliest && at >= *earliest) return;
      earliest = at;
      const auto g = group_of_.find(user);
      first = g == group_of_.end() ? -1 : g->second;
    });
    return is_known ? first : -1;
  }

  /// True when one of op's operands is updated between op and the group: read in the group it would have to be copied before the
  /// update, which then could not be made in place.
  bool is_updated_before(OpId op, int group) const {
    const size_t here = position_.at(op), there = position_.at(groups_[static_cast<size_t>(group)].roots[0]);
    for (Value v : f_.operands(op)) {
      const auto it = uses_.find(v);
      if (it == uses_.end()) continue;
      for (const Use& use : it->second) {
        const size_t at = position_.at(use.op);
        if (here < at && at < there && use.operand < f_.num_results(use.op) && is_update(view(use.op))) return true;
      }
    }
    return false;
  }

  /// Whether what reads op has its `rows` leading dimensions outside of all others, up to the roots.
  bool keeps_rows(OpId op, size_t rows, std::unordered_set<OpId>& seen) const {
    if (!seen.insert(op).second) return true;
    const auto leading = [&](Type t) { return t.shape().first(std::min(rows, t.shape().size())); };
    for (Value r : f_.results(op)) {
      const auto it = uses_.find(r);
      if (it == uses_.end()) continue;
      for (const Use& use : it->second) {
        const OpView user = view(use.op);
        // Other kernels read it from memory.
        const auto group = group_of_.find(use.op), mine = group_of_.find(op);
        if (!free_.contains(use.op) &&
            (group == group_of_.end() || (mine != group_of_.end() && mine->second != group->second)))
          continue;
        const auto all_inner = [&](const std::vector<int64_t>& dims) {
          return std::ranges::all_of(dims, [&](int64_t d) { return d >= static_cast<int64_t>(rows); });
        };
        const bool keeps = !record(user).scalar.refused() ||
                           (is(user, "stablehlo.reduce") && all_inner(user.attrs().ints("dimensions"))) ||
                           is(user, "stablehlo.reshape") ||
                           (is(user, "stablehlo.broadcast_in_dim") &&
                            std::ranges::equal(std::span(user.attrs().ints("broadcast_dimensions")).first(rows),
                                               std::views::iota(int64_t{0}, static_cast<int64_t>(rows))));
        if (!keeps || !std::ranges::equal(leading(f_.type(r)), leading(user.result_type())) ||
            !keeps_rows(use.op, rows, seen))
          return false;
      }
    }
    return true;
  }

  /// True when elementwise ops alone stand between op and a reduction: fused, it would be one loop inside another, whose lanes are
  /// far apart in memory.
  bool feeds_reduction(OpId op, std::unordered_set<OpId>& seen) const {
    for (Value r : f_.results(op)) {
      const auto it = uses_.find(r);
      if (it == uses_.end()) continue;
      for (const Use& use : it->second) {
        const OpView user = view(use.op);
        const bool reduces = is(user, "stablehlo.reduce");
        if (reduces && user.operand_type(0).num_elements() != user.result_type(0).num_elements()) return true;
        const bool passes_on = reduces || !record(user).scalar.refused() || is(user, "stablehlo.reshape");
        if (passes_on && group_of_.contains(use.op) && seen.insert(use.op).second && feeds_reduction(use.op, seen))
          return true;
      }
    }
    return false;
  }

  /// In memory whatever is decided later, and not written over: arguments of the function, results of ops that are steps of their own.
  bool stays_in_memory(Value v) const {
    const auto it = uses_.find(v);
    if (it != uses_.end() && std::ranges::any_of(it->second, [&](const Use& use) { return is_update(view(use.op)); }))
      return false;
    const OpId def = f_.defining_op(v);
    if (!def) return block_.region == f_.body();
    const OpView op = view(def);
    return f_.parent(def) == block_.region && (needed_.contains(v) || !codegen::can_inline(op) ||
                                               is(op, "stablehlo.convolution") || is(op, "stablehlo.dot_general"));
  }

  /// Of a chain of elementwise ops from one tensor that is in memory, and broadcasts: operations for an element.
  std::optional<double> repeat_flops(const OpView& op, Value& whole) const {
    std::optional<double> flops = elementwise_flops(op);
    for (Value v : op.operands()) {
      if (!flops) break;
      const OpId def = f_.defining_op(v);
      const bool is_here = def && f_.parent(def) == block_.region;
      if (is_here && is_free(view(def))) continue;
      if (stays_in_memory(v)) {
        if (whole && whole != v) return std::nullopt;
        whole = v;
        continue;
      }
      const auto more = is_here ? repeat_flops(view(def), whole) : std::nullopt;
      if (!more || *flops + *more > kRepeatFlops) return std::nullopt;
      *flops += *more;
    }
    return flops;
  }

  /// Several kernels compute it for themselves rather than write and read it: what is cheap, and what costs little more where two kernels
  /// read a tensor that leaves the near caches.
  bool is_repeatable(const OpView& op) const {
    Value whole;
    const auto flops = repeat_flops(op, whole);
    if (!flops || !whole) return false;
    if (*flops <= kCheapFlops) return true;
    constexpr int64_t kFarBytes = 1 << 20;
    const Type t = op.result_type();
    if (t.num_elements() * static_cast<int64_t>(byte_size(t.element_type())) < kFarBytes) return false;
    std::unordered_set<OpId> seen;
    std::set<int> readers;
    bool in_groups = true;
    const bool is_known = each_user(op.id, seen, [&](OpId user) {
      const auto g = group_of_.find(user);
      in_groups = in_groups && g != group_of_.end();
      if (in_groups) readers.insert(g->second);
    });
    return is_known && in_groups && readers.size() <= 2;
  }

  bool is_read_once(const Use& use, const OpView& producer) const {
    const OpView user = view(use.op);
    if (!reads_once(user, use.operand, producer)) return false;
    const bool spreads = is(user, "stablehlo.broadcast_in_dim") &&
                         user.result_type().num_elements() > user.operand_type(0).num_elements();
    std::unordered_set<OpId> seen;
    return !spreads || keeps_rows(use.op, row_dimensions(user, producer), seen);
  }

  /// True when the group's root writes over an operand of op: a kernel that is done in place must not read what it may have written.
  bool reads_what_is_updated(OpId op, int group) const {
    const OpView root = view(groups_[static_cast<size_t>(group)].roots[0]);
    if (!is_update(root)) return false;
    const auto updated = root.operands().first(root.num_results());
    return std::ranges::any_of(f_.operands(op),
                               [&](Value v) { return std::ranges::find(updated, v) != updated.end(); });
  }

  bool read_once_in(OpId op, int group) {
    for (Value r : f_.results(op)) {
      const auto it = uses_.find(r);
      if (it == uses_.end()) continue;
      for (const Use& use : it->second) {
        const auto g = group_of_.find(use.op);
        const bool is_copied = free_.contains(use.op);
        const bool is_in = is_copied || (g != group_of_.end() && g->second == group);
        if (is_in && (!is_read_once(use, view(op)) || (is_copied && !read_once_in(use.op, group)))) return false;
      }
    }
    return true;
  }

  bool users_read_once(OpId op) {
    for (Value r : f_.results(op)) {
      const auto it = uses_.find(r);
      if (it == uses_.end()) continue;
      for (const Use& use : it->second) {
        if (!is_read_once(use, view(op))) return false;
      }
    }
    return true;
  }

  /// What is read of a sort's results: the first elements of each line only, where all readers are slices of these.
  SortUse sort_use(const OpView& op) const {
    SortUse out;
    const int64_t d = sorted_dimension(op);
    const int64_t length = d < 0 ? 1 : op.operand_type(0).dim(d);
    for (size_t i = 0; i < op.num_results(); ++i) {
      const Value r = op.result(i);
      const auto uses = uses_.find(r);
      const bool leaves = used_in_regions_.contains(r) || std::ranges::find(block_.results, r) != block_.results.end();
      out.wanted.push_back(leaves || uses != uses_.end());
      if (leaves) out.take = length;
      if (uses == uses_.end()) continue;
      for (const Use& use : uses->second) {
        const OpView user = view(use.op);
        const bool is_slice = is(user, "stablehlo.slice") && d >= 0;
        const int64_t limit = is_slice ? user.attrs().ints("limit_indices")[static_cast<size_t>(d)] : length;
        out.take = std::max(out.take, limit);
      }
    }
    return out;
  }

  void place_fusable(OpId op, const OpView& v, bool stands_alone) {
    const bool needed = any_needed(op);
    const bool reshape = is(v, "stablehlo.reshape");
    if (reshape &&
        !(fuse_ && !needed && (is_degenerate_reshape(v) || is_dividing_reshape(v)) && only_group_of_users(op) >= 0)) {
      kinds_[op] = StepKind::kView;
      need_operands(op);
      return;
    }
    const bool can_inline = fuse_ && !stands_alone && !is_update(v) && codegen::can_inline(v);
    if (!needed && can_inline) {
      const int group = only_group_of_users(op);
      const bool has_room = group >= 0 && groups_[static_cast<size_t>(group)].members.size() < kMaxGroupOps &&
                            !is_updated_before(op, group) && !reads_what_is_updated(op, group);
      const bool free = is_free(v);
      // A broadcast read by one kernel belongs to it, so that what is broadcast may be computed there too.
      const std::set<size_t> places = has_room ? places_of(op) : std::set<size_t>();
      // Products at several places would each have loops of their own, without rows that share what they read.
      const bool is_product = is(v, "stablehlo.dot_general") || is(v, "stablehlo.convolution");
      std::unordered_set<OpId> seen;
      if (has_room && places.size() <= (is_product ? 1 : kMaxPlaces) &&
          !(reduces_much(v) && feeds_reduction(op, seen)) &&
          (free ? is(v, "stablehlo.broadcast_in_dim") : users_read_once(op))) {
        places_[op] = places;
        groups_[static_cast<size_t>(group)].members.push_back(op);
        group_of_[op] = group;
        return;
      }
      if (free || (group < 0 && is_repeatable(v))) {
        free_.insert(op);
        for (Value operand : v.operands()) {
          // A free operand of a free op is copied along with it.
          const OpId def = f_.defining_op(operand);
          const bool is_here = def && f_.parent(def) == block_.region;
          if (!is_here || !(is_free(view(def)) || (!free && is_repeatable(view(def))))) needed_.insert(operand);
        }
        return;
      }
    }
    std::string reason;
    if (!codegen::can_root(v, &reason)) {
      if (runs_in_host(v)) {
        kinds_[op] = StepKind::kHost;
        need_operands(op);
        return;
      }
      if (is(v, "stablehlo.sort")) reason = sort_reason_;
      throw Unsupported("[" + std::string(v.def().mnemonic) + "] the native target cannot compile this op: " + reason,
                        v.loc());
    }
    if (can_inline) {
      const int group = first_group_of_users(op);
      if (group >= 0) {
        Group& g = groups_[static_cast<size_t>(group)];
        if (g.accepts_roots && g.roots.size() < kMaxRoots && g.members.size() < kMaxGroupOps &&
            read_once_in(op, group) && !is_updated_before(op, group) &&
            // Read elsewhere than where it is written, it would be computed again for each element.
            (!codegen::is_loop(v) || places_of(op).size() <= 1) &&
            std::ranges::equal(v.result_type().shape(), view(g.roots[0]).result_type().shape())) {
          places_[op] = places_of(op);
          g.roots.push_back(op);
          g.members.push_back(op);
          group_of_[op] = group;
          for (Value r : f_.results(op)) needed_.insert(r);
          return;
        }
      }
    }
    Group g;
    g.roots = {op};
    g.members = {op};
    g.accepts_roots = can_inline && v.num_results() == 1;
    group_of_[op] = static_cast<int>(groups_.size());
    group_at_[op] = static_cast<int>(groups_.size());
    groups_.push_back(std::move(g));
    for (Value r : f_.results(op)) {
      if (!may_omit_results(v) || uses_.contains(r)) needed_.insert(r);
    }
    // A scatter starts from memory, also where that is a constant.
    if (is(v, "stablehlo.scatter")) {
      for (size_t i = 0; i < v.num_results(); ++i) needed_.insert(v.operand(i));
    }
  }

  void emit() {
    for (OpId op : f_.ops(block_.region)) {
      const auto kind = kinds_.find(op);
      if (kind != kinds_.end()) {
        Step step;
        step.kind = kind->second;
        step.op = op;
        if (kind->second == StepKind::kLibrary) {
          if (!library_.contains(op)) continue;  // runs with a later op
          step.library = library_[op];
          const auto inputs = library_inputs_.find(op);
          if (inputs != library_inputs_.end()) step.kernel.inputs = inputs->second;
          else step.kernel.inputs.assign(f_.operands(op).begin(), f_.operands(op).end());
          step.kernel.outputs = f_.results(op);
        }
        if (kind->second == StepKind::kElement) {
          const ElementAccess& access = elements_.at(op);
          step.kernel.inputs.assign(f_.operands(op).begin(), f_.operands(op).end());
          step.kernel.outputs = {access.is_update ? f_.result(op) : access.scalar};
          if (access.is_update) {
            step.kernel.inputs[1] = access.scalar;
            step.kernel.updates_input = {0};
          }
        }
        if (kind->second == StepKind::kSort) step.sort = sorts_[op];
        if (kind->second == StepKind::kFft) step.fft = ffts_[op];
        if (notes_.contains(op)) step.note = notes_[op];
        if (kind->second == StepKind::kWhile || kind->second == StepKind::kCase ||
            kind->second == StepKind::kLaneWhile) {
          for (RegionId r : f_.regions(op)) step.blocks.push_back(RegionScheduler(f_, r, libraries_, fuse_).run());
        }
        block_.steps.push_back(std::move(step));
        continue;
      }
      const auto group = group_at_.find(op);
      if (group == group_at_.end()) continue;
      Step step;
      step.kind = StepKind::kKernel;
      step.op = op;
      if (notes_.contains(op)) step.note = notes_[op];
      const Group& g = groups_[static_cast<size_t>(group->second)];
      step.kernel = outline({f_, block_.region, g.roots, g.members, free_, needed_});
      block_.steps.push_back(std::move(step));
    }
  }

  const Function& f_;
  LibraryChooser& libraries_;
  const bool fuse_;
  Block block_;
  std::unordered_map<Value, std::vector<Use>> uses_;
  std::unordered_set<Value> used_in_regions_;
  std::unordered_set<Value> needed_;  // must exist in memory or in a register
  std::unordered_map<OpId, std::set<size_t>> places_;
  std::unordered_map<OpId, size_t> position_;
  std::unordered_map<OpId, ElementAccess> elements_;
  std::unordered_set<OpId> with_elements_;  // reshapes that run with these
  std::unordered_map<OpId, StepKind> kinds_;
  std::unordered_map<OpId, int> library_;
  std::unordered_map<OpId, std::vector<Value>> library_inputs_;  // where they are not the op's operands
  std::unordered_map<OpId, std::shared_ptr<const SortPlan>> sorts_;
  std::unordered_map<OpId, std::shared_ptr<const FftPlan>> ffts_;
  std::string sort_reason_;  // why the last sort is not compiled
  std::unordered_map<OpId, std::string> notes_;
  std::unordered_set<OpId> free_;
  std::unordered_map<OpId, int> group_of_, group_at_;
  std::vector<Group> groups_;
};

}  // namespace

bool passes_in_register(Type type) {
  if (type.is_tensor()) return type.is_scalar();
  return type.is_token() || (type.is_stack() && type.shape().empty());
}

bool is_scalar_op(const OpView& op) {
  for (size_t i = 0; i < op.num_results(); ++i) {
    if (!op.result_type(i).is_scalar()) return false;
  }
  if (op.def().mnemonic == "stablehlo.constant") return true;
  if (record(op).scalar.refused()) return false;
  for (size_t i = 0; i < op.num_operands(); ++i) {
    if (!op.operand_type(i).is_scalar()) return false;
  }
  return codegen::has_scalar_code(op);
}

Block schedule(const Function& function, LibraryChooser& libraries, bool fuse) {
  return RegionScheduler(function, function.body(), libraries, fuse).run();
}

}  // namespace weft::native

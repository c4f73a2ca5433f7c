#include "native/functions/partition.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "ops/builder.h"
#include "ops/control_flow/region_flow.h"
#include "transform/inline.h"

namespace weft::native {
namespace {

/// Ops that writing a function out at all of its calls may add to the program: below that, what fuses across the border is worth more.
constexpr size_t kMaxGrowth = 200;

/// Of extents known now, and of a type that has a place in memory or in a register.
bool is_plain(Type t) {
  if (t.is_tensor()) return t.is_static() && !t.is_quantized();
  return t.is_stack() || t.is_token();
}
bool has_plain_signature(const Function& f) {
  return std::ranges::all_of(f.arg_types(), is_plain) && std::ranges::all_of(f.result_types(), is_plain);
}
bool has_plain_values(const Function& f) {
  for (uint32_t i = 0; i < f.num_values(); ++i) {
    if (!is_plain(f.type(Value{i}))) return false;
  }
  return true;
}

class Partitioner {
 public:
  Partitioner(const Module& program, const std::string& entry) : program_(program), entry_(entry) {
    visit(program.get(entry));
    for (const Function* f : order_) measure(*f);
  }

  Partition run() {
    Partition out;
    out.module = std::make_shared<Module>();
    for (const Function* f : order_) {
      if (f->name() != entry_ && !keeps(*f)) continue;
      std::unique_ptr<Function> written = inline_calls(
          program_, *f, [&](const Function& callee, bool of_constants) { return !of_constants && keeps(callee); });
      if (is_recursive(*f) && !has_plain_signature(*f)) refuse(*f);
      out.module->add(std::move(written));
    }
    out.entry = is_recursive(program_.get(entry_)) ? add_caller(*out.module, program_.get(entry_)) : entry_;
    return out;
  }

 private:
  void visit(const Function& f) {
    if (!seen_.insert(f.name()).second) return;
    for (uint32_t i = 0; i < f.num_ops(); ++i) {
      const std::string* name = callee(OpView{f, OpId{i}});
      const Function* target = name == nullptr ? nullptr : program_.find(*name);
      if (target == nullptr) continue;
      ++calls_[*name];
      visit(*target);
    }
    order_.push_back(&f);
  }

  /// The length of f once the calls that are not kept are written out. Callees come first.
  void measure(const Function& f) {
    size_t size = f.num_ops();
    for (uint32_t i = 0; i < f.num_ops(); ++i) {
      const std::string* name = callee(OpView{f, OpId{i}});
      const auto known = name == nullptr ? sizes_.end() : sizes_.find(*name);
      if (known != sizes_.end() && !kept_.contains(*name)) size += known->second;
    }
    sizes_[f.name()] = size;
    if (is_recursive(f) || (calls_[f.name()] > 1 && (calls_[f.name()] - 1) * size > kMaxGrowth && !f.args().empty() &&
                            has_plain_values(f) && f.terminator(f.body())))
      kept_.insert(f.name());
  }

  bool is_recursive(const Function& f) {
    const auto [it, is_new] = recursive_.emplace(f.name(), false);
    if (is_new) it->second = weft::is_recursive(program_, f.name());
    return it->second;
  }
  bool keeps(const Function& f) const { return kept_.contains(f.name()); }

  [[noreturn]] void refuse(const Function& f) const {
    throw Unsupported("[func.call] the native target runs no recursion over tuples, quantized types or open extents: " +
                          recursion_chain(program_, f),
                      f.loc());
  }

  /// A function that calls f; its name.
  static std::string add_caller(Module& module, const Function& f) {
    auto caller = std::make_unique<Function>(module.unique_name(f.name() + "_outermost"));
    caller->set_loc(f.loc());
    std::vector<Value> args;
    for (Value v : f.args()) args.push_back(caller->add_arg(caller->body(), f.type(v)));
    OpBuilder b(*caller, caller->body(), &module);
    b.loc = f.loc();
    const std::vector<Value> results = b.create("func.call", args, Attrs{{"callee", f.name()}}, f.result_types());
    b.yield(results);
    return module.add(std::move(caller)).name();
  }

  const Module& program_;
  const std::string entry_;
  std::vector<const Function*> order_;
  std::unordered_set<std::string> seen_, kept_;
  std::unordered_map<std::string, size_t> calls_, sizes_;
  std::unordered_map<std::string, bool> recursive_;
};

void collect(const Module& module, const Function& f, std::unordered_set<std::string>& seen,
             std::vector<const Function*>& out) {
  if (!seen.insert(f.name()).second) return;
  for (uint32_t i = 0; i < f.num_ops(); ++i) {
    const std::string* name = callee(OpView{f, OpId{i}});
    const Function* target = name == nullptr ? nullptr : module.find(*name);
    if (target != nullptr) collect(module, *target, seen, out);
  }
  out.push_back(&f);
}

}  // namespace

Partition partition_functions(const Module& program, const std::string& entry) {
  return Partitioner(program, entry).run();
}

std::vector<const Function*> callees_first(const Module& module, const std::string& entry) {
  std::unordered_set<std::string> seen;
  std::vector<const Function*> out;
  collect(module, module.get(entry), seen, out);
  return out;
}

}  // namespace weft::native

#include "native/host/process_programs.h"

#include "ir/clone.h"
#include "ops/builder.h"

namespace weft::native {
namespace {

/// The functions that an attribute names (@f), lists within lists included.
void add_names(const Attr& attr, std::vector<std::string>& out) {
  if (const auto* o = attr.get_if<OpaqueAttr>(); o != nullptr && o->text.starts_with("@"))
    out.push_back(o->text.substr(1));
  if (const auto* list = attr.get_if<std::shared_ptr<const AttrList>>()) {
    for (const Attr& a : **list) add_names(a, out);
  }
}

}  // namespace

void ProcessPrograms::prepare(NativeExecutable& executable) {
  executable.set_programs(this);
  for (const OpView& op : executable.host_ops()) {
    if (!op.regions().empty()) executable.add_body(op, compile_body(op));
    if (op.def().mnemonic != "interpreter.run_parallel") continue;
    std::vector<std::string> names;
    for (const char* attribute : {"programs", "infeed"}) {
      if (const Attr* attr = op.attrs().find(attribute)) add_names(*attr, names);
    }
    for (const std::string& name : names) {
      const auto [it, is_new] = executables_.try_emplace(name);
      if (!is_new) continue;
      it->second = compile_(*module_, name);
      prepare(*it->second);
    }
  }
}

std::unique_ptr<NativeExecutable> ProcessPrograms::compile_body(const OpView& op) const {
  const Function& f = op.function;
  const RegionId region = op.region(0);
  if (!captures(f, region).empty())
    throw Unsupported("[" + std::string(op.def().mnemonic) + "] native: its body uses values from outside", op.loc());
  auto body = std::make_unique<Function>("body");
  ValueMap map(f);
  for (Value v : f.args(region)) map.set(v, body->add_arg(body->body(), f.type(v)));
  const std::vector<Value> results = clone_ops(f, region, *body, body->body(), map);
  OpBuilder(*body, body->body()).yield(results);
  Module module;
  module.add(std::move(body));
  return compile_(module, "body");
}

std::unique_ptr<ProcessGrid> ProcessPrograms::alone() const {
  return std::make_unique<ProcessGrid>(
      *module_, [this](const std::string& name, std::span<const EvalValue> args, Loc loc, Processes& processes) {
        return call(name, args, loc, processes);
      });
}

std::vector<EvalValue> ProcessPrograms::call(const std::string& name, std::span<const EvalValue> args, Loc loc,
                                             Processes& processes) const {
  const auto found = executables_.find(name);
  if (found == executables_.end()) throw InternalError("@" + name + " was not compiled for processes", loc);
  const NativeExecutable& executable = *found->second;
  std::vector<const void*> arguments;
  for (const EvalValue& v : args) arguments.push_back(v.tensor.raw());
  std::vector<EvalValue> out;
  std::vector<void*> results;
  for (const Type t : executable.result_types()) {
    out.emplace_back();
    if (t.is_tensor()) out.back() = Tensor(t.element_type(), Shape(t.shape().begin(), t.shape().end()));
    results.push_back(t.is_tensor() ? out.back().tensor.raw() : nullptr);
  }
  executable.invoke_as(&processes, arguments.data(), results.data());
  return out;
}

}  // namespace weft::native

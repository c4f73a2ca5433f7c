// Calls of compiled code from the host: arguments are read where they lie, results written where they stay.
#include <algorithm>
#include <chrono>
#include <cstring>
#include <forward_list>
#include <map>

#include "ir/recursion_too_deep.h"
#include "julia/host/array.h"
#include "julia/host/exception.h"
#include "julia/infer/border/compiled.h"
#include "julia/infer/border/printing.h"
#include "julia/infer/border/reader.h"
#include "julia/infer/border/rebuilt.h"
#include "julia/infer/maybe.h"
#include "julia/infer/stored.h"
#include "julia/infer/texts.h"
#include "julia/infer/wide.h"
#include "julia/intrinsics/random_source.h"
#include "julia/run/module.h"
#include "transform/integer_facts.h"
#include "transform/simplify.h"

namespace weft::julia {
namespace {

using How = Abstract::Kind;

size_t leaf_of(IrValue v) { return v.index - kPlaceholders; }

/// One array among the objects of the results.
struct ResultArray {
  uint32_t object;   // in Packed::objects
  bool is_bits;      // a BitArray
  bool is_whole;     // one leaf, which is the elements as they lie in the array
  bool is_argument;  // of the caller: its contents are renewed
  bool is_donated;   // and written in place
};

class Call : public CompiledCall {
 public:
  Call(Evaluator& evaluator, TracedCall traced, std::unique_ptr<Executable> executable,
       const CompileCallOptions& options, bool is_in_place)
      : evaluator_(evaluator),
        executable_(std::move(executable)),
        prints_(std::move(traced.prints)),
        results_(std::move(traced.results)),
        arguments_(traced.objects.size()),
        fixed_integers_(options.fixed_integers),
        fixed_floats_(options.fixed_floats),
        is_open_(executable_->has_open_extents()),
        sizes_from_integers_(traced.sizes_from_integers),
        is_in_place_(is_in_place),
        changes_(!traced.changed.empty()) {
    globals = std::move(traced.globals);
    for (uint32_t i = 0; i < results_.objects.size(); ++i) {
      const HeapObject& o = results_.objects[i];
      const uint32_t id = results_.ids[i];
      const bool is_argument = id < arguments_;
      is_changed_.push_back(is_argument && std::ranges::find(traced.changed, id) != traced.changed.end());
      if ((!o.is_array && !is_bounded(o)) || (is_argument && !is_changed_.back())) continue;
      const bool is_bits = o.type->name == as<DataType>(unwrap_union_all(core().bit_array))->name;
      const bool is_whole = o.leaves.size() == 1;
      arrays_.push_back({i, is_bits, is_whole, is_argument, is_argument && is_whole && is_in_place});
    }
    spare_.resize(arrays_.size());
  }

  std::optional<Value> run(const Value& callee, std::span<const Value> given, std::span<const Keyword> keywords,
                           Failure& why) const override {
    why = Failure::kNotBegun;
    ArgumentReader reader;
    reader.fixed_integers = fixed_integers_;
    reader.fixed_floats = fixed_floats_;
    reader.wants_types = is_open_;
    reader.read(callee);
    for (const Value& v : given) reader.read(v);
    for (const Keyword& k : keywords) reader.read(k.value);
    reader.fixed_integers = reader.fixed_floats = false;
    const Binding* task = task_state();
    if (task != nullptr) show_task_state(task->value);
    for (const Binding* g : globals) reader.read(g->value);
    if (changes_ && share_memory(reader.objects)) return std::nullopt;
    const Executable* code = is_open_ ? for_extents(reader) : executable_.get();
    if (code == nullptr) return std::nullopt;
    why = Failure::kNone;
    Running now(*this, *code, reader);
    const Printing printing(evaluator_, prints_);
    try {
      code->invoke(reader.bytes.data(), now.out.data());
    } catch (const RecursionTooDeep& e) {
      // Nothing catches exceptions within compiled code. Where the host has room for fewer calls it would say the same, much later.
      constexpr int64_t kMostHostCalls = 130'000;
      if (!changes_ && e.calls() > kMostHostCalls) throw JuliaError(make_exception("StackOverflowError"));
      why = Failure::kTooDeep;
      printing.repeat();
      return std::nullopt;
    } catch (const Unsupported&) { throw; } catch (const UserError& e) {
      // A program that works in place has no checks: what has ended it is an interrupt, or the end of memory.
      if (!is_in_place_) {
        why = Failure::kCheck;
        printing.repeat();
        return std::nullopt;
      }
      if (Evaluator::interrupted().exchange(false)) throw JuliaError(make_exception("InterruptException"));
      throw;
    }
    Value value = now.finish();
    if (task != nullptr) take_task_state(task->value);
    return value;
  }

 private:
  /// The code for the extents of these arguments; null: they do not fit one another, which the host has words for.
  const Executable* for_extents(const ArgumentReader& reader) const {
    std::vector<int64_t> key;
    for (size_t i = 0; i < reader.types.size(); ++i) {
      const weft::Type& t = reader.types[i];
      key.insert(key.end(), t.shape().begin(), t.shape().end());
      if (sizes_from_integers_ && t.rank() == 0 && t.element_type() == ElementType::kI64)
        key.push_back(*static_cast<const int64_t*>(reader.bytes[i]));
    }
    const auto it = by_extents_.find(key);
    if (it != by_extents_.end()) return it->second.get();
    constexpr size_t kMostKept = 64;
    if (by_extents_.size() >= kMostKept) by_extents_.clear();
    std::unique_ptr<Executable>& code = by_extents_[key];
    try {
      code = executable_->for_extents(reader.types, reader.bytes.data());
    } catch (const Unsupported&) {  // an op that this target has for static extents only
    } catch (const UserError&) {}
    return code.get();
  }

  /// The library's only global that is an argument: the task's random generator. Null: the program draws nothing from it.
  const Binding* task_state() const {
    const auto it =
        std::ranges::find_if(globals, [](const Binding* g) { return g->owner != nullptr && g->owner->is_library; });
    return it == globals.end() ? nullptr : *it;
  }

  /// Two arrays of the caller over the same memory, as reshape makes them: to compiled code they would be two.
  static bool share_memory(const std::vector<Value>& objects) {
    for (size_t i = 0; i < objects.size(); ++i) {
      if (!is_array(objects[i])) continue;
      const Buffer& a = array_of(objects[i]).buffer;
      for (size_t k = 0; k < i; ++k) {
        if (is_array(objects[k]) && a && a.data() == array_of(objects[k]).buffer.data()) return true;
      }
    }
    return false;
  }

  /// Elements of another array that wait to be written over; none are kept for large ones.
  static constexpr size_t kMostSpare = size_t{64} << 20;

  /// One call under way.
  struct Running {
    const Call& call;
    std::span<const weft::Type> types;  // of the results
    ArgumentReader& reader;
    std::vector<void*> out;
    std::vector<std::array<std::byte, 16>> numbers;
    std::forward_list<std::vector<std::byte>> parts;  // of arrays of structs
    std::vector<Value> made;                          // arrays, by their place in arrays_
    std::vector<Buffer> renewed;                      // likewise: the new elements of arguments
    std::vector<Value> objects;

    Running(const Call& c, const Executable& code, ArgumentReader& r)
        : call(c), types(code.result_types()), reader(r), out(types.size(), nullptr), numbers(out.size()) {
      made.resize(call.arrays_.size());
      renewed.resize(call.arrays_.size());
      for (size_t k = 0; k < call.arrays_.size(); ++k) place(k);
      for (size_t i = 0; i < out.size(); ++i) {
        if (out[i] == nullptr) out[i] = numbers[i].data();
      }
    }

    /// Arrays among the results are made where they will stay; everything else comes through a small block.
    void place(size_t k) {
      const ResultArray& r = call.arrays_[k];
      const HeapObject& o = call.results_.objects[r.object];
      if (r.is_whole) {
        void*& to = out[leaf_of(o.leaves[0])];
        if (!r.is_argument) {
          made[k] = new_array(r, o, types);
          to = array_of(made[k]).data();
          return;
        }
        ArrayObject& a = array_of(reader.objects[call.results_.ids[r.object]]);
        if (r.is_donated) {
          to = a.data();
          return;
        }
        const size_t bytes = static_cast<size_t>(a.length) * a.flat->layout().size;
        renewed[k] = std::exchange(call.spare_[k], {});
        if (!renewed[k] || renewed[k].size() < bytes) renewed[k] = Buffer::allocate(bytes);
        to = renewed[k].data();
        return;
      }
      if (!r.is_argument) made[k] = new_array(r, o, types);
      for (const IrValue leaf : o.leaves) {
        const weft::Type t = types[leaf_of(leaf)];
        parts.emplace_front(std::max<size_t>(t.num_bytes(), 1));
        out[leaf_of(leaf)] = parts.front().data();
      }
    }

    static Value new_array(const ResultArray& r, const HeapObject& o, std::span<const weft::Type> types) {
      if (!o.dims.is_open()) return r.is_bits ? make_bit_array(o.dims) : make_array(o.element, o.dims);
      const auto shape = types[leaf_of(o.leaves.at(0))].shape();
      const std::vector<int64_t> dims(shape.rbegin(), shape.rend());
      return r.is_bits ? make_bit_array(dims) : make_array(o.element, dims);
    }

    Value finish() {
      objects.resize(call.results_.objects.size());
      const std::vector<const void*> leaves(out.begin(), out.end());
      for (size_t k = 0; k < call.arrays_.size(); ++k) {
        const ResultArray& r = call.arrays_[k];
        Value& v = objects[r.object];
        v = r.is_argument ? reader.objects[call.results_.ids[r.object]] : std::move(made[k]);
        if (!r.is_whole) join_elements(v, call.results_.objects[r.object], leaves);
        else if (r.is_argument && !r.is_donated) renew(array_of(v), renewed[k], call.spare_[k]);
        const HeapObject& o = call.results_.objects[r.object];
        if (is_bounded(o)) resize(array_of(v), value_of(o.fields[0]).get<int64_t>());
      }
      for (uint32_t i = 0; i < objects.size(); ++i) {
        const Abstract& identity = call.results_.objects[i].identity;
        if (!identity.is_defined()) continue;
        if (const auto id = value_of(identity).get<int64_t>(); id >= 0)
          objects[i] = reader.objects[static_cast<size_t>(id)];
      }
      Value value = value_of(call.results_.values.front());
      for (uint32_t i = 0; i < objects.size(); ++i) object_at(i);
      return value;
    }

    /// An array of the caller takes the new elements, by changing buffers where nothing else uses its own.
    static void renew(ArrayObject& a, Buffer& from, Buffer& spare) {
      if (a.buffer.unique() && a.first == 0) std::swap(a.buffer, from);
      else std::memcpy(a.data(), from.data(), static_cast<size_t>(a.length) * a.flat->layout().size);
      if (from.size() <= kMostSpare) spare = std::move(from);
    }

    Value value_of(const Abstract& a) {
      switch (a.kind) {
        case How::kConstant: return a.constant;
        case How::kScalar: return Value::from_bits(a.type, out[leaf_of(a.ir)]);
        case How::kFields: {
          std::vector<Value> fields;
          for (const Abstract& f : a.fields) fields.push_back(value_of(f));
          if (is_wide_integer(a.type)) {
            const uint64_t words[] = {fields[0].get<uint64_t>(), fields[1].get<uint64_t>()};
            return Value::from_bits(a.type, words);
          }
          if (is_maybe(a)) return fields[0].get<bool>() ? fields[1] : nothing();
          return is_text(a) ? text_value(call.evaluator_, fields) : make_struct(a.type, std::move(fields));
        }
        case How::kObject: return object_at(a.object);
        case How::kUnknown:
        case How::kUndefined: break;
      }
      return nothing();
    }

    /// Objects: arguments take their new contents, new ones are made.
    const Value& object_at(uint32_t place) {
      Value& v = objects[place];
      if (v.is_defined()) return v;
      const uint32_t id = call.results_.ids[place];
      const HeapObject& o = call.results_.objects[place];
      const bool is_argument = id < call.arguments_;
      if (is_list(o)) {
        v = make_array(o.element, o.dims);
        for (size_t i = 0; i < o.fields.size(); ++i) {
          if (o.fields[i].is_defined()) set_element(array_of(v), static_cast<int64_t>(i), value_of(o.fields[i]));
        }
        return v;
      }
      v = is_argument ? reader.objects[id]
                      : Value::of_object(o.type, new FieldsObject(std::vector<Value>(o.fields.size())));
      if (is_argument && !call.is_changed_[place]) return v;
      for (size_t i = 0; i < o.fields.size(); ++i) {
        if (o.fields[i].is_defined()) set_field(v, i, value_of(o.fields[i]));
      }
      return v;
    }
  };

  Evaluator& evaluator_;
  std::unique_ptr<Executable> executable_;
  std::vector<Packed> prints_;
  Packed results_;  // the value, then changed arguments; ids below `arguments_` are the arguments' objects
  size_t arguments_;
  bool fixed_integers_, fixed_floats_;
  bool is_open_;              // one code for many extents
  bool sizes_from_integers_;  // which also depend on integers
  mutable std::map<std::vector<int64_t>, std::unique_ptr<Executable>> by_extents_;
  bool is_in_place_;              // arrays of the caller are written where they lie
  bool changes_;                  // something of the caller's
  std::vector<bool> is_changed_;  // by place among the results' objects
  std::vector<ResultArray> arrays_;
  mutable std::vector<Buffer> spare_;  // by place in arrays_
};

/// Changed arrays of the caller whose elements are one leaf, and the result that renews them.
std::vector<std::pair<size_t, size_t>> donations_of(const TracedCall& traced) {
  std::vector<std::pair<size_t, size_t>> out;
  for (size_t i = 0; i < traced.results.objects.size(); ++i) {
    const HeapObject& o = traced.results.objects[i];
    const uint32_t id = traced.results.ids[i];
    if (!o.is_array || id >= traced.objects.size() || o.leaves.size() != 1) continue;
    out.emplace_back(leaf_of(traced.objects[id].leaves[0]), leaf_of(o.leaves[0]));
  }
  return out;
}

}  // namespace

std::unique_ptr<CompiledCall> compile_call(Evaluator& evaluator, const Value& callee, std::span<const Value> arguments,
                                           std::span<const Keyword> keywords, const CompileCallOptions& given) {
  CompileCallOptions options = given;
  options.has_arguments = true;
  const auto begin = std::chrono::steady_clock::now();
  TracedCall traced = trace_call(evaluator, callee, arguments, keywords, options);
  CompileOptions how = options.native;
  if (how.timing) {
    CompileStage stage;
    stage.name = "infer";
    stage.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    how.timing(stage);
  }
  if (!traced.changed.empty() && !options.open_extents) {
    simplify(*traced.program);
    if (runs_through(*traced.program, traced.entry)) how.donations = donations_of(traced);
  }
  const bool is_in_place = !how.donations.empty();
  auto executable = get_target(options.target).compile(traced.program, traced.entry, how);
  const auto is_static = [](const weft::Type& t) { return t.is_static(); };
  if (!executable->has_open_extents() &&
      (!std::ranges::all_of(traced.types, is_static) || !std::ranges::all_of(traced.results.types, is_static)))
    throw NotCompiled{Cause::kShape, "the target " + options.target + " has no code for open extents", {}, {}};
  return std::make_unique<Call>(evaluator, std::move(traced), std::move(executable), options, is_in_place);
}

}  // namespace weft::julia

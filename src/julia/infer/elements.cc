// A function on every element: on whole tensors where its code allows it, else in a loop.
#include "julia/host/array.h"
#include "julia/infer/emit/emit.h"
#include "julia/infer/state.h"

namespace weft::julia {

Abstract Compiler::choose(IrValue cond, const std::function<Abstract()>& then,
                          const std::function<Abstract()>& otherwise) {
  return exec_branch(
      cond, [&](Activation&) { return then(); }, [&](Activation&) { return otherwise(); }, nullptr, *activation_);
}

Abstract Compiler::fold(IrValue from, IrValue count, const Abstract& first,
                        const std::function<Abstract(IrValue position, const Abstract&)>& body) {
  return fold_while(from, count, first, body, {});
}

Abstract Compiler::fold_while(IrValue from, IrValue count, const Abstract& first,
                              const std::function<Abstract(IrValue position, const Abstract&)>& body,
                              const std::function<IrValue(const Abstract&)>& goes_on) {
  const auto begin = known_number(b().function(), from), end = known_number(b().function(), count);
  if (begin && end && *begin >= *end) return first;  // nothing to do
  Activation& a = *activation_;
  const auto counter = static_cast<SlotId>(a.slots.size()), value = counter + 1;
  a.slots.push_back(Abstract::of_scalar(core().int64, from));
  a.slots.push_back(first);
  LoopParts parts;
  parts.condition = [&](Activation& x) {
    const IrValue more = b().compare(scalar(x.slots[counter]), count, "LT");
    return goes_on ? b().logical_and(more, goes_on(x.slots[value])) : more;
  };
  parts.body = [&](Activation& x) {
    const IrValue k = scalar(x.slots[counter]);
    const Abstract before = x.slots[value];  // a fold inside of the body has slots of its own
    Abstract v = body(k, before);
    x.slots[value] = std::move(v);
    x.slots[counter] = Abstract::of_scalar(core().int64, b().add(k, int_constant(1)));
  };
  exec_loop(parts, a);
  Abstract out = a.slots[value];
  a.slots.pop_back();
  a.slots.pop_back();
  return out;
}

void Compiler::put_element(const Abstract& vector, IrValue position, const Abstract& v) {
  std::vector<IrValue> parts;
  append_leaves(v, parts);
  HeapObject& to = writable(vector);
  const int64_t one[] = {1};
  for (size_t i = 0; i < parts.size(); ++i)
    to.leaves[i] = b().dynamic_update_slice(to.leaves[i], b().reshape(parts[i], one), std::span(&position, 1));
}

Abstract Compiler::map_elements(const void* key, const ElementBody& body,
                                const std::vector<std::function<Abstract(IrValue position)>>& at,
                                const std::vector<Abstract>& whole, const std::vector<int64_t>& extents,
                                std::vector<IrValue>& leaves) {
  // The elements of one map and those of another inside of it would lie along the same axes.
  if (is_on_whole_) fail(Cause::kUnsupported, "a map inside of a function of elements");
  const auto on_tensors = [&] {
    struct OnWhole {
      bool& flag;
      explicit OnWhole(bool& f) : flag(f) { flag = true; }
      ~OnWhole() { flag = false; }
    } on_whole_tensors(is_on_whole_);
    struct Older {
      uint32_t& place;
      uint32_t before;
      ~Older() { place = before; }
    } older{objects_of_all_elements_, objects_of_all_elements_};
    objects_of_all_elements_ = static_cast<uint32_t>(heap_.objects.size());
    const Abstract v = body(whole);
    if (!v.is_defined()) fail(Cause::kWidening, "an element's function gives values of two types");
    std::vector<const DataType*> types;
    leaves_of_type(v.type, types);
    leaves.clear();
    append_leaves(v, leaves);
    for (IrValue& leaf : leaves) {
      if (b().type(leaf).rank() == 0 && !extents.empty()) leaf = b().broadcast_scalar(leaf, extents);
    }
    return v;
  };
  bool on_whole = !needs_loop_.contains(key);
  if (on_whole) {
    // Tried where it leaves nothing behind.
    const std::vector<HeapObject> objects = heap_.objects;
    const bool was_dead = activation_ != nullptr && activation_->is_dead;
    try {
      const Attempt attempt(*this);
      Region scratch(*this, {});
      on_tensors();
    } catch (const NotCompiled&) {
      on_whole = false;
      needs_loop_.insert(key);
    } catch (const UserError&) {
      // An op that has no form for tensors of this kind.
      on_whole = false;
      needs_loop_.insert(key);
    }
    heap_.objects = objects;
    if (activation_ != nullptr && activation_->is_dead && !was_dead) activation_->is_dead = false;
  }
  if (on_whole) return on_tensors();
  if (mask_) fail(Cause::kUnsupported, "a loop inside of a function of elements");

  // One after another: the first tells the type.
  const int64_t n = num_elements(extents);
  std::vector<const DataType*> types;
  Abstract like;
  const std::vector<HeapObject> objects = heap_.objects;
  {
    Region scratch(*this, {});
    std::vector<Abstract> arguments;
    const IrValue zero = int_constant(0);
    for (const auto& element : at) arguments.push_back(element(zero));
    like = body(std::move(arguments));
    if (!like.is_defined()) fail(Cause::kWidening, "an element's function gives values of two types");
    leaves_of_type(like.type, types);
  }
  heap_.objects = objects;
  if (activation_->is_dead) activation_->is_dead = false;
  const DataType* array = array_type(like.type, 1);
  std::vector<IrValue> start;
  for (const DataType* t : types) start.push_back(b().zeros(weft::Type::tensor(*element_type(t), {n})));
  const Abstract made = new_array(array, {n}, start);
  fold(int_constant(0), int_constant(n), Abstract::nothing(), [&](IrValue k, const Abstract& nothing_carried) {
    std::vector<Abstract> arguments;
    for (const auto& element : at) arguments.push_back(element(k));
    put_element(made, k, body(std::move(arguments)));
    return nothing_carried;
  });
  leaves.clear();
  for (const IrValue leaf : heap_.objects[made.object].leaves) leaves.push_back(b().reshape(leaf, extents));
  return like;
}

}  // namespace weft::julia

// Objects that variables refer to in turn from one iteration of a loop to the next.
#include <algorithm>

#include "julia/host/number.h"
#include "julia/infer/state.h"

namespace weft::julia {

/// What the objects at the head may be, of those older than the loop and of each other.
void LoopHead::choices(size_t base) {
  const auto note = [&](uint32_t id, uint32_t other) {
    HeapObject& o = w.objects[id];
    if (id == other || o.can_be(other)) return;
    c.note_choice(o, other);
    changed = true;
  };
  const auto is_rebound_object = [&](uint32_t id) { return id < is_rebound.size() && is_rebound[id]; };
  const auto may_be = [&](uint32_t a, uint32_t b) { return a == b || end->objects[a].can_be(b); };
  const auto is_one = [&](uint32_t a, uint32_t b) {
    return may_be(a, b) || may_be(b, a) || std::ranges::any_of(end->objects[a].may_be, [&](uint32_t k) {
             return is_rebound_object(k) && may_be(b, k);
           });
  };
  for (const Met& m : met) {
    if (m.end < base && !is_rebound_object(m.end)) note(m.rebound, m.end);
    for (const uint32_t other : end->objects[m.end].may_be) {
      if (other < base && !is_rebound_object(other)) note(m.rebound, other);
    }
    for (const Met& n : met) {
      if (m.rebound == n.rebound || m.is_result != n.is_result || !is_one(m.end, n.end)) continue;
      note(m.rebound, n.rebound);
    }
  }
}

/// Arrays of the caller among those that variables refer to in turn, as in `u, v = v, u`: which of them each is.
void LoopHead::tell_apart(size_t base) {
  const auto place_after = [&](uint32_t id) -> uint32_t {
    uint32_t found = HeapObject::kAlone;
    for (const Met& m : met) {
      if (m.end != id || m.is_result) continue;
      if (found != HeapObject::kAlone && found != m.rebound) return HeapObject::kAlone;
      found = m.rebound;
    }
    return found;
  };
  for (Told& t : told) {
    const IrValue now = placeholder(t.place);
    const IrValue place = c.b().function().args(c.b().region())[t.place];
    IrValue next = place;
    std::vector<uint32_t> ways = {t.first};
    for (size_t k = 0; k < ways.size() && !t.is_lost; ++k) {
      const uint32_t after = place_after(ways[k]);
      if (after == HeapObject::kAlone) {
        t.is_lost = changed = true;
        break;
      }
      if (std::ranges::find(ways, after) == ways.end()) ways.push_back(after);
      const IrValue is_here = c.b().compare(place, c.int_constant(ways[k]), "EQ");
      next = c.b().select(is_here, c.int_constant(after), next);
    }
    set_end(now, next);
  }
  if (told.empty() && std::ranges::none_of(met, [](const Met& m) { return !m.is_result; })) return;
  const std::vector<bool> is_outside = c.reachable(w.objects, {}), is_inside = c.reachable_by(w.objects, w.slots);
  for (const Met& m : met) {
    const auto first = first_objects.find(m.rebound);
    if (first == first_objects.end() || m.is_result || first->second >= base) continue;
    const uint32_t id = first->second;
    const auto same = [&](const Told& t) { return t.object == id; };
    if (!is_outside[id] || is_inside[id] || w.objects[id].leaves.empty() || std::ranges::any_of(told, same)) continue;
    told.push_back({id, m.rebound, carried.size()});
    Carried x;
    x.type = weft::Type::scalar(ElementType::kI64);
    x.init = Abstract::of_constant(number(static_cast<int64_t>(m.rebound)));
    carried.push_back(x);
    changed = true;
  }
}

std::vector<uint32_t> LoopHead::told_apart() const {
  std::vector<uint32_t> out;
  for (const Told& t : told) {
    if (!t.is_lost) out.push_back(t.object);
  }
  return out;
}

void LoopHead::leave(std::span<const IrValue> results) {
  for (const Told& t : told) {
    if (t.is_lost) continue;
    std::vector<IrValue> leaves = c.heap().objects[t.object].leaves;
    for (uint32_t id = 0; id < is_rebound.size(); ++id) {
      if (!is_rebound[id] || c.heap().objects[id].dims != c.heap().objects[t.object].dims) continue;
      const IrValue is_here = c.b().compare(results[t.place], c.int_constant(id), "EQ");
      for (size_t i = 0; i < leaves.size(); ++i)
        leaves[i] = c.b().select(is_here, c.heap().objects[id].leaves[i], leaves[i]);
    }
    c.heap().objects[t.object].leaves = leaves;
  }
}

}  // namespace weft::julia

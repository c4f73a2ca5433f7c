#include "julia/infer/border/packed.h"

#include "julia/host/array.h"
#include "julia/host/number.h"

namespace weft::julia {

using How = Abstract::Kind;

IrValue Packer::leaf(IrValue v) {
  out.leaves.push_back(v);
  out.types.push_back(c.b().type(v));
  return placeholder(out.leaves.size() - 1);
}

uint32_t Packer::pack_object(uint32_t id) {
  const auto known = places.find(id);
  if (known != places.end()) return known->second;
  const auto place = static_cast<uint32_t>(out.objects.size());
  places[id] = place;
  out.ids.push_back(id);
  out.objects.push_back(c.heap().objects[id]);
  out.objects.back().may_be.clear();
  out.objects.back().identity = Abstract();
  HeapObject o = out.objects.back();
  if (id < unchanged.size() && unchanged[id]) {
    out.objects[place].leaves.clear();
    out.objects[place].fields.clear();
    return place;
  }
  for (IrValue& v : o.leaves) v = leaf(v);
  for (Abstract& f : o.fields) f = pack(f);
  const Abstract identity = c.identity_of(c.heap().objects, id);
  const bool is_known =
      identity.is_constant() && (identity.constant.get<int64_t>() < 0 || identity.constant.get<int64_t>() == id);
  if (has_callers && !is_known) o.identity = Abstract::of_scalar(core().int64, leaf(c.scalar(identity)));
  out.objects[place] = std::move(o);
  return place;
}

void Packer::expect_apart(size_t others) {
  const std::vector<HeapObject>& objects = c.heap().objects;
  for (const uint32_t id : out.ids) {
    const uint32_t shares = objects[id].shares;
    if (shares == HeapObject::kAlone) continue;
    for (uint32_t k = 0; k < objects.size(); ++k) {
      if (k != id && objects[k].shares == shares && (k < others || places.contains(k)))
        c.fail(Cause::kUnsupported, "a result lies over the memory of another array (reshape, vec)", "copy it");
    }
  }
}

Abstract Packer::pack(const Abstract& given) {
  const bool is_array_constant = given.is_constant() && is_array(given.constant);
  Abstract a = given.is_constant() && (number_kind(given.type) || !is_array_constant) ? given : c.expanded(given);
  switch (a.kind) {
    case How::kUnknown:
    case How::kUndefined: return a;
    case How::kScalar: return Abstract::of_scalar(a.type, leaf(a.ir));
    case How::kConstant: {
      if (number_kind(a.type) && element_type(a.type)) return Abstract::of_scalar(a.type, leaf(c.scalar(a)));
      Abstract x = c.expanded(a);
      if (x.kind == How::kConstant) return x;
      return pack(x);
    }
    case How::kFields: {
      Abstract x = a;
      for (Abstract& f : x.fields) f = pack(f);
      return x;
    }
    case How::kObject: return Abstract::of_object(a.type, pack_object(a.object));
  }
  return a;
}

namespace {

void place_objects(Abstract& a, std::span<const uint32_t> ids) {
  if (a.kind == How::kObject) a.object = ids[a.object];
  for (Abstract& f : a.fields) place_objects(f, ids);
}

bool same(const Abstract& a, const Abstract& b) {
  if (a.kind != b.kind || a.type != b.type || a.fields.size() != b.fields.size()) return false;
  if (a.kind == How::kConstant) return is_identical(a.constant, b.constant);
  if (a.kind == How::kObject) return a.object == b.object;
  for (size_t i = 0; i < a.fields.size(); ++i) {
    if (!same(a.fields[i], b.fields[i])) return false;
  }
  return true;
}

}  // namespace

std::vector<Abstract> unpacked(const Packed& p, std::span<const IrValue> leaves, Heap& heap,
                               std::vector<uint32_t>& ids) {
  const Fill fill{leaves};
  const size_t before = heap.objects.size();
  for (size_t i = 0; i < p.objects.size(); ++i) ids.push_back(static_cast<uint32_t>(before + i));
  for (HeapObject o : p.objects) {
    o.shares = HeapObject::kAlone;
    for (IrValue& v : o.leaves) fill(v);
    for (Abstract& f : o.fields) {
      fill(f);
      place_objects(f, ids);
    }
    heap.objects.push_back(std::move(o));
  }
  std::vector<Abstract> out = p.values;
  for (Abstract& a : out) {
    fill(a);
    place_objects(a, ids);
  }
  return out;
}

bool same_shape(const Packed& a, const Packed& b) {
  if (a.values.size() != b.values.size() || a.objects.size() != b.objects.size() || a.types != b.types) return false;
  for (size_t i = 0; i < a.values.size(); ++i) {
    if (!same(a.values[i], b.values[i])) return false;
  }
  for (size_t i = 0; i < a.objects.size(); ++i) {
    if (a.objects[i].type != b.objects[i].type || a.objects[i].dims != b.objects[i].dims) return false;
  }
  return true;
}

}  // namespace weft::julia

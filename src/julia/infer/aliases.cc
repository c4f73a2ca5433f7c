// Objects that may be one when the program runs: variables that branches and loops set refer to one of several.
#include <algorithm>

#include "julia/host/number.h"
#include "julia/infer/state.h"

namespace weft::julia {

using How = Abstract::Kind;

namespace {

struct Reach {
  const std::vector<HeapObject>& objects;
  std::vector<bool> seen = {};

  void visit(uint32_t id) {
    if (id >= objects.size() || seen[id]) return;
    seen[id] = true;
    const HeapObject& o = objects[id];
    for (const Abstract& f : o.fields) visit(f);
    if (o.shares == HeapObject::kAlone) return;
    for (uint32_t k = 0; k < objects.size(); ++k) {
      if (objects[k].shares == o.shares) visit(k);
    }
  }
  void visit(const Abstract& a) {
    if (a.kind == How::kObject) visit(a.object);
    for (const Abstract& f : a.fields) visit(f);
  }
};

/// Intermediate values are used where they are made.
bool is_intermediate(const Code& code, size_t slot) {
  if (slot >= code.slots.size()) return false;
  const std::string& name = code.slots[slot].name.text();
  return name.starts_with('#') && name != "#self#" && name != "#keywords";
}

}  // namespace

std::vector<bool> Compiler::reachable(const std::vector<HeapObject>& objects, std::span<const Abstract> own) {
  Reach reach{objects};
  reach.seen.resize(objects.size());
  for (uint32_t i = 0; i < kept_objects_; ++i) reach.visit(i);
  const auto visit_all = [&](const Code& code, std::span<const Abstract> slots) {
    for (size_t i = 0; i < slots.size(); ++i) {
      if (!is_intermediate(code, i)) reach.visit(slots[i]);
    }
  };
  for (size_t i = first_running_; i < running_.size(); ++i) {
    const Activation& a = *running_[i].activation;
    if (&a != activation_) visit_all(*a.code, a.slots);
  }
  if (activation_ != nullptr) visit_all(*activation_->code, own);
  return std::move(reach.seen);
}

std::vector<bool> Compiler::reachable_by(const std::vector<HeapObject>& objects, std::span<const Abstract> variables) {
  Reach reach{objects};
  reach.seen.resize(objects.size());
  for (const Abstract& a : variables) reach.visit(a);
  return std::move(reach.seen);
}

void Compiler::note_choice(HeapObject& o, uint32_t other) {
  if (!o.can_be(other)) o.may_be.push_back(other);
  has_choices_ = true;
}

Abstract Compiler::identity_of(const std::vector<HeapObject>& objects, uint32_t id) const {
  const Abstract& known = objects[id].identity;
  return known.is_defined() ? known : Abstract::of_constant(number(id < kept_objects_ ? int64_t{id} : int64_t{-1}));
}

void Compiler::expect_no_other_name(uint32_t object) {
  if (!has_choices_) return;
  std::vector<uint32_t> others;
  for (uint32_t k = 0; k < heap_.objects.size(); ++k) {
    const bool is_known = std::ranges::find(told_apart_, k) != told_apart_.end();
    if (k != object && !is_known && (heap_.objects[object].can_be(k) || heap_.objects[k].can_be(object)))
      others.push_back(k);
  }
  if (others.empty()) return;
  const std::vector<bool> is_reachable =
      reachable(heap_.objects, activation_ == nullptr ? std::span<const Abstract>() : activation_->slots);
  if (std::ranges::any_of(others, [&](uint32_t k) { return is_reachable[k]; }))
    fail(Cause::kUnsupported, "an array or object is changed that may be the same as one with another name",
         "change a copy");
}

}  // namespace weft::julia

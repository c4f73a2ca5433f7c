// From the cotangents of a tape's results back to those of its variables.
#include "julia/host/exception.h"
#include "julia/infer/derive/differentiable.h"
#include "julia/infer/derive/tape_entries.h"

namespace weft::julia {
namespace {

void store(ElementType type, void* to, size_t i, double x) {
  if (type == ElementType::kF32 || type == ElementType::kC64) static_cast<float*>(to)[i] = static_cast<float>(x);
  else if (type == ElementType::kF16) static_cast<f16*>(to)[i] = f16(static_cast<float>(x));
  else static_cast<double*>(to)[i] = x;
}

double load(ElementType type, const void* from, size_t i) {
  if (type == ElementType::kF32 || type == ElementType::kC64) return static_cast<const float*>(from)[i];
  if (type == ElementType::kF16) return static_cast<float>(static_cast<const f16*>(from)[i]);
  return static_cast<const double*>(from)[i];
}

}  // namespace

Cotangents Tape::start() const { return {std::vector<double>(next_, 0.0), std::vector<bool>(next_, false)}; }

void Tape::sweep(Cotangents& c) const {
  uint64_t end = next_;
  for (size_t i = entries_.size(); i-- > 0;) {
    const Entry& entry = entries_[i];
    size_t outputs = 0;
    for (uint64_t p = entry.first; p < end && outputs == 0; ++p) outputs = c.reached[p] ? 1 : 0;
    end = entry.first;
    if (outputs == 0) continue;
    if (entry.code) {
      sweep_entry(entry, c);
      continue;
    }
    const CustomRule& rule = *entry.rule;
    const Value given = e_.call(rule.back, {gradient_at(e_, rule.result, c)});
    const size_t first = rule.has_callee ? 0 : 1;
    if (!given.type()->is_tuple || field_count(given) + first < rule.arguments.size())
      throw_error("a rule for derivatives must give one for each argument");
    for (size_t k = first; k < rule.arguments.size(); ++k)
      add_gradient(e_, rule.arguments[k], get_field(given, k - first), c);
  }
}

void Tape::sweep_entry(const Entry& entry, Cotangents& c) const {
  const IntrinsicDerivative& d = *entry.code;
  std::vector<const void*> in;
  for (const Tensor& t : entry.leaves) in.push_back(t.raw());
  std::deque<Tensor> seeds;
  uint64_t place = entry.first;
  for (size_t i = 0; i < entry.counts.size(); ++i) {
    const weft::Type t = d.call.results.types[i];
    const size_t count = entry.counts[i];
    if (!has_derivatives(t)) {
      place += count;
      continue;
    }
    Tensor seed = Tensor::zeros(t.element_type(), Shape(t.shape().begin(), t.shape().end()));
    for (size_t k = 0; k < count; ++k) {
      // The second of two parts is the imaginary one: IR pairs without conjugation.
      const double x = c.of[place++];
      store(t.element_type(), seed.raw(), k, is_complex(t.element_type()) && k % 2 == 1 ? -x : x);
    }
    seeds.push_back(std::move(seed));
    in.push_back(seeds.back().raw());
  }
  std::deque<Tensor> out;
  std::vector<void*> to;
  for (const weft::Type t : d.code->result_types()) {
    out.emplace_back(t.element_type(), Shape(t.shape().begin(), t.shape().end()));
    to.push_back(out.back().raw());
  }
  d.code->invoke(in.data(), to.data());
  for (size_t i = 0; i < d.by.size(); ++i) {
    const ElementType type = out[i].element_type();
    const std::vector<uint64_t>& places = entry.places[i];
    for (size_t k = 0; k < places.size(); ++k) {
      const double x = load(type, out[i].raw(), k);
      c.add(places[k], is_complex(type) && k % 2 == 1 ? -x : x);
    }
  }
}

}  // namespace weft::julia

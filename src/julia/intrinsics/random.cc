// Random numbers: single ones, and whole arrays in the order in which Julia draws them.
#include <algorithm>
#include <cmath>

#include "julia/host/dict.h"
#include "julia/host/exception.h"
#include "julia/host/number.h"
#include "julia/intrinsics/mersenne.h"
#include "julia/intrinsics/random_source.h"
#include "julia/intrinsics/sha256.h"
#include "julia/intrinsics/ziggurat.h"
#include "julia/run/evaluator.h"

namespace weft::julia {
namespace {

using Args = std::span<const Value>;

template <class T>
T draw(RandomSource& s) {
  if constexpr (std::is_same_v<T, double>) return s.unit();
  if constexpr (std::is_same_v<T, float>) return s.unit32();
  if constexpr (std::is_same_v<T, f16>) return f16(s.unit16());
  if constexpr (std::is_same_v<T, bool>) return (s.small(8) & 1) != 0;
  if constexpr (kIsFloat<T> || std::is_same_v<T, bool>) return {};
  else if constexpr (sizeof(T) == 16) return static_cast<T>(s.next128());
  else if constexpr (sizeof(T) == 8) return static_cast<T>(s.next());
  else return static_cast<T>(s.small(8 * sizeof(T)));
}

NumberKind machine_kind(const Type* t) {
  const auto kind = number_kind(t);
  if (!kind) throw Unsupported("random numbers of this type");
  return *kind;
}

Value random_number(Evaluator& e, Args a) {
  Value out;
  with_source(e, a[0], [&](RandomSource& s) {
    visit_number(machine_kind(a[1].as_type()), [&]<class T>(T) { out = number(draw<T>(s)); });
  });
  return out;
}

template <class T>
T draw_between(RandomSource& s, T first, T last) {
  if constexpr (kIsFloat<T> || std::is_same_v<T, bool>) {
    throw InternalError("a range of these numbers is no range of machine integers");
  } else if constexpr (sizeof(T) == 16) {
    const auto width = static_cast<UInt128>(last) - static_cast<UInt128>(first);
    return static_cast<T>(static_cast<UInt128>(first) + masked128(s, width));
  } else if constexpr (sizeof(T) == 8) {
    const uint64_t count = static_cast<uint64_t>(last) - static_cast<uint64_t>(first) + 1;
    return static_cast<T>(static_cast<uint64_t>(first) + below64(s, count));
  } else {
    const uint32_t count = static_cast<uint32_t>(last) - static_cast<uint32_t>(first) + 1;
    return static_cast<T>(static_cast<uint32_t>(first) + below32(s, count));
  }
}

/// (rng, first, last): a number of a range of machine integers.
Value random_between(Evaluator& e, Args a) {
  Value out;
  visit_number(machine_kind(a[1].type()), [&]<class T>(T) {
    const T first = a[1].get<T>(), last = a[2].get<T>();
    if (last < first) throw_argument_error("collection must be non-empty");
    with_source(e, a[0], [&](RandomSource& s) { out = number(draw_between(s, first, last)); });
  });
  return out;
}

/// (rng, array, first, last)
Value fill_between(Evaluator& e, Args a) {
  ArrayObject& out = array_of(a[1]);
  visit_number(machine_kind(a[2].type()), [&]<class T>(T) {
    const T first = a[2].get<T>(), last = a[3].get<T>();
    if (last < first) throw_argument_error("collection must be non-empty");
    with_source(e, a[0], [&](RandomSource& s) {
      T* data = out.data_as<T>();
      for (int64_t i = 0; i < out.length; ++i) data[i] = draw_between(s, first, last);
    });
  });
  return a[1];
}

bool is_bit_array(const Value& v) { return v.type()->name == as<DataType>(unwrap_union_all(core().bit_array))->name; }

void fill_rest(RandomSource& s, ArrayObject& a, NumberKind kind) {
  visit_number(kind, [&]<class T>(T) {
    T* data = a.data_as<T>();
    for (auto i = static_cast<int64_t>(s.filled() / sizeof(T)); i < a.length; ++i) data[i] = draw<T>(s);
  });
}

/// (rng, array of machine numbers)
Value fill_numbers(Evaluator& e, Args args) {
  ArrayObject& a = array_of(args[1]);
  const NumberKind kind = machine_kind(a.element);
  with_source(e, args[0], [&](RandomSource& s) {
    using Fill = RandomSource::Fill;
    if (is_bit_array(args[1])) {
      std::vector<uint64_t> chunks(static_cast<size_t>((a.length + 63) / 64));
      if (!s.fill(std::as_writable_bytes(std::span(chunks)), Fill::kBits)) {
        for (size_t i = s.filled() / 8; i < chunks.size(); ++i) chunks[i] = s.next();
      }
      bool* data = a.data_as<bool>();
      for (int64_t i = 0; i < a.length; ++i) data[i] = ((chunks[static_cast<size_t>(i / 64)] >> (i % 64)) & 1) != 0;
      return;
    }
    const Fill what = kind == NumberKind::kBool      ? Fill::kBool
                      : kind == NumberKind::kFloat32 ? Fill::kFloat32
                      : kind == NumberKind::kFloat64 ? Fill::kFloat64
                                                     : Fill::kBits;
    const std::span bytes(a.data(), static_cast<size_t>(a.length) * a.flat->layout().size);
    if (kind != NumberKind::kFloat16 && s.fill(bytes, what)) return;
    fill_rest(s, a, kind);
  });
  return args[1];
}

using Shape = double (*)(RandomSource&, uint64_t);

template <Shape kShape>
Value shaped_number(Evaluator& e, Args a) {
  Value out;
  with_source(e, a[0], [&](RandomSource& s) {
    const double x = kShape(s, s.bits52());
    visit_number(machine_kind(a[1].as_type()), [&]<class T>(T) {
      if constexpr (kIsFloat<T>) out = number(static_cast<T>(x));
      else throw InternalError("normal numbers are floating-point numbers");
    });
  });
  return out;
}

/// Arrays of floating-point numbers.
template <Shape kShape>
Value fill_shaped(Evaluator& e, Args args) {
  ArrayObject& a = array_of(args[1]);
  const NumberKind kind = machine_kind(a.element);
  with_source(e, args[0], [&](RandomSource& s) {
    constexpr int64_t kAtOnce = 7;  // shorter arrays are drawn one number after another
    if (kind == NumberKind::kFloat64 && a.length >= kAtOnce && s.fills_bits()) {
      auto* data = a.data_as<double>();
      s.fill(std::span(a.data(), static_cast<size_t>(a.length) * sizeof(double)), RandomSource::Fill::kBits);
      for (int64_t i = 0; i < a.length; ++i) {
        uint64_t bits = 0;
        std::memcpy(&bits, data + i, sizeof bits);
        data[i] = kShape(s, bits >> 12);
      }
      return;
    }
    visit_number(kind, [&]<class T>(T) {
      if constexpr (kIsFloat<T>) {
        T* data = a.data_as<T>();
        for (int64_t i = 0; i < a.length; ++i) data[i] = static_cast<T>(kShape(s, s.bits52()));
      } else {
        throw InternalError("normal numbers are floating-point numbers");
      }
    });
  });
  return args[1];
}

/// Calls step(i, j) for i = 1, 2, … with j at most i - `least`, as shuffles need them.
template <class F>
void shuffle_steps(RandomSource& s, int64_t length, int64_t least, F step) {
  int64_t mask = 3;
  for (int64_t i = 1; i < length; ++i) {
    step(i, static_cast<int64_t>(masked52(s, static_cast<uint64_t>(i - least), static_cast<uint64_t>(mask))));
    if (i == mask) mask = 2 * mask + 1;
  }
}

/// (rng, array of machine integers): the numbers 1 … n in random order; one cycle of them.
template <bool kIsCycle>
Value permute(Evaluator& e, Args args) {
  ArrayObject& a = array_of(args[1]);
  visit_number(machine_kind(a.element), [&]<class T>(T) {
    T* data = a.data_as<T>();
    if (a.length > 0) data[0] = T(1);
    with_source(e, args[0], [&](RandomSource& s) {
      shuffle_steps(s, a.length, kIsCycle ? 1 : 0, [&](int64_t i, int64_t j) {
        const int64_t next = i + 1;
        data[i] = data[j];
        data[j] = static_cast<T>(next);
      });
    });
  });
  return args[1];
}

Value shuffle(Evaluator& e, Args args) {
  ArrayObject& a = array_of(args[1]);
  with_source(e, args[0], [&](RandomSource& s) {
    shuffle_steps(s, a.length, 0, [&](int64_t i, int64_t j) {
      Value kept = get_element(a, i);
      set_element(a, i, get_element(a, j));
      set_element(a, j, kept);
    });
  });
  return args[1];
}

/// (rng, last, mask): at most `last`, of numbers under the mask.
Value random_masked(Evaluator& e, Args a) {
  Value out;
  with_source(e, a[0], [&](RandomSource& s) {
    out = number(static_cast<int64_t>(masked52(s, a[1].get<uint64_t>(), a[2].get<uint64_t>())));
  });
  return out;
}

Value random_bits52(Evaluator& e, Args a) {
  Value out;
  with_source(e, a[0], [&](RandomSource& s) { out = number(s.bits52()); });
  return out;
}

Value seed(Evaluator&, Args a) {
  seed_source(a[0], a[1]);
  return a[0];
}

/// (type): a MersenneTwister that is not seeded yet.
Value make_mersenne(Evaluator&, Args a) {
  return Value::of_object(as<DataType>(a[0].as_type()), new HostObject(std::make_shared<Mersenne>()));
}

const Mersenne& mersenne(const Value& v) {
  return *static_cast<const Mersenne*>(static_cast<const HostObject*>(v.object())->contents.get());
}

Value copy_mersenne(Evaluator&, Args a) {
  return Value::of_object(a[0].type(), new HostObject(std::make_shared<Mersenne>(mersenne(a[0]))));
}

Value equal_mersenne(Evaluator&, Args a) { return boolean(mersenne(a[0]) == mersenne(a[1])); }

/// (TaskLocalRNG) → its four words; (TaskLocalRNG, Xoshiro) takes over those of the other.
Value task_state(Evaluator& e, Args a) {
  std::vector<Value> words;
  with_source(e, a[0], [&](RandomSource& s) {
    auto& state = dynamic_cast<Xoshiro256&>(s).state;
    for (size_t i = 0; i < 4; ++i) {
      if (a.size() > 1) state[i] = get_field(a[1], i).get<uint64_t>();
      words.push_back(number(state[i]));
    }
  });
  return make_tuple(std::move(words));
}

Value dict_slot_count(Evaluator&, Args a) { return number(static_cast<int64_t>(dict_of(a[0]).slots.size())); }

/// (dictionary, place from 1): the pair there; nothing where none is.
Value dict_slot(Evaluator&, Args a) {
  const DictObject& d = dict_of(a[0]);
  const auto i = static_cast<size_t>(a[1].get<int64_t>() - 1);
  if ((d.slots[i] & 0x80) == 0) return nothing();
  return make_struct(applied(core().pair, {d.key_type, d.value_type}), {d.keys[i], d.values[i]});
}

template <class To, class From>
Value vector_of(const DataType* element, const From& from) {
  const Value out = make_array(element, {static_cast<int64_t>(from.size())});
  std::ranges::transform(from, array_of(out).data_as<To>(), [](auto x) { return static_cast<To>(x); });
  return out;
}

/// (of normal numbers?, 1: bounds, 2: widths, 3: densities)
Value layers(Evaluator&, Args a) {
  const Ziggurat& z = a[0].get<bool>() ? normal_ziggurat() : exponential_ziggurat();
  const auto which = a[1].get<int64_t>();
  if (which == 1) return vector_of<int64_t>(core().int64, z.bound);
  return vector_of<double>(core().float64, which == 2 ? z.width : z.density);
}

Value hash_rounds(Evaluator&, Args) { return vector_of<uint32_t>(core().uint32, sha256_rounds()); }

constexpr IntrinsicEntry kEntries[] = {
    {"_dict_slot_count", dict_slot_count, 1, 1},
    {"_dict_slot", dict_slot, 2, 2},
    {"_rng_number", random_number, 2, 2},
    {"_rng_between", random_between, 3, 3},
    {"_rng_fill", fill_numbers, 2, 2},
    {"_rng_fill_between", fill_between, 4, 4},
    {"_rng_normal", shaped_number<normal>, 2, 2},
    {"_rng_exponential", shaped_number<exponential>, 2, 2},
    {"_rng_fill_normal", fill_shaped<normal>, 2, 2},
    {"_rng_fill_exponential", fill_shaped<exponential>, 2, 2},
    {"_rng_permutation", permute<false>, 2, 2},
    {"_rng_cycle", permute<true>, 2, 2},
    {"_rng_shuffle", shuffle, 2, 2},
    {"_rng_masked", random_masked, 3, 3},
    {"_rng_bits52", random_bits52, 1, 1},
    {"_rng_seed", seed, 2, 2},
    {"_rng_make_mersenne", make_mersenne, 1, 1},
    {"_rng_copy_mersenne", copy_mersenne, 1, 1},
    {"_rng_equal_mersenne", equal_mersenne, 2, 2},
    {"_rng_task_state", task_state, 1, 2},
    {"_rng_layers", layers, 2, 2},
    {"_rng_hash_rounds", hash_rounds, 0, 0},
};

}  // namespace

std::span<const IntrinsicEntry> random_intrinsics() { return kEntries; }

}  // namespace weft::julia

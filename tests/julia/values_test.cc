// Values: how they are held, shared and freed; arrays and dictionaries.
#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "julia/host/array.h"
#include "julia/host/dict.h"
#include "julia/host/hash.h"
#include "julia/host/number.h"
#include "julia/types/type_reader.h"

namespace weft::julia {
namespace {

Value integer(int64_t i) { return number(i); }

Value ints(std::initializer_list<int64_t> list) {
  std::vector<Value> out;
  for (const int64_t i : list) out.push_back(integer(i));
  return make_vector(core().int64, std::move(out));
}

std::vector<int64_t> contents(const Value& v) {
  std::vector<int64_t> out;
  for (int64_t i = 0; i < array_of(v).length; ++i) out.push_back(get_element(array_of(v), i).get<int64_t>());
  return out;
}

TEST(JuliaValues, SmallPlainBitsNeedNoObject) {
  EXPECT_EQ(sizeof(Value), 24u);
  const Value z = make_struct(applied(core().complex, {core().float64}), {number(1.0), number(2.0)});
  EXPECT_FALSE(z.is_reference());
  EXPECT_EQ(get_field(z, 1).get<double>(), 2.0);
  const Value three = make_tuple({integer(1), integer(2), integer(3)});
  EXPECT_TRUE(three.is_reference());
  EXPECT_TRUE(is_identical(three, make_tuple({integer(1), integer(2), integer(3)})));
  EXPECT_FALSE(is_identical(three, make_tuple({integer(1), integer(2), integer(4)})));
  EXPECT_TRUE(is_identical(make_string("ab"), make_string("ab")));
  EXPECT_FALSE(is_identical(number(0.0), number(-0.0)));
  EXPECT_FALSE(is_identical(integer(1), number(1.0)));
}

TEST(JuliaValues, MutableStructsAreShared) {
  TypeName* name = declare_type("Counter", "Main", Flavour::kMutable, {});
  set_super(name, core().any);
  set_fields(name, {"n"}, {core().int64});
  const Value a = make_struct(name->primary, {integer(1)});
  const Value b = a, other = make_struct(name->primary, {integer(1)});
  set_field(a, 0, integer(5));
  EXPECT_EQ(get_field(b, Symbol("n")).get<int64_t>(), 5);
  EXPECT_TRUE(is_identical(a, b));
  set_field(a, 0, integer(1));
  EXPECT_FALSE(is_identical(a, other));
  EXPECT_EQ(a.object()->references, 2u);
}

TEST(JuliaValues, AChainLongerThanTheStackIsFreed) {
  TypeName* name = declare_type("Node", "Main", Flavour::kMutable, {});
  set_super(name, core().any);
  set_fields(name, {"next"}, {core().any});
  Value list = nothing();
  for (int i = 0; i < 1000000; ++i) list = make_struct(name->primary, {std::move(list)});
  list = nothing();
  EXPECT_FALSE(list.is_reference());
}

TEST(JuliaValues, ArraysGrowAndShrink) {
  const Value v = ints({1, 2, 3});
  ArrayObject& a = array_of(v);
  for (int64_t i = 4; i <= 100; ++i) push_back(a, integer(i));
  EXPECT_EQ(a.length, 100);
  EXPECT_EQ(get_element(a, 99).get<int64_t>(), 100);
  resize(a, 5);
  EXPECT_EQ(contents(v), (std::vector<int64_t>{1, 2, 3, 4, 5}));
  erase(a, 0, 1);
  erase(a, 1, 2);
  EXPECT_EQ(contents(v), (std::vector<int64_t>{2, 5}));
  insert(a, 0, integer(7));
  insert(a, 1, integer(8));
  insert(a, 4, integer(9));
  EXPECT_EQ(contents(v), (std::vector<int64_t>{7, 8, 2, 5, 9}));
  push_back(a, get_element(a, 0));
  EXPECT_EQ(contents(v).back(), 7);
  // The same with references.
  const Value words = make_vector(core().string, {make_string("a"), make_string("b")});
  ArrayObject& w = array_of(words);
  insert(w, 1, make_string("c"));
  erase(w, 0, 1);
  push_back(w, make_string("d"));
  ASSERT_EQ(w.length, 3);
  EXPECT_EQ(string_of(get_element(w, 0)) + string_of(get_element(w, 1)) + string_of(get_element(w, 2)), "cbd");
}

TEST(JuliaValues, ReshapedArraysAndTensorsShareMemory) {
  const Value v = ints({1, 2, 3, 4, 5, 6});
  const Value m = reshaped(v, {2, 3});
  set_element(array_of(m), 5, integer(60));
  EXPECT_EQ(contents(v).back(), 60);
  EXPECT_EQ(m.type(), array_type(core().int64, 2));
  const Tensor t = tensor_of(array_of(m));
  EXPECT_EQ(t.shape(), (Shape{3, 2}));  // columns are rows of the tensor
  EXPECT_EQ(t.raw(), array_of(v).data());
  EXPECT_EQ(t.data<int64_t>()[1], 2);
  const Value back = array_of_tensor(t);
  EXPECT_EQ(array_of(back).dims, (std::vector<int64_t>{2, 3}));
  EXPECT_EQ(reinterpret_cast<uintptr_t>(array_of(v).data()) % 64, 0u);
  EXPECT_EQ(contents(copied(m)), contents(m));
  EXPECT_NE(array_of(copied(m)).data(), array_of(m).data());
}

TEST(JuliaValues, DictionariesAgreeWithAMap) {
  const Value v = make_dict(core().int64, core().int64);
  DictObject& d = dict_of(v);
  std::map<int64_t, int64_t> model;
  uint64_t state = 1;
  for (int i = 0; i < 20000; ++i) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    const auto key = static_cast<int64_t>(state >> 54);
    if ((state >> 33) % 3 == 0) {
      EXPECT_EQ(remove(d, integer(key)), model.erase(key) == 1);
    } else {
      assign(d, integer(key), integer(i));
      model[key] = i;
    }
    ASSERT_EQ(d.count, static_cast<int64_t>(model.size()));
  }
  for (const auto& [key, value] : model) {
    const int64_t slot = find(d, integer(key));
    ASSERT_GE(slot, 0);
    EXPECT_EQ(d.values[static_cast<size_t>(slot)].get<int64_t>(), value);
  }
}

TEST(JuliaValues, EqualKeysHashAlike) {
  // The example of hash in Julia's documentation.
  EXPECT_EQ(hash_of(integer(10)), 0x95ea2955abd45275u);
  EXPECT_EQ(hash_of(integer(10), 0x95ea2955abd45275u), 0xd42bad54a8575b16u);
  for (const Value& one :
       {integer(1), number(1.0), number(1.0f), number(uint8_t{1}), boolean(true), number(Int128{1})}) {
    EXPECT_EQ(hash_of(one), hash_of(integer(1)));
    EXPECT_TRUE(is_equal(one, integer(1)));
  }
  EXPECT_TRUE(is_equal(number(std::nan("")), number(-std::nan(""))));
  EXPECT_EQ(hash_of(number(std::nan(""))), hash_of(number(-std::nan(""))));
  EXPECT_FALSE(is_equal(number(0.0), number(-0.0)));
  EXPECT_TRUE(is_equal(ints({1, 2}), ints({1, 2})));
  EXPECT_EQ(hash_of(ints({1, 2})), hash_of(ints({1, 2})));
}

}  // namespace
}  // namespace weft::julia

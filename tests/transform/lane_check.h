// The law that pfor keeps: the function over lanes equals a loop over them.
#pragma once
#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "eval/evaluator.h"
#include "ops/record.h"
#include "text/parse.h"
#include "transform/vectorize.h"

namespace weft {

/// Slice `lane` of `t` along `axis`.
inline Tensor slice_at(const Tensor& t, int64_t axis, int64_t lane) {
  Shape shape = t.shape();
  const int64_t extent = shape[static_cast<size_t>(axis)];
  int64_t outer = 1, inner = 1;
  for (int64_t d = 0; d < t.rank(); ++d) (d < axis ? outer : inner) *= d == axis ? 1 : shape[static_cast<size_t>(d)];
  shape.erase(shape.begin() + axis);
  Tensor out(t.element_type(), shape);
  const size_t bytes = static_cast<size_t>(inner) * byte_size(t.element_type());
  for (int64_t o = 0; o < outer && bytes != 0; ++o) {
    std::memcpy(static_cast<std::byte*>(out.raw()) + static_cast<size_t>(o) * bytes,
                static_cast<const std::byte*>(t.raw()) + static_cast<size_t>(o * extent + lane) * bytes, bytes);
  }
  return out;
}

inline bool same_bits(const Tensor& a, const Tensor& b) {
  return a.element_type() == b.element_type() && a.shape() == b.shape() &&
         (a.size_bytes() == 0 || std::memcmp(a.raw(), b.raw(), a.size_bytes()) == 0);
}

/// Vectorizes @f of `module`, runs it, and compares every lane, bit by bit, with @f on that lane's slices. Returns the results.
inline std::vector<Tensor> expect_lanes_equal_loop(Module& module, const std::vector<int64_t>& axes, int64_t lanes,
                                                   const std::vector<Tensor>& args) {
  const std::string over_lanes = vectorize(module, "f", axes, lanes).name();
  verify(module);
  const std::vector<Tensor> got = evaluate(module, over_lanes, args);
  for (int64_t lane = 0; lane < lanes; ++lane) {
    std::vector<Tensor> one;
    for (size_t i = 0; i < args.size(); ++i)
      one.push_back(axes[i] == kUniform ? args[i] : slice_at(args[i], axes[i], lane));
    const std::vector<Tensor> expected = evaluate(module, "f", one);
    EXPECT_EQ(got.size(), expected.size());
    for (size_t r = 0; r < expected.size(); ++r) {
      EXPECT_TRUE(same_bits(slice_at(got[r], 0, lane), expected[r])) << "lane " << lane << ", result " << r;
    }
  }
  return got;
}

inline std::vector<Tensor> expect_lanes_equal_loop(const std::string& text, const std::vector<int64_t>& axes,
                                                   int64_t lanes, const std::vector<Tensor>& args) {
  const auto module = parse_module(text, "test");
  return expect_lanes_equal_loop(*module, axes, lanes, args);
}

/// How many ops of that name the function has, nested ones included.
inline size_t count_ops(const Function& f, std::string_view mnemonic) {
  size_t n = 0;
  const auto visit = [&](auto& self, RegionId region) -> void {
    for (OpId op : f.ops(region)) {
      n += f.def(op).mnemonic == mnemonic ? 1 : 0;
      for (RegionId r : f.regions(op)) self(self, r);
    }
  };
  visit(visit, f.body());
  return n;
}

}  // namespace weft

// A text program on the evaluator and natively.
#pragma once
#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "eval/evaluator.h"
#include "ir/target.h"
#include "text/parse.h"

namespace weft::test {

struct OnBoth {
  std::vector<Tensor> native, eval;
};

inline OnBoth on_both(const std::string& text, const std::vector<Tensor>& args, CompileOptions options = {}) {
  const std::shared_ptr<const Module> module = parse_module(text, "test");
  return {get_target("native").compile(module, "main", options)->run(args), evaluate(*module, "main", args)};
}

inline void expect_same_bits(const Tensor& got, const Tensor& want, const std::string& what) {
  ASSERT_EQ(got.element_type(), want.element_type()) << what;
  ASSERT_EQ(got.shape(), want.shape()) << what;
  if (got.size_bytes() != 0) EXPECT_EQ(0, std::memcmp(got.raw(), want.raw(), got.size_bytes())) << what;
}

}  // namespace weft::test

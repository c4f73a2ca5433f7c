// A program outside the tree: sees the installed headers and libweft.so only.
#include <cstdio>

#include "weft/tensor.h"

int main() {
  const weft::Tensor t = weft::Tensor::of<float>({1, 2, 3, 4, 5, 6}, {2, 3});
  try {
    weft::Tensor::of<float>({1, 2}, {3});
  } catch (const weft::UserError& error) {
    // The error crossed the library's border with its type.
    std::printf("%lld elements\n", static_cast<long long>(t.size()));
    return t.data<float>()[5] == 6 ? 0 : 1;
  }
  return 1;
}

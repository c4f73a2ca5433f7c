// Products whose result is transposed or cut afterwards.
#pragma once
#include <memory>

#include "ir/function.h"

namespace weft {

/// `transpose(dot_general(a, b))` that exchanges the free dimensions of a and b becomes `dot_general(b, a)`; a slice of a product
/// along free dimensions becomes the product of slices, where that saves work. Null when nothing changed.
std::unique_ptr<Function> settle_products(const Function& f);

/// As above, and outside of loops a transpose that moves b's free dimensions between those of a becomes batching, of which b gets
/// copies, where they are smaller than the result.
std::unique_ptr<Function> batch_products(const Function& f);

}  // namespace weft

// What the entry of a program with open extents needs beside a static one's: see codegen/entry.h.
#pragma once
#include <functional>

#include "native/open/open_arena.h"
#include "native/open/open_kernel.h"
#include "native/schedule/schedule.h"

namespace weft::native {

struct OpenEntry {
  const ExtentNames& names;
  const OpenArena& arena;
  /// The code of a kernel step whose types or attributes hold names.
  std::function<const OpenKernelCode&(const Step&)> kernel;
};

/// Whether types or attributes of the function hold names.
bool has_open_numbers(const Function& f, const ExtentNames& names);
/// The same of one op, regions included.
bool has_open_numbers(const OpView& op, const ExtentNames& names);

}  // namespace weft::native

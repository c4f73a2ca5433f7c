// What the entry of a program with open extents needs beside a static one's: see codegen/entry.h.
#pragma once
#include <functional>
#include <memory>
#include <vector>

#include "native/open/open_arena.h"
#include "native/open/open_kernel.h"
#include "native/schedule/schedule.h"

namespace weft::native {

/// A product that runs as a kernel where the call of a library would cost more. Numbers may hold names.
struct SmallProduct {
  std::shared_ptr<const Function> function;
  std::vector<size_t> inputs;  // operands that are its arguments
  int64_t batch = 1, rows = 1, columns = 1, depth = 1;
  bool is_narrow = false;  // elements of less than four bytes
  const OpenKernelCode* code = nullptr;
};

struct OpenEntry {
  const ExtentNames& names;
  const OpenArena& arena;
  /// The code of a kernel step whose types or attributes hold names.
  std::function<const OpenKernelCode&(const Step&)> kernel;
  /// The generated form that a library step has for small extents; null: none.
  std::function<const SmallProduct*(int library)> small;
};

/// Whether types or attributes of the function hold names.
bool has_open_numbers(const Function& f, const ExtentNames& names);
/// The same of one op, regions included.
bool has_open_numbers(const OpView& op, const ExtentNames& names);

}  // namespace weft::native

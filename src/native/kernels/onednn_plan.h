// A sequence of oneDNN primitives on the operands of a kernel, with everything that execution needs made beforehand:
// reorders of operands whose layout the main primitive cannot take, scratch offsets, memory objects.
#pragma once
#include <dnnl.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "native/kernels/library_kernel.h"
#include "weft/element_type.h"

namespace weft::native {

dnnl::engine& onednn_engine();

/// Attributes with the scratchpad left to the caller, which all primitives of a plan must have.
dnnl::primitive_attr onednn_attr();

std::optional<dnnl::memory::data_type> onednn_type(ElementType type);

/// True for the slow reference loops that oneDNN falls back to.
bool is_reference(const std::string& implementation);

/// Order of the plan's building: operands, then steps in the order they run. The building functions throw dnnl::error.
class OneDnnPlan {
 public:
  OneDnnPlan(int partitions, std::string implementation);
  ~OneDnnPlan();
  OneDnnPlan(OneDnnPlan&&) noexcept;

  /// A place that primitives read or write; the number names it in the steps.
  using Place = int;
  Place add_input(int index, const dnnl::memory::desc& desc);
  Place add_output(int index, const dnnl::memory::desc& desc);
  Place add_scratch(const dnnl::memory::desc& desc);
  /// The constant `data` of layout `from`, brought into layout `to` now and kept by the plan.
  Place add_constant(const void* data, const dnnl::memory::desc& from, const dnnl::memory::desc& to);

  using Arguments = std::vector<std::pair<int, Place>>;
  void add_step(const dnnl::primitive& primitive, const dnnl::memory::desc& scratchpad, Arguments arguments);
  void add_reorder(Place from, Place to);

  /// `place` itself when it has layout `wanted`, else a scratch place filled by a reorder.
  Place reordered(Place place, const dnnl::memory::desc& wanted);

  /// Replaces what is at `place` (f32) by max(x, 0) with NaN kept, after the steps so far. Contiguous memory only.
  void add_relu(Place place);

  /// The plan as a kernel; no more steps may be added.
  std::unique_ptr<LibraryKernel> finish() &&;

 private:
  friend class OneDnnKernel;
  struct Data;
  std::unique_ptr<Data> data_;
};

}  // namespace weft::native

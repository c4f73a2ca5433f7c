// Which open extents of a function's arguments are always equal, as its ops demand.
#pragma once
#include <map>
#include <optional>
#include <vector>

#include "ir/function.h"

namespace weft::native {

/// A quantity of an argument that shapes depend on: an extent, or an element of a small integer argument.
struct ArgumentQuantity {
  size_t argument = 0;
  int64_t axis = 0;         // extent of this axis …
  bool is_element = false;  // … or the element of this number
};

class ArgumentExtents {
 public:
  /// `joins_broadcasts`: what dynamic_broadcast_in_dim spreads has extents of one or of the result; taken for the latter.
  ArgumentExtents(const Function& f, bool joins_broadcasts);

  /// Quantities that are always equal, and what is known of them.
  struct Class {
    std::vector<ArgumentQuantity> members;
    std::optional<int64_t> value;  // the ops demand this one
    int64_t bound = -1;            // of bounded types; -1: none
    bool has_extent = false;
  };
  const std::vector<Class>& classes() const { return classes_; }
  /// Arguments whose elements decide shapes.
  const std::vector<size_t>& shape_arguments() const { return shape_arguments_; }

 private:
  struct Node {
    int parent;
    std::optional<int64_t> value;
  };
  int node(Value v, int64_t axis);
  int element_node(Value v, int64_t i);
  int root(int n) const;
  void join(int a, int b);
  void join_extents(Value a, int64_t d, Value b, int64_t e);
  void join_all(Value a, Value b);
  /// The node of element i of a shape operand; none when it is computed.
  std::optional<int> element(Value v, int64_t i);
  void visit(RegionId region);
  void visit(const OpView& op);
  void find_shape_arguments();
  void collect();

  const Function& f_;
  const bool joins_broadcasts_;
  std::map<std::pair<uint32_t, int64_t>, int> ids_, element_ids_;
  std::vector<Node> nodes_;
  std::vector<Class> classes_;
  std::vector<size_t> shape_arguments_;
};

}  // namespace weft::native

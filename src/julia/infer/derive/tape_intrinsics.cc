#include <string_view>
#include <unordered_set>

#include "julia/infer/derive/tape_entries.h"

namespace weft::julia {

bool hands_values_on(std::string_view name) {
  static const std::unordered_set<std::string_view> names = {
      "_typeof", "_isa", "_is", "_getfield", "_setfield", "_isdefined", "_tuple", "_throw", "_rethrow", "_invoke",
      "_applicable", "_new", "_instance", "_apply_type", "_pair",
      // arrays
      "_push!", "_pop!", "_pushfirst!", "_popfirst!", "_insert!", "_erase!", "_keep!", "_resize!", "_gap!", "_append!",
      "_array_get", "_array_set", "_array_in_bounds", "_array_is_assigned", "_array_new", "_array_length",
      "_array_size", "_array_iterate", "_array_fill!", "_filled", "_copy_whole", "_array_copy", "_array_copyto!",
      "_array_reshape", "_array_same_memory", "_array_permute", "_concatenate", "_number_matrix", "_vect",
      "_typed_vect", "_narrowed", "_deepcopy", "_gather", "_block_get", "_block_set", "_block_fill", "_view_get",
      "_view_set", "_check_assignment", "_builtin_shape", "_dense",
      // tuples
      "_tuple_length", "_named_length", "_tuple_get", "_tuple_select", "_tuple_with", "_tuple_iterate", "_tuple_tail",
      "_tuple_front", "_tuple_reverse", "_tuple_collect", "_tuple_convert", "_named_tuple", "_named_values",
      "_named_merge", "_named_without",
      // dictionaries
      "_dict_new", "_iddict_new", "_dict_get", "_dict_getindex", "_dict_haskey", "_dict_getkey", "_dict_set",
      "_dict_delete", "_dict_pop", "_dict_length", "_dict_iterate", "_dict_iterate_keys", "_dict_iterate_values",
      "_dict_pairs", "_dict_all_keys", "_dict_all_values", "_dict_copy", "_dict_empty", "_dict_sizehint",
      "_dict_keyset", "_dict_valueiterator", "_dict_collect", "_set_new", "_set_push", "_set_in",
      // functions of elements
      "_map", "_map!", "_map_tuple", "_ntuple", "_collect_mapped", "_collect_typed", "_mapreduce", "_mapreducedim",
      "_foldl", "_foldl_from", "_any", "_all", "_count", "_findprev", "_findnext", "_findall", "_findextreme",
      "_accumulate", "_broadcasted", "_broadcasted_plain", "_broadcast_size", "_broadcast_at", "_materialize",
      "_materialize_into!", "_sort_numbers!"};
  return names.contains(name);
}

bool is_of_elements(std::string_view name) {
  return name == "_pfor" || name == "_map" || name == "_mapreduce" || name == "_mapreducedim" ||
         name == "_materialize" || name == "_accumulate" || name == "_collect_mapped";
}

}  // namespace weft::julia

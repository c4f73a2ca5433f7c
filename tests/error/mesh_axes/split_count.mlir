func.func @main(%a: tensor<4xf32>) {
  %0 = "stablehlo.all_to_all"(%a) {concat_dimension = 0 : i64, split_dimension = 0 : i64, split_count = 4 : i64, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = #stablehlo.mesh<axes = [#stablehlo.mesh_axis<name = "x", size = 2>]>, axes = [#stablehlo.axis_ref<name = "x">]>} : (tensor<4xf32>) -> tensor<4xf32>  // error: (all_to_all_c8)
  return
}

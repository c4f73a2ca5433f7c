// Three processes along y.
module {
  sdy.mesh @grid = <["x"=2, "y"=3]>
  func.func @main(%a: tensor<4xf32>) {
    %0 = "stablehlo.all_gather"(%a) {all_gather_dim = 0 : i64, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @grid, axes = [#stablehlo.axis_ref<name = "y">]>} : (tensor<4xf32>) -> tensor<8xf32>  // error: (all_gather_c6)
    return
  }
}

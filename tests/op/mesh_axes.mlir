// Four replicas on a mesh of 2 x 2, row by row; groups along one axis, along both in another order, along none. Values by hand.
module @mesh_axes {
  // The same mesh in the spellings that programs have, and one with devices in another order.
  sdy.mesh @shardy = <["x"=2, "y"=2]>
  "sdy.mesh"() {mesh = #sdy.mesh<["x"=2, "y"=2]>, sym_name = "generic"} : () -> ()
  "sdy.mesh"() {stablehlo.mesh = {axes = [{name = "x", size = 2 : i64}, {name = "y", size = 2 : i64}], device_ids = dense<[0, 2, 1, 3]> : tensor<4xi64>}, sym_name = "moved"} : () -> ()
  func.func @replica(%a: tensor<1xi32>) -> (tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<4xi32>, tensor<1xi32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) {
    %y = "stablehlo.all_gather"(%a) {
      all_gather_dim = 0 : i64, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = #stablehlo.mesh<axes = [#stablehlo.mesh_axis<name = "x", size = 2>, #stablehlo.mesh_axis<name = "y", size = 2>]>, axes = [#stablehlo.axis_ref<name = "y">]>
    } : (tensor<1xi32>) -> tensor<2xi32>
    %x = "stablehlo.all_gather"(%a) {
      all_gather_dim = 0 : i64, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = #stablehlo.mesh<axes = [#stablehlo.mesh_axis<name = "x", size = 2>, #stablehlo.mesh_axis<name = "y", size = 2>]>, axes = [#stablehlo.axis_ref<name = "x">]>
    } : (tensor<1xi32>) -> tensor<2xi32>
    %moved = "stablehlo.all_gather"(%a) {
      all_gather_dim = 0 : i64, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = #stablehlo.mesh<axes = [#stablehlo.mesh_axis<name = "x", size = 2>, #stablehlo.mesh_axis<name = "y", size = 2>], device_ids = dense<[0, 2, 1, 3]> : tensor<4xi64>>, axes = [#stablehlo.axis_ref<name = "x">]>
    } : (tensor<1xi32>) -> tensor<2xi32>
    %all = "stablehlo.all_gather"(%a) {
      all_gather_dim = 0 : i64, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = #stablehlo.mesh<axes = [#stablehlo.mesh_axis<name = "x", size = 2>, #stablehlo.mesh_axis<name = "y", size = 2>]>, axes = [#stablehlo.axis_ref<name = "y">, #stablehlo.axis_ref<name = "x">]>
    } : (tensor<1xi32>) -> tensor<4xi32>
    %alone = "stablehlo.all_gather"(%a) {
      all_gather_dim = 0 : i64, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = #stablehlo.mesh<axes = [#stablehlo.mesh_axis<name = "x", size = 2>, #stablehlo.mesh_axis<name = "y", size = 2>]>, axes = []>
    } : (tensor<1xi32>) -> tensor<1xi32>
    %by_shardy = "stablehlo.all_gather"(%a) {
      all_gather_dim = 0 : i64, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @shardy, axes = [#stablehlo.axis_ref<name = "y">]>
    } : (tensor<1xi32>) -> tensor<2xi32>
    %by_generic = "stablehlo.all_gather"(%a) {
      all_gather_dim = 0 : i64, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @generic, axes = [#stablehlo.axis_ref<name = "x">]>
    } : (tensor<1xi32>) -> tensor<2xi32>
    %by_moved = "stablehlo.all_gather"(%a) {
      all_gather_dim = 0 : i64, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @moved, axes = [#stablehlo.axis_ref<name = "x">]>
    } : (tensor<1xi32>) -> tensor<2xi32>
    return %y, %x, %moved, %all, %alone, %by_shardy, %by_generic, %by_moved : tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<4xi32>, tensor<1xi32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>
  }
  func.func @main() {
    %x0 = stablehlo.constant dense<1> : tensor<1xi32>
    %x1 = stablehlo.constant dense<11> : tensor<1xi32>
    %x2 = stablehlo.constant dense<21> : tensor<1xi32>
    %x3 = stablehlo.constant dense<31> : tensor<1xi32>
    %r:32 = "interpreter.run_parallel"(%x0, %x1, %x2, %x3) {
      programs = [[@replica], [@replica], [@replica], [@replica]]
    } : (tensor<1xi32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> (tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<4xi32>, tensor<1xi32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<4xi32>, tensor<1xi32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<4xi32>, tensor<1xi32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<4xi32>, tensor<1xi32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>)
    check.expect_eq_const %r#0, dense<[1, 11]> : tensor<2xi32>
    check.expect_eq_const %r#1, dense<[1, 21]> : tensor<2xi32>
    check.expect_eq_const %r#2, dense<[1, 11]> : tensor<2xi32>
    check.expect_eq_const %r#3, dense<[1, 21, 11, 31]> : tensor<4xi32>
    check.expect_eq_const %r#4, dense<[1]> : tensor<1xi32>
    check.expect_eq_const %r#5, dense<[1, 11]> : tensor<2xi32>
    check.expect_eq_const %r#6, dense<[1, 21]> : tensor<2xi32>
    check.expect_eq_const %r#7, dense<[1, 11]> : tensor<2xi32>
    check.expect_eq_const %r#8, dense<[1, 11]> : tensor<2xi32>
    check.expect_eq_const %r#9, dense<[11, 31]> : tensor<2xi32>
    check.expect_eq_const %r#10, dense<[1, 11]> : tensor<2xi32>
    check.expect_eq_const %r#11, dense<[1, 21, 11, 31]> : tensor<4xi32>
    check.expect_eq_const %r#12, dense<[11]> : tensor<1xi32>
    check.expect_eq_const %r#13, dense<[1, 11]> : tensor<2xi32>
    check.expect_eq_const %r#14, dense<[11, 31]> : tensor<2xi32>
    check.expect_eq_const %r#15, dense<[1, 11]> : tensor<2xi32>
    check.expect_eq_const %r#16, dense<[21, 31]> : tensor<2xi32>
    check.expect_eq_const %r#17, dense<[1, 21]> : tensor<2xi32>
    check.expect_eq_const %r#18, dense<[21, 31]> : tensor<2xi32>
    check.expect_eq_const %r#19, dense<[1, 21, 11, 31]> : tensor<4xi32>
    check.expect_eq_const %r#20, dense<[21]> : tensor<1xi32>
    check.expect_eq_const %r#21, dense<[21, 31]> : tensor<2xi32>
    check.expect_eq_const %r#22, dense<[1, 21]> : tensor<2xi32>
    check.expect_eq_const %r#23, dense<[21, 31]> : tensor<2xi32>
    check.expect_eq_const %r#24, dense<[21, 31]> : tensor<2xi32>
    check.expect_eq_const %r#25, dense<[11, 31]> : tensor<2xi32>
    check.expect_eq_const %r#26, dense<[21, 31]> : tensor<2xi32>
    check.expect_eq_const %r#27, dense<[1, 21, 11, 31]> : tensor<4xi32>
    check.expect_eq_const %r#28, dense<[31]> : tensor<1xi32>
    check.expect_eq_const %r#29, dense<[21, 31]> : tensor<2xi32>
    check.expect_eq_const %r#30, dense<[11, 31]> : tensor<2xi32>
    check.expect_eq_const %r#31, dense<[21, 31]> : tensor<2xi32>
    return
  }
}

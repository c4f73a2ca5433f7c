// The others wait for a process that has failed: its error ends them all.
module @one_fails {
  func.func @waits(%x: tensor<i1>) -> tensor<2xi1> {
    %0 = stablehlo.reshape %x : (tensor<i1>) -> tensor<1xi1>
    %1 = "stablehlo.all_gather"(%0) {all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<1xi1>) -> tensor<2xi1>
    return %1 : tensor<2xi1>
  }
  func.func @fails(%x: tensor<i1>) -> tensor<2xi1> {
    "weft.check"(%x) {message = "must hold"} : (tensor<i1>) -> () // error: must hold
    %0 = stablehlo.constant dense<true> : tensor<2xi1>
    return %0 : tensor<2xi1>
  }
  func.func @main() -> (tensor<2xi1>, tensor<2xi1>) {
    %x = stablehlo.constant dense<false> : tensor<i1>
    %r:2 = "interpreter.run_parallel"(%x, %x) {programs = [[@waits], [@fails]]} : (tensor<i1>, tensor<i1>) -> (tensor<2xi1>, tensor<2xi1>)
    return %r#0, %r#1 : tensor<2xi1>, tensor<2xi1>
  }
}

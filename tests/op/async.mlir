// Asynchronous slices, and an asynchronous sum among two replicas, against values by hand.
module @async {
  func.func @replica(%x: tensor<2xi32>) -> (tensor<2xi32>, tensor<1xi32>) {
    %sum = "stablehlo.async_start"(%x) ({
    ^bb0(%a: tensor<2xi32>):
      %0 = "stablehlo.all_reduce"(%a) ({
      ^bb0(%l: tensor<i32>, %r: tensor<i32>):
        %1 = stablehlo.add %l, %r : tensor<i32>
        stablehlo.return %1 : tensor<i32>
      }) {replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<2xi32>) -> tensor<2xi32>
      stablehlo.return %0 : tensor<2xi32>
    }) : (tensor<2xi32>) -> !stablehlo.future<tensor<2xi32>>
    %part = "stablehlo.async_start"(%x) ({
    ^bb0(%a: tensor<2xi32>):
      %0 = stablehlo.slice %a [1:2] : (tensor<2xi32>) -> tensor<1xi32>
      stablehlo.return %0 : tensor<1xi32>
    }) : (tensor<2xi32>) -> !stablehlo.future<tensor<1xi32>>
    %p = "stablehlo.async_done"(%part) : (!stablehlo.future<tensor<1xi32>>) -> tensor<1xi32>
    %s = "stablehlo.async_done"(%sum) : (!stablehlo.future<tensor<2xi32>>) -> tensor<2xi32>
    return %s, %p : tensor<2xi32>, tensor<1xi32>
  }
  func.func @main() {
    %x0 = stablehlo.constant dense<[2, -3]> : tensor<2xi32>
    %x1 = stablehlo.constant dense<[5, 7]> : tensor<2xi32>
    %r:4 = "interpreter.run_parallel"(%x0, %x1) {programs = [[@replica], [@replica]]}
      : (tensor<2xi32>, tensor<2xi32>) -> (tensor<2xi32>, tensor<1xi32>, tensor<2xi32>, tensor<1xi32>)
    check.expect_eq_const %r#0, dense<[7, 4]> : tensor<2xi32>
    check.expect_eq_const %r#1, dense<-3> : tensor<1xi32>
    check.expect_eq_const %r#2, dense<[7, 4]> : tensor<2xi32>
    check.expect_eq_const %r#3, dense<7> : tensor<1xi32>
    return
  }
}

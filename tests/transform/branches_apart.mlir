// Branches that lanes take apart: an integer is divided only where its divisor is not zero; where a lane looks up a table, others hold no
// index into it.
func.func @divided(%x: tensor<i32>, %y: tensor<i32>) -> tensor<i32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %p = stablehlo.compare NE, %y, %zero : (tensor<i32>, tensor<i32>) -> tensor<i1>
  %r = "stablehlo.if"(%p) ({
    %q = stablehlo.divide %x, %y : tensor<i32>
    %s = stablehlo.remainder %x, %y : tensor<i32>
    %t = stablehlo.multiply %q, %s : tensor<i32>
    stablehlo.return %t : tensor<i32>
  }, {
    %m = stablehlo.constant dense<-1> : tensor<i32>
    stablehlo.return %m : tensor<i32>
  }) : (tensor<i1>) -> tensor<i32>
  return %r : tensor<i32>
}
func.func @chosen(%x: tensor<3xf64>, %k: tensor<i32>) -> tensor<2xf64> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %r = "stablehlo.case"(%k) ({
    %a = stablehlo.slice %x [0:2] : (tensor<3xf64>) -> tensor<2xf64>
    %b = stablehlo.sqrt %a : tensor<2xf64>
    stablehlo.return %b : tensor<2xf64>
  }, {
    %a = stablehlo.dynamic_slice %x, %k, sizes = [2] : (tensor<3xf64>, tensor<i32>) -> tensor<2xf64>
    stablehlo.return %a : tensor<2xf64>
  }, {
    %f = stablehlo.constant dense<0.0> : tensor<f64>
    %s = stablehlo.reduce(%x init: %f) applies stablehlo.add across dimensions = [0] : (tensor<3xf64>, tensor<f64>) -> tensor<f64>
    %a = stablehlo.broadcast_in_dim %s, dims = [] : (tensor<f64>) -> tensor<2xf64>
    stablehlo.return %a : tensor<2xf64>
  }) : (tensor<i32>) -> tensor<2xf64>
  return %r : tensor<2xf64>
}
// transform: --vectorize divided:0,0 --lanes 5 --as quotients
// transform: --vectorize chosen:0,0 --lanes 4 --as choices
func.func @main() {
  %x = stablehlo.constant dense<[7, -7, 9, -2147483648, 5]> : tensor<5xi32>
  %y = stablehlo.constant dense<[2, 0, -4, 3, 0]> : tensor<5xi32>
  %v = stablehlo.constant dense<[[4.0, 9.0, -1.0], [-1.0, 2.0, 3.0], [1.0, 2.0, 4.0], [-4.0, 16.0, 1.0]]> : tensor<4x3xf64>
  %k = stablehlo.constant dense<[0, 1, 5, -3]> : tensor<4xi32>
  // Kept from being folded.
  %0:4 = stablehlo.optimization_barrier %x, %y, %v, %k : tensor<5xi32>, tensor<5xi32>, tensor<4x3xf64>, tensor<4xi32>
  %q = call @quotients(%0#0, %0#1) : (tensor<5xi32>, tensor<5xi32>) -> tensor<5xi32>
  // 3·1, none, -2·1, -715827882·-2, none.
  check.expect_eq_const %q, dense<[3, -1, -2, 1431655764, -1]> : tensor<5xi32>
  %c = call @choices(%0#2, %0#3) : (tensor<4x3xf64>, tensor<4xi32>) -> tensor<4x2xf64>
  // An index out of range takes the last branch.
  check.expect_eq_const %c, dense<[[2.0, 3.0], [2.0, 3.0], [7.0, 7.0], [13.0, 13.0]]> : tensor<4x2xf64>
  return
}

// A rule of two arguments and two results, one of them an integer: w x, whose cotangents are said to be 2 x c and 3 w c. Over lanes
// the cotangent of the argument that the lanes share is the sum over them.
func.func private @scale(%w: tensor<f64>, %k: tensor<i32>, %x: tensor<2xf64>) -> (tensor<i32>, tensor<2xf64>) attributes {weft.vjp = [@forward, @backward]} {
  %0 = stablehlo.broadcast_in_dim %w, dims = [] : (tensor<f64>) -> tensor<2xf64>
  %1 = stablehlo.multiply %0, %x : tensor<2xf64>
  return %k, %1 : tensor<i32>, tensor<2xf64>
}
func.func private @forward(%w: tensor<f64>, %k: tensor<i32>, %x: tensor<2xf64>) -> (tensor<i32>, tensor<2xf64>, tensor<f64>, tensor<2xf64>) {
  %0:2 = call @scale(%w, %k, %x) : (tensor<f64>, tensor<i32>, tensor<2xf64>) -> (tensor<i32>, tensor<2xf64>)
  return %0#0, %0#1, %w, %x : tensor<i32>, tensor<2xf64>, tensor<f64>, tensor<2xf64>
}
func.func private @backward(%w: tensor<f64>, %x: tensor<2xf64>, %c: tensor<2xf64>) -> (tensor<f64>, tensor<2xf64>) {
  %two = stablehlo.constant dense<2.0> : tensor<2xf64>
  %three = stablehlo.constant dense<3.0> : tensor<2xf64>
  %zero = stablehlo.constant dense<0.0> : tensor<f64>
  %0 = stablehlo.multiply %x, %c : tensor<2xf64>
  %1 = stablehlo.multiply %0, %two : tensor<2xf64>
  %2 = stablehlo.reduce(%1 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<2xf64>, tensor<f64>) -> tensor<f64>
  %3 = stablehlo.broadcast_in_dim %w, dims = [] : (tensor<f64>) -> tensor<2xf64>
  %4 = stablehlo.multiply %3, %three : tensor<2xf64>
  %5 = stablehlo.multiply %4, %c : tensor<2xf64>
  return %2, %5 : tensor<f64>, tensor<2xf64>
}
func.func @f(%w: tensor<f64>, %x: tensor<2xf64>) -> tensor<2xf64> {
  %k = stablehlo.constant dense<7> : tensor<i32>
  %0:2 = call @scale(%w, %k, %x) : (tensor<f64>, tensor<i32>, tensor<2xf64>) -> (tensor<i32>, tensor<2xf64>)
  return %0#1 : tensor<2xf64>
}
// transform: --vectorize f:_,0 --lanes 3 --as lanes
// transform: --vjp lanes --as back
// transform: --jvp lanes --as forth
func.func @main() {
  %w = stablehlo.constant dense<5.0> : tensor<f64>
  %x = stablehlo.constant dense<[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]> : tensor<3x2xf64>
  %c = stablehlo.constant dense<[[1.0, 1.0], [0.0, 1.0], [2.0, 0.0]]> : tensor<3x2xf64>
  %0:2 = call @back(%w, %x, %c) : (tensor<f64>, tensor<3x2xf64>, tensor<3x2xf64>) -> (tensor<f64>, tensor<3x2xf64>)
  check.expect_almost_eq_const %0#0, dense<34.0> : tensor<f64>
  check.expect_almost_eq_const %0#1, dense<[[15.0, 15.0], [0.0, 15.0], [30.0, 0.0]]> : tensor<3x2xf64>
  // Forwards the transpose of that rule: 2 x dw + 3 w dx.
  %dw = stablehlo.constant dense<1.0> : tensor<f64>
  %1:2 = call @forth(%w, %x, %dw, %c) : (tensor<f64>, tensor<3x2xf64>, tensor<f64>, tensor<3x2xf64>) -> (tensor<3x2xf64>, tensor<3x2xf64>)
  check.expect_almost_eq_const %1#1, dense<[[17.0, 19.0], [6.0, 23.0], [40.0, 12.0]]> : tensor<3x2xf64>
  return
}

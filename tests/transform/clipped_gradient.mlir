// The loss (w·x + b - y)² of one example has the gradient 2r(x, 1) of length 2|r|·sqrt(|x|² + 1), here 2·3·3, 0 and 2·1·sqrt(2). The first is scaled
// to 9, the others are shorter than that.
func.func @loss(%w: tensor<2xf64>, %b: tensor<f64>, %x: tensor<2xf64>, %y: tensor<f64>) -> tensor<f64> {
  %0 = stablehlo.dot_general %w, %x, contracting_dims = [0] x [0] : (tensor<2xf64>, tensor<2xf64>) -> tensor<f64>
  %1 = stablehlo.add %0, %b : tensor<f64>
  %2 = stablehlo.subtract %1, %y : tensor<f64>
  %3 = stablehlo.multiply %2, %2 : tensor<f64>
  return %3 : tensor<f64>
}
// transform: --clipped-grad loss:0,1 --lanes 3 --as clipped
// transform: --clipped-grad loss:0,1 --axes _,_,1,0 --lanes 3 --as clipped_columns
func.func @check(%w: tensor<2xf64>, %b: tensor<f64>, %losses: tensor<3xf64>, %lengths: tensor<3xf64>) {
  // 1/2 · 6·(2, 2) + 2·(1, 0)
  check.expect_almost_eq_const %w, dense<[8.0, 6.0]> : tensor<2xf64>
  check.expect_almost_eq_const %b, dense<5.0> : tensor<f64>
  check.expect_almost_eq_const %losses, dense<[9.0, 0.0, 1.0]> : tensor<3xf64>
  check.expect_almost_eq_const %lengths, dense<[18.0, 0.0, 2.8284271247461903]> : tensor<3xf64>
  return
}
func.func @main() {
  %w = stablehlo.constant dense<[1.0, 0.5]> : tensor<2xf64>
  %b = stablehlo.constant dense<1.0> : tensor<f64>
  %x = stablehlo.constant dense<[[2.0, 2.0], [0.0, 0.0], [1.0, 0.0]]> : tensor<3x2xf64>
  %y = stablehlo.constant dense<[1.0, 1.0, 1.0]> : tensor<3xf64>
  %bound = stablehlo.constant dense<9.0> : tensor<f64>
  %0:4 = call @clipped(%w, %b, %x, %y, %bound) : (tensor<2xf64>, tensor<f64>, tensor<3x2xf64>, tensor<3xf64>, tensor<f64>) -> (tensor<2xf64>, tensor<f64>, tensor<3xf64>, tensor<3xf64>)
  call @check(%0#0, %0#1, %0#2, %0#3) : (tensor<2xf64>, tensor<f64>, tensor<3xf64>, tensor<3xf64>) -> ()
  %xt = stablehlo.transpose %x, dims = [1, 0] : (tensor<3x2xf64>) -> tensor<2x3xf64>
  %1:4 = call @clipped_columns(%w, %b, %xt, %y, %bound) : (tensor<2xf64>, tensor<f64>, tensor<2x3xf64>, tensor<3xf64>, tensor<f64>) -> (tensor<2xf64>, tensor<f64>, tensor<3xf64>, tensor<3xf64>)
  call @check(%1#0, %1#1, %1#2, %1#3) : (tensor<2xf64>, tensor<f64>, tensor<3xf64>, tensor<3xf64>) -> ()
  return
}

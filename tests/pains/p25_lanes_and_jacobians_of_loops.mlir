// P25: a loop over lanes, or its Jacobian, fails or is itself a slow loop. x → x + 1, ten times, over lanes, with all steps kept; x → x², four times:
// d/dx x^16 = 66.83597071 at 1.1. Lanes of the Jacobian are the Jacobian of lanes, by rows and by columns.
func.func @count(%x: tensor<f64>) -> (tensor<f64>, tensor<10xf64>) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %none = stablehlo.constant dense<0.0> : tensor<10xf64>
  %0:3 = stablehlo.while(%i = %zero, %v = %x, %all = %none) : tensor<i32>, tensor<f64>, tensor<10xf64>
  cond {
    %n = stablehlo.constant dense<10> : tensor<i32>
    %p = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %one = stablehlo.constant dense<1> : tensor<i32>
    %unit = stablehlo.constant dense<1.0> : tensor<f64>
    %j = stablehlo.add %i, %one : tensor<i32>
    %w = stablehlo.add %v, %unit : tensor<f64>
    %row = stablehlo.reshape %w : (tensor<f64>) -> tensor<1xf64>
    %more = stablehlo.dynamic_update_slice %all, %row, %i : (tensor<10xf64>, tensor<1xf64>, tensor<i32>) -> tensor<10xf64>
    stablehlo.return %j, %w, %more : tensor<i32>, tensor<f64>, tensor<10xf64>
  }
  return %0#1, %0#2 : tensor<f64>, tensor<10xf64>
}
// transform: --vectorize count:0 --lanes 3 --as counts
func.func @power(%x: tensor<f64>) -> tensor<f64> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %0:2 = stablehlo.while(%i = %zero, %v = %x) : tensor<i32>, tensor<f64>
  cond {
    %n = stablehlo.constant dense<4> : tensor<i32>
    %p = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %one = stablehlo.constant dense<1> : tensor<i32>
    %j = stablehlo.add %i, %one : tensor<i32>
    %w = stablehlo.multiply %v, %v : tensor<f64>
    stablehlo.return %j, %w : tensor<i32>, tensor<f64>
  }
  return %0#1 : tensor<f64>
}
// transform: --jacobian power --reverse --as slope --vectorize slope:0 --lanes 2 --as lanes_of_jacobian
// transform: --vectorize power:0 --lanes 2 --as powers --jacobian powers --reverse --as jacobian_of_lanes
// transform: --jacobian powers --forward --as columns_of_lanes
// transform: --jacobian power --forward --as tangent --vectorize tangent:0 --lanes 2 --as lanes_of_columns
func.func @main() {
  %x = stablehlo.constant dense<[1.0, 2.0, 3.0]> : tensor<3xf64>
  %0:2 = call @counts(%x) : (tensor<3xf64>) -> (tensor<3xf64>, tensor<3x10xf64>)
  check.expect_eq_const %0#0, dense<[11.0, 12.0, 13.0]> : tensor<3xf64>
  check.expect_eq_const %0#1, dense<[[2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0, 11.0], [3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0, 11.0, 12.0], [4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0, 11.0, 12.0, 13.0]]> : tensor<3x10xf64>
  %at = stablehlo.constant dense<[1.1, 0.5]> : tensor<2xf64>
  %1 = call @lanes_of_jacobian(%at) : (tensor<2xf64>) -> tensor<2xf64>
  check.expect_almost_eq_const %1, dense<[66.835970710650488, 0.00048828125]> : tensor<2xf64>
  %2 = call @lanes_of_columns(%at) : (tensor<2xf64>) -> tensor<2xf64>
  check.expect_almost_eq_const %2, dense<[66.835970710650488, 0.00048828125]> : tensor<2xf64>
  %3 = call @jacobian_of_lanes(%at) : (tensor<2xf64>) -> tensor<2x2xf64>
  check.expect_almost_eq_const %3, dense<[[66.835970710650488, 0.0], [0.0, 0.00048828125]]> : tensor<2x2xf64>
  %4 = call @columns_of_lanes(%at) : (tensor<2xf64>) -> tensor<2x2xf64>
  check.expect_almost_eq_const %4, dense<[[66.835970710650488, 0.0], [0.0, 0.00048828125]]> : tensor<2x2xf64>
  return
}

// Jacobians of complex numbers, forwards and backwards: z² (holomorphic) has 2z; |z|² is real, dr = Re(J dz) with J = 2·conj(z), so are
// those of a real argument, x + 2ix at x. What does not depend on an argument has zeros.
func.func @f(%z: tensor<2xcomplex<f64>>, %x: tensor<2xf64>) -> (tensor<2xcomplex<f64>>, tensor<2xf64>, tensor<2xcomplex<f64>>) {
  %0 = stablehlo.multiply %z, %z : tensor<2xcomplex<f64>>
  %re = stablehlo.real %z : (tensor<2xcomplex<f64>>) -> tensor<2xf64>
  %im = stablehlo.imag %z : (tensor<2xcomplex<f64>>) -> tensor<2xf64>
  %1 = stablehlo.multiply %re, %re : tensor<2xf64>
  %2 = stablehlo.multiply %im, %im : tensor<2xf64>
  %3 = stablehlo.add %1, %2 : tensor<2xf64>
  %4 = stablehlo.add %x, %x : tensor<2xf64>
  %5 = stablehlo.complex %x, %4 : tensor<2xcomplex<f64>>
  return %0, %3, %5 : tensor<2xcomplex<f64>>, tensor<2xf64>, tensor<2xcomplex<f64>>
}
// transform: --jacobian f --forward --as by_columns
// transform: --jacobian f --reverse --as by_rows
// transform: --jacobian f --reverse --chunk 1 --as row_by_row
func.func @check(%0: tensor<2x2xcomplex<f64>>, %1: tensor<2x2xcomplex<f64>>, %2: tensor<2x2xcomplex<f64>>, %3: tensor<2x2xf64>, %4: tensor<2x2xcomplex<f64>>, %5: tensor<2x2xcomplex<f64>>) {
  check.expect_eq_const %0, dense<[[(2.0, 4.0), (0.0, 0.0)], [(0.0, 0.0), (6.0, -2.0)]]> : tensor<2x2xcomplex<f64>>
  check.expect_eq_const %1, dense<(0.0, 0.0)> : tensor<2x2xcomplex<f64>>
  check.expect_eq_const %2, dense<[[(2.0, -4.0), (0.0, 0.0)], [(0.0, 0.0), (6.0, 2.0)]]> : tensor<2x2xcomplex<f64>>
  check.expect_eq_const %3, dense<0.0> : tensor<2x2xf64>
  check.expect_eq_const %4, dense<(0.0, 0.0)> : tensor<2x2xcomplex<f64>>
  check.expect_eq_const %5, dense<[[(1.0, 2.0), (0.0, 0.0)], [(0.0, 0.0), (1.0, 2.0)]]> : tensor<2x2xcomplex<f64>>
  return
}
func.func @main() {
  %z = stablehlo.constant dense<[(1.0, 2.0), (3.0, -1.0)]> : tensor<2xcomplex<f64>>
  %x = stablehlo.constant dense<[5.0, 7.0]> : tensor<2xf64>
  %0:6 = call @by_columns(%z, %x) : (tensor<2xcomplex<f64>>, tensor<2xf64>) -> (tensor<2x2xcomplex<f64>>, tensor<2x2xcomplex<f64>>, tensor<2x2xcomplex<f64>>, tensor<2x2xf64>, tensor<2x2xcomplex<f64>>, tensor<2x2xcomplex<f64>>)
  call @check(%0#0, %0#1, %0#2, %0#3, %0#4, %0#5) : (tensor<2x2xcomplex<f64>>, tensor<2x2xcomplex<f64>>, tensor<2x2xcomplex<f64>>, tensor<2x2xf64>, tensor<2x2xcomplex<f64>>, tensor<2x2xcomplex<f64>>) -> ()
  %1:6 = call @by_rows(%z, %x) : (tensor<2xcomplex<f64>>, tensor<2xf64>) -> (tensor<2x2xcomplex<f64>>, tensor<2x2xcomplex<f64>>, tensor<2x2xcomplex<f64>>, tensor<2x2xf64>, tensor<2x2xcomplex<f64>>, tensor<2x2xcomplex<f64>>)
  call @check(%1#0, %1#1, %1#2, %1#3, %1#4, %1#5) : (tensor<2x2xcomplex<f64>>, tensor<2x2xcomplex<f64>>, tensor<2x2xcomplex<f64>>, tensor<2x2xf64>, tensor<2x2xcomplex<f64>>, tensor<2x2xcomplex<f64>>) -> ()
  %2:6 = call @row_by_row(%z, %x) : (tensor<2xcomplex<f64>>, tensor<2xf64>) -> (tensor<2x2xcomplex<f64>>, tensor<2x2xcomplex<f64>>, tensor<2x2xcomplex<f64>>, tensor<2x2xf64>, tensor<2x2xcomplex<f64>>, tensor<2x2xcomplex<f64>>)
  call @check(%2#0, %2#1, %2#2, %2#3, %2#4, %2#5) : (tensor<2x2xcomplex<f64>>, tensor<2x2xcomplex<f64>>, tensor<2x2xcomplex<f64>>, tensor<2x2xf64>, tensor<2x2xcomplex<f64>>, tensor<2x2xcomplex<f64>>) -> ()
  return
}

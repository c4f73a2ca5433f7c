// Results of several kinds at once: (n!, the powers x^0 … x^n summed, their number as f32, x * x as a complex number).
func.func private @f(%n: tensor<i64>, %x: tensor<3xf64>, %z: tensor<complex<f32>>)
    -> (tensor<i64>, tensor<3xf64>, tensor<f32>, tensor<complex<f32>>) {
  %zero = stablehlo.constant dense<0> : tensor<i64>
  %one = stablehlo.constant dense<1> : tensor<i64>
  %ones = stablehlo.constant dense<1.0> : tensor<3xf64>
  %onef = stablehlo.constant dense<1.0> : tensor<f32>
  %done = stablehlo.compare EQ, %n, %zero : (tensor<i64>, tensor<i64>) -> tensor<i1>
  %r:4 = "stablehlo.if"(%done) ({
    stablehlo.return %one, %ones, %onef, %z : tensor<i64>, tensor<3xf64>, tensor<f32>, tensor<complex<f32>>
  }, {
    %k = stablehlo.subtract %n, %one : tensor<i64>
    %zz = stablehlo.multiply %z, %z : tensor<complex<f32>>
    %s:4 = func.call @f(%k, %x, %zz) : (tensor<i64>, tensor<3xf64>, tensor<complex<f32>>)
        -> (tensor<i64>, tensor<3xf64>, tensor<f32>, tensor<complex<f32>>)
    %factorial = stablehlo.multiply %n, %s#0 : tensor<i64>
    %m = stablehlo.multiply %x, %s#1 : tensor<3xf64>
    %sum = stablehlo.add %m, %ones : tensor<3xf64>
    %count = stablehlo.add %s#2, %onef : tensor<f32>
    stablehlo.return %factorial, %sum, %count, %s#3 : tensor<i64>, tensor<3xf64>, tensor<f32>, tensor<complex<f32>>
  }) : (tensor<i1>) -> (tensor<i64>, tensor<3xf64>, tensor<f32>, tensor<complex<f32>>)
  return %r#0, %r#1, %r#2, %r#3 : tensor<i64>, tensor<3xf64>, tensor<f32>, tensor<complex<f32>>
}
func.func @main() {
  %n = stablehlo.constant dense<4> : tensor<i64>
  %x = stablehlo.constant dense<[1.0, 2.0, -3.0]> : tensor<3xf64>
  %z = stablehlo.constant dense<(0.0, 1.0)> : tensor<complex<f32>>
  %r:4 = func.call @f(%n, %x, %z) : (tensor<i64>, tensor<3xf64>, tensor<complex<f32>>)
      -> (tensor<i64>, tensor<3xf64>, tensor<f32>, tensor<complex<f32>>)
  check.expect_eq_const %r#0, dense<24> : tensor<i64>
  check.expect_eq_const %r#1, dense<[5.0, 31.0, 61.0]> : tensor<3xf64>
  check.expect_eq_const %r#2, dense<5.0> : tensor<f32>
  check.expect_eq_const %r#3, dense<(1.0, 0.0)> : tensor<complex<f32>>
  return
}

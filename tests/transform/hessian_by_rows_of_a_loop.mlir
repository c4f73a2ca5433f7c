// Second derivatives of x → x^16, four squares in a loop, by rows over rows: 240·x^14 on the diagonal. The body has more ops than a callee that
// is inlined, so that the loop's stacks pass from the function that goes forwards to the one that goes backwards.
func.func @f(%x: tensor<2xf64>) -> tensor<2xf64> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %0:2 = stablehlo.while(%i = %zero, %v = %x) : tensor<i32>, tensor<2xf64>
  cond {
    %four = stablehlo.constant dense<4> : tensor<i32>
    %p = stablehlo.compare LT, %i, %four : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %one = stablehlo.constant dense<1> : tensor<i32>
    %j = stablehlo.add %i, %one : tensor<i32>
    %n0 = stablehlo.multiply %v, %v : tensor<2xf64>
    %n1 = stablehlo.negate %n0 : tensor<2xf64>
    %n2 = stablehlo.negate %n1 : tensor<2xf64>
    %n3 = stablehlo.negate %n2 : tensor<2xf64>
    %n4 = stablehlo.negate %n3 : tensor<2xf64>
    %n5 = stablehlo.negate %n4 : tensor<2xf64>
    %n6 = stablehlo.negate %n5 : tensor<2xf64>
    %n7 = stablehlo.negate %n6 : tensor<2xf64>
    %n8 = stablehlo.negate %n7 : tensor<2xf64>
    %n9 = stablehlo.negate %n8 : tensor<2xf64>
    %n10 = stablehlo.negate %n9 : tensor<2xf64>
    %n11 = stablehlo.negate %n10 : tensor<2xf64>
    %n12 = stablehlo.negate %n11 : tensor<2xf64>
    %n13 = stablehlo.negate %n12 : tensor<2xf64>
    %n14 = stablehlo.negate %n13 : tensor<2xf64>
    %n15 = stablehlo.negate %n14 : tensor<2xf64>
    %n16 = stablehlo.negate %n15 : tensor<2xf64>
    %n17 = stablehlo.negate %n16 : tensor<2xf64>
    %n18 = stablehlo.negate %n17 : tensor<2xf64>
    %n19 = stablehlo.negate %n18 : tensor<2xf64>
    %n20 = stablehlo.negate %n19 : tensor<2xf64>
    %n21 = stablehlo.negate %n20 : tensor<2xf64>
    %n22 = stablehlo.negate %n21 : tensor<2xf64>
    %n23 = stablehlo.negate %n22 : tensor<2xf64>
    %n24 = stablehlo.negate %n23 : tensor<2xf64>
    stablehlo.return %j, %n24 : tensor<i32>, tensor<2xf64>
  }
  return %0#1 : tensor<2xf64>
}
// transform: --jacobian f:0 --reverse --as first
// transform: --jacobian first:0 --reverse --as second
// transform: --jacobian first:0 --reverse --chunk 1 --as second_by_one
func.func @main() {
  %x = stablehlo.constant dense<[1.1, 0.5]> : tensor<2xf64>
  %h = call @second(%x) : (tensor<2xf64>) -> tensor<2x2x2xf64>
  check.expect_almost_eq_const %h, dense<[[[911.39960059977932, 0.0], [0.0, 0.0]], [[0.0, 0.0], [0.0, 0.0146484375]]]> : tensor<2x2x2xf64>
  %g = call @second_by_one(%x) : (tensor<2xf64>) -> tensor<2x2x2xf64>
  check.expect_almost_eq_const %g, dense<[[[911.39960059977932, 0.0], [0.0, 0.0]], [[0.0, 0.0], [0.0, 0.0146484375]]]> : tensor<2x2x2xf64>
  return
}

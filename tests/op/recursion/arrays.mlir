// Recursion that brings an array up to date on the way down and again on the way up, with a loop inside; and one that keeps an
// array of each level until its callees are done.
func.func private @fill(%a: tensor<8xi32>, %n: tensor<i32>) -> tensor<8xi32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %done = stablehlo.compare EQ, %n, %zero : (tensor<i32>, tensor<i32>) -> tensor<i1>
  %r = "stablehlo.if"(%done) ({
    stablehlo.return %a : tensor<8xi32>
  }, {
    %k = stablehlo.subtract %n, %one : tensor<i32>
    // a[k] = 1 + … + n, by a loop.
    %sum:2 = stablehlo.while(%i = %n, %s = %zero) : tensor<i32>, tensor<i32>
      cond {
        %more = stablehlo.compare GT, %i, %zero : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %more : tensor<i1>
      } do {
        %next = stablehlo.subtract %i, %one : tensor<i32>
        %t = stablehlo.add %s, %i : tensor<i32>
        stablehlo.return %next, %t : tensor<i32>, tensor<i32>
      }
    %v = stablehlo.reshape %sum#1 : (tensor<i32>) -> tensor<1xi32>
    %b = stablehlo.dynamic_update_slice %a, %v, %k : (tensor<8xi32>, tensor<1xi32>, tensor<i32>) -> tensor<8xi32>
    %c = func.call @fill(%b, %k) : (tensor<8xi32>, tensor<i32>) -> tensor<8xi32>
    // On the way up: a[7 - k] += n.
    %seven = stablehlo.constant dense<7> : tensor<i32>
    %at = stablehlo.subtract %seven, %k : tensor<i32>
    %old = stablehlo.dynamic_slice %c, %at, sizes = [1] : (tensor<8xi32>, tensor<i32>) -> tensor<1xi32>
    %n1 = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>
    %new = stablehlo.add %old, %n1 : tensor<1xi32>
    %d = stablehlo.dynamic_update_slice %c, %new, %at : (tensor<8xi32>, tensor<1xi32>, tensor<i32>) -> tensor<8xi32>
    stablehlo.return %d : tensor<8xi32>
  }) : (tensor<i1>) -> tensor<8xi32>
  return %r : tensor<8xi32>
}
// x + 2x + 4x + … of n + 1 terms, where x is still needed after the call with 2x.
func.func private @doubled(%x: tensor<4xf32>, %n: tensor<i32>) -> tensor<4xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %r = "stablehlo.case"(%n) ({
    stablehlo.return %x : tensor<4xf32>
  }, {
    %k = stablehlo.subtract %n, %one : tensor<i32>
    %xx = stablehlo.add %x, %x : tensor<4xf32>
    %s = func.call @doubled(%xx, %k) : (tensor<4xf32>, tensor<i32>) -> tensor<4xf32>
    %t = stablehlo.add %x, %s : tensor<4xf32>
    stablehlo.return %t : tensor<4xf32>
  }) : (tensor<i32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}
func.func @main() {
  %zeros = stablehlo.constant dense<0> : tensor<8xi32>
  %five = stablehlo.constant dense<5> : tensor<i32>
  %a = func.call @fill(%zeros, %five) : (tensor<8xi32>, tensor<i32>) -> tensor<8xi32>
  // Down: a = 1 3 6 10 15 0 0 0. Up, from n = 1: a[7] += 1, a[6] += 2, a[5] += 3, a[4] += 4, a[3] += 5.
  check.expect_eq_const %a, dense<[1, 3, 6, 15, 19, 3, 2, 1]> : tensor<8xi32>
  %x = stablehlo.constant dense<[1.0, -1.0, 0.5, 3.0]> : tensor<4xf32>
  %three = stablehlo.constant dense<3> : tensor<i32>
  %s = func.call @doubled(%x, %three) : (tensor<4xf32>, tensor<i32>) -> tensor<4xf32>
  check.expect_eq_const %s, dense<[15.0, -15.0, 7.5, 45.0]> : tensor<4xf32>
  check.expect_eq_const %x, dense<[1.0, -1.0, 0.5, 3.0]> : tensor<4xf32>
  return
}

// Fibonacci (two calls a level), Ackermann (the argument of a call is a call) and a pair that call each other.
func.func private @fibonacci(%n: tensor<i32>) -> tensor<i32> {
  %one = stablehlo.constant dense<1> : tensor<i32>
  %two = stablehlo.constant dense<2> : tensor<i32>
  %small = stablehlo.compare LT, %n, %two : (tensor<i32>, tensor<i32>) -> tensor<i1>
  %r = "stablehlo.if"(%small) ({
    stablehlo.return %n : tensor<i32>
  }, {
    %a = stablehlo.subtract %n, %one : tensor<i32>
    %b = stablehlo.subtract %n, %two : tensor<i32>
    %x = func.call @fibonacci(%a) : (tensor<i32>) -> tensor<i32>
    %y = func.call @fibonacci(%b) : (tensor<i32>) -> tensor<i32>
    %s = stablehlo.add %x, %y : tensor<i32>
    stablehlo.return %s : tensor<i32>
  }) : (tensor<i1>) -> tensor<i32>
  return %r : tensor<i32>
}
func.func private @ackermann(%m: tensor<i64>, %n: tensor<i64>) -> tensor<i64> {
  %zero = stablehlo.constant dense<0> : tensor<i64>
  %one = stablehlo.constant dense<1> : tensor<i64>
  %m0 = stablehlo.compare EQ, %m, %zero : (tensor<i64>, tensor<i64>) -> tensor<i1>
  %n0 = stablehlo.compare EQ, %n, %zero : (tensor<i64>, tensor<i64>) -> tensor<i1>
  %r = "stablehlo.if"(%m0) ({
    %s = stablehlo.add %n, %one : tensor<i64>
    stablehlo.return %s : tensor<i64>
  }, {
    %less = stablehlo.subtract %m, %one : tensor<i64>
    %inner = "stablehlo.if"(%n0) ({
      stablehlo.return %one : tensor<i64>
    }, {
      %k = stablehlo.subtract %n, %one : tensor<i64>
      %v = func.call @ackermann(%m, %k) : (tensor<i64>, tensor<i64>) -> tensor<i64>
      stablehlo.return %v : tensor<i64>
    }) : (tensor<i1>) -> tensor<i64>
    %v = func.call @ackermann(%less, %inner) : (tensor<i64>, tensor<i64>) -> tensor<i64>
    stablehlo.return %v : tensor<i64>
  }) : (tensor<i1>) -> tensor<i64>
  return %r : tensor<i64>
}
func.func private @even(%n: tensor<i32>) -> tensor<i1> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %yes = stablehlo.constant dense<true> : tensor<i1>
  %done = stablehlo.compare EQ, %n, %zero : (tensor<i32>, tensor<i32>) -> tensor<i1>
  %r = "stablehlo.if"(%done) ({
    stablehlo.return %yes : tensor<i1>
  }, {
    %k = stablehlo.subtract %n, %one : tensor<i32>
    %v = func.call @odd(%k) : (tensor<i32>) -> tensor<i1>
    stablehlo.return %v : tensor<i1>
  }) : (tensor<i1>) -> tensor<i1>
  return %r : tensor<i1>
}
func.func private @odd(%n: tensor<i32>) -> tensor<i1> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %no = stablehlo.constant dense<false> : tensor<i1>
  %done = stablehlo.compare EQ, %n, %zero : (tensor<i32>, tensor<i32>) -> tensor<i1>
  %r = "stablehlo.if"(%done) ({
    stablehlo.return %no : tensor<i1>
  }, {
    %k = stablehlo.subtract %n, %one : tensor<i32>
    %v = func.call @even(%k) : (tensor<i32>) -> tensor<i1>
    stablehlo.return %v : tensor<i1>
  }) : (tensor<i1>) -> tensor<i1>
  return %r : tensor<i1>
}
func.func @main() {
  %n = stablehlo.constant dense<18> : tensor<i32>
  %fibonacci = func.call @fibonacci(%n) : (tensor<i32>) -> tensor<i32>
  check.expect_eq_const %fibonacci, dense<2584> : tensor<i32>
  %two = stablehlo.constant dense<2> : tensor<i64>
  %three = stablehlo.constant dense<3> : tensor<i64>
  %ackermann = func.call @ackermann(%two, %three) : (tensor<i64>, tensor<i64>) -> tensor<i64>
  check.expect_eq_const %ackermann, dense<9> : tensor<i64>
  %even = func.call @even(%n) : (tensor<i32>) -> tensor<i1>
  check.expect_eq_const %even, dense<true> : tensor<i1>
  %odd = func.call @odd(%n) : (tensor<i32>) -> tensor<i1>
  check.expect_eq_const %odd, dense<false> : tensor<i1>
  return
}

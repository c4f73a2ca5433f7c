// A hundred thousand levels deep would end the evaluator's stack; 2000 it takes, and native code takes both (tests/native).
func.func private @count(%n: tensor<i64>) -> tensor<i64> {
  %zero = stablehlo.constant dense<0> : tensor<i64>
  %one = stablehlo.constant dense<1> : tensor<i64>
  %done = stablehlo.compare LE, %n, %zero : (tensor<i64>, tensor<i64>) -> tensor<i1>
  %r = "stablehlo.if"(%done) ({
    stablehlo.return %zero : tensor<i64>
  }, {
    %k = stablehlo.subtract %n, %one : tensor<i64>
    %s = func.call @count(%k) : (tensor<i64>) -> tensor<i64>
    %t = stablehlo.add %s, %n : tensor<i64>
    stablehlo.return %t : tensor<i64>
  }) : (tensor<i1>) -> tensor<i64>
  return %r : tensor<i64>
}
func.func @main() {
  %n = stablehlo.constant dense<2000> : tensor<i64>
  %sum = func.call @count(%n) : (tensor<i64>) -> tensor<i64>
  check.expect_eq_const %sum, dense<2001000> : tensor<i64>
  return
}

// One process sends the squares of 0 … 3 through a channel, the other adds them up; the token goes round with the loop.
module @channel_in_loop {
  func.func @sender() {
    %token = stablehlo.create_token : !stablehlo.token
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %one = stablehlo.constant dense<1> : tensor<i32>
    %four = stablehlo.constant dense<4> : tensor<i32>
    %r:2 = "stablehlo.while"(%zero, %token) ({
      ^bb0(%i: tensor<i32>, %t: !stablehlo.token):
        %0 = stablehlo.compare LT, %i, %four : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %0 : tensor<i1>
    }, {
      ^bb0(%i: tensor<i32>, %t: !stablehlo.token):
        %square = stablehlo.multiply %i, %i : tensor<i32>
        %sent = "stablehlo.send"(%square, %t) {
          channel_handle = #stablehlo.channel_handle<handle = 5, type = 1>, is_host_transfer = false
        } : (tensor<i32>, !stablehlo.token) -> !stablehlo.token
        %next = stablehlo.add %i, %one : tensor<i32>
        stablehlo.return %next, %sent : tensor<i32>, !stablehlo.token
    }) : (tensor<i32>, !stablehlo.token) -> (tensor<i32>, !stablehlo.token)
    return
  }
  func.func @receiver() -> tensor<i32> {
    %token = stablehlo.create_token : !stablehlo.token
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %one = stablehlo.constant dense<1> : tensor<i32>
    %four = stablehlo.constant dense<4> : tensor<i32>
    %r:3 = "stablehlo.while"(%zero, %zero, %token) ({
      ^bb0(%i: tensor<i32>, %s: tensor<i32>, %t: !stablehlo.token):
        %0 = stablehlo.compare LT, %i, %four : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %0 : tensor<i1>
    }, {
      ^bb0(%i: tensor<i32>, %s: tensor<i32>, %t: !stablehlo.token):
        %got:2 = "stablehlo.recv"(%t) {
          channel_handle = #stablehlo.channel_handle<handle = 5, type = 1>, is_host_transfer = false
        } : (!stablehlo.token) -> (tensor<i32>, !stablehlo.token)
        %sum = stablehlo.add %s, %got#0 : tensor<i32>
        %next = stablehlo.add %i, %one : tensor<i32>
        stablehlo.return %next, %sum, %got#1 : tensor<i32>, tensor<i32>, !stablehlo.token
    }) : (tensor<i32>, tensor<i32>, !stablehlo.token) -> (tensor<i32>, tensor<i32>, !stablehlo.token)
    return %r#1 : tensor<i32>
  }
  func.func @main() {
    %sum = "interpreter.run_parallel"() {programs = [[@sender], [@receiver]]} : () -> tensor<i32>
    check.expect_eq_const %sum, dense<14> : tensor<i32>
    return
  }
}

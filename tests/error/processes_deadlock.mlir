// A value that nobody sends is no reason to wait forever.
module @deadlock {
  func.func @receives() -> tensor<i32> {
    %t = stablehlo.create_token : !stablehlo.token
    %0:2 = "stablehlo.recv"(%t) {channel_handle = #stablehlo.channel_handle<handle = 3, type = 1>, is_host_transfer = false} : (!stablehlo.token) -> (tensor<i32>, !stablehlo.token) // error: deadlock: process (replica 0, partition 0) waits for a value in channel 3, which will not come
    return %0#0 : tensor<i32>
  }
  func.func @main() -> (tensor<i32>, tensor<i32>) {
    %r:2 = "interpreter.run_parallel"() {programs = [[@receives], [@receives]]} : () -> (tensor<i32>, tensor<i32>)
    return %r#0, %r#1 : tensor<i32>, tensor<i32>
  }
}

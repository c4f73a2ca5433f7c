func.func @main(%a0: tensor<1000x2xf64>, %a1: tensor<4x4xf64>, %a2: tensor<4x4xf64>, %a3: tensor<4x2xf64>, %a4: tensor<2x2xf64>) -> (tensor<4xf64>, tensor<4x4xf64>) {
  %1 = stablehlo.constant dense<0.0> : tensor<4xf64>
  %2 = stablehlo.constant dense<[[1.0,0.0,0.0,0.0],[0.0,1.0,0.0,0.0],[0.0,0.0,1.0,0.0],[0.0,0.0,0.0,1.0]]> : tensor<4x4xf64>
  %3 = stablehlo.constant dense<1000> : tensor<i64>
  %4 = stablehlo.constant dense<1> : tensor<i64>
  %w5:3 = stablehlo.while(%c5_0 = %4, %c5_1 = %1, %c5_2 = %2) : tensor<i64>, tensor<4xf64>, tensor<4x4xf64>
  cond {
    %6 = stablehlo.compare LE, %c5_0, %3 : (tensor<i64>, tensor<i64>) -> tensor<i1>
    stablehlo.return %6 : tensor<i1>
  } do {
    %7 = stablehlo.dot_general %c5_1, %a1, contracting_dims = [0] x [0] : (tensor<4xf64>, tensor<4x4xf64>) -> tensor<4xf64>
    %8 = stablehlo.dot_general %c5_2, %a1, contracting_dims = [1] x [0] : (tensor<4x4xf64>, tensor<4x4xf64>) -> tensor<4x4xf64>
    %9 = stablehlo.dot_general %a1, %8, contracting_dims = [0] x [0] : (tensor<4x4xf64>, tensor<4x4xf64>) -> tensor<4x4xf64>
    %10 = stablehlo.add %9, %a2 : tensor<4x4xf64>
    %11 = stablehlo.dot_general %10, %a3, contracting_dims = [1] x [0] : (tensor<4x4xf64>, tensor<4x2xf64>) -> tensor<4x2xf64>
    %12 = stablehlo.dot_general %a3, %11, contracting_dims = [0] x [0] : (tensor<4x2xf64>, tensor<4x2xf64>) -> tensor<2x2xf64>
    %13 = stablehlo.add %12, %a4 : tensor<2x2xf64>
    %14 = stablehlo.constant dense<1> : tensor<i64>
    %15 = stablehlo.constant dense<1> : tensor<i64>
    %16 = stablehlo.constant dense<1> : tensor<i64>
    %17 = stablehlo.subtract %15, %16 : tensor<i64>
    %18 = stablehlo.constant dense<1> : tensor<i64>
    %19 = stablehlo.compare GE, %15, %18 : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %20 = stablehlo.constant dense<2> : tensor<i64>
    %21 = stablehlo.compare LE, %15, %20 : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %22 = stablehlo.and %19, %21 : tensor<i1>
    "weft.check"(%22, %15) {message = "BoundsError: attempt to access array at index [{}]"} : (tensor<i1>, tensor<i64>) -> ()
    %23 = stablehlo.constant dense<1> : tensor<i64>
    %24 = stablehlo.subtract %14, %23 : tensor<i64>
    %25 = stablehlo.constant dense<1> : tensor<i64>
    %26 = stablehlo.compare GE, %14, %25 : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %27 = stablehlo.constant dense<2> : tensor<i64>
    %28 = stablehlo.compare LE, %14, %27 : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %29 = stablehlo.and %26, %28 : tensor<i1>
    "weft.check"(%29, %14) {message = "BoundsError: attempt to access array at index [{}]"} : (tensor<i1>, tensor<i64>) -> ()
    %30 = stablehlo.dynamic_slice %13, %17, %24, sizes = [1, 1] : (tensor<2x2xf64>, tensor<i64>, tensor<i64>) -> tensor<1x1xf64>
    %31 = stablehlo.reshape %30 : (tensor<1x1xf64>) -> tensor<f64>
    %32 = stablehlo.constant dense<2> : tensor<i64>
    %33 = stablehlo.constant dense<1> : tensor<i64>
    %34 = stablehlo.constant dense<1> : tensor<i64>
    %35 = stablehlo.subtract %33, %34 : tensor<i64>
    %36 = stablehlo.constant dense<1> : tensor<i64>
    %37 = stablehlo.compare GE, %33, %36 : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %38 = stablehlo.constant dense<2> : tensor<i64>
    %39 = stablehlo.compare LE, %33, %38 : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %40 = stablehlo.and %37, %39 : tensor<i1>
    "weft.check"(%40, %33) {message = "BoundsError: attempt to access array at index [{}]"} : (tensor<i1>, tensor<i64>) -> ()
    %41 = stablehlo.constant dense<1> : tensor<i64>
    %42 = stablehlo.subtract %32, %41 : tensor<i64>
    %43 = stablehlo.constant dense<1> : tensor<i64>
    %44 = stablehlo.compare GE, %32, %43 : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %45 = stablehlo.constant dense<2> : tensor<i64>
    %46 = stablehlo.compare LE, %32, %45 : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %47 = stablehlo.and %44, %46 : tensor<i1>
    "weft.check"(%47, %32) {message = "BoundsError: attempt to access array at index [{}]"} : (tensor<i1>, tensor<i64>) -> ()
    %48 = stablehlo.dynamic_slice %13, %35, %42, sizes = [1, 1] : (tensor<2x2xf64>, tensor<i64>, tensor<i64>) -> tensor<1x1xf64>
    %49 = stablehlo.reshape %48 : (tensor<1x1xf64>) -> tensor<f64>
    %50 = stablehlo.constant dense<1> : tensor<i64>
    %51 = stablehlo.constant dense<2> : tensor<i64>
    %52 = stablehlo.constant dense<1> : tensor<i64>
    %53 = stablehlo.subtract %51, %52 : tensor<i64>
    %54 = stablehlo.constant dense<1> : tensor<i64>
    %55 = stablehlo.compare GE, %51, %54 : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %56 = stablehlo.constant dense<2> : tensor<i64>
    %57 = stablehlo.compare LE, %51, %56 : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %58 = stablehlo.and %55, %57 : tensor<i1>
    "weft.check"(%58, %51) {message = "BoundsError: attempt to access array at index [{}]"} : (tensor<i1>, tensor<i64>) -> ()
    %59 = stablehlo.constant dense<1> : tensor<i64>
    %60 = stablehlo.subtract %50, %59 : tensor<i64>
    %61 = stablehlo.constant dense<1> : tensor<i64>
    %62 = stablehlo.compare GE, %50, %61 : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %63 = stablehlo.constant dense<2> : tensor<i64>
    %64 = stablehlo.compare LE, %50, %63 : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %65 = stablehlo.and %62, %64 : tensor<i1>
    "weft.check"(%65, %50) {message = "BoundsError: attempt to access array at index [{}]"} : (tensor<i1>, tensor<i64>) -> ()
    %66 = stablehlo.dynamic_slice %13, %53, %60, sizes = [1, 1] : (tensor<2x2xf64>, tensor<i64>, tensor<i64>) -> tensor<1x1xf64>
    %67 = stablehlo.reshape %66 : (tensor<1x1xf64>) -> tensor<f64>
    %68 = stablehlo.constant dense<2> : tensor<i64>
    %69 = stablehlo.constant dense<2> : tensor<i64>
    %70 = stablehlo.constant dense<1> : tensor<i64>
    %71 = stablehlo.subtract %69, %70 : tensor<i64>
    %72 = stablehlo.constant dense<1> : tensor<i64>
    %73 = stablehlo.compare GE, %69, %72 : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %74 = stablehlo.constant dense<2> : tensor<i64>
    %75 = stablehlo.compare LE, %69, %74 : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %76 = stablehlo.and %73, %75 : tensor<i1>
    "weft.check"(%76, %69) {message = "BoundsError: attempt to access array at index [{}]"} : (tensor<i1>, tensor<i64>) -> ()
    %77 = stablehlo.constant dense<1> : tensor<i64>
    %78 = stablehlo.subtract %68, %77 : tensor<i64>
    %79 = stablehlo.constant dense<1> : tensor<i64>
    %80 = stablehlo.compare GE, %68, %79 : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %81 = stablehlo.constant dense<2> : tensor<i64>
    %82 = stablehlo.compare LE, %68, %81 : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %83 = stablehlo.and %80, %82 : tensor<i1>
    "weft.check"(%83, %68) {message = "BoundsError: attempt to access array at index [{}]"} : (tensor<i1>, tensor<i64>) -> ()
    %84 = stablehlo.dynamic_slice %13, %71, %78, sizes = [1, 1] : (tensor<2x2xf64>, tensor<i64>, tensor<i64>) -> tensor<1x1xf64>
    %85 = stablehlo.reshape %84 : (tensor<1x1xf64>) -> tensor<f64>
    %86 = stablehlo.multiply %31, %85 : tensor<f64>
    %87 = stablehlo.multiply %67, %49 : tensor<f64>
    %88 = stablehlo.subtract %86, %87 : tensor<f64>
    %89 = stablehlo.constant dense<0.0> : tensor<2x2xf64>
    %90 = stablehlo.divide %85, %88 : tensor<f64>
    %91 = stablehlo.negate %49 : tensor<f64>
    %92 = stablehlo.divide %91, %88 : tensor<f64>
    %93 = stablehlo.negate %67 : tensor<f64>
    %94 = stablehlo.divide %93, %88 : tensor<f64>
    %95 = stablehlo.divide %31, %88 : tensor<f64>
    %96 = stablehlo.constant dense<1> : tensor<i64>
    %97 = stablehlo.constant dense<1> : tensor<i64>
    %98 = stablehlo.constant dense<1> : tensor<i64>
    %99 = stablehlo.subtract %97, %98 : tensor<i64>
    %100 = stablehlo.constant dense<1> : tensor<i64>
    %101 = stablehlo.compare GE, %97, %100 : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %102 = stablehlo.constant dense<2> : tensor<i64>
    %103 = stablehlo.compare LE, %97, %102 : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %104 = stablehlo.and %101, %103 : tensor<i1>
    "weft.check"(%104, %97) {message = "BoundsError: attempt to access array at index [{}]"} : (tensor<i1>, tensor<i64>) -> ()
    %105 = stablehlo.constant dense<1> : tensor<i64>
    %106 = stablehlo.subtract %96, %105 : tensor<i64>
    %107 = stablehlo.constant dense<1> : tensor<i64>
    %108 = stablehlo.compare GE, %96, %107 : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %109 = stablehlo.constant dense<2> : tensor<i64>
    %110 = stablehlo.compare LE, %96, %109 : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %111 = stablehlo.and %108, %110 : tensor<i1>
    "weft.check"(%111, %96) {message = "BoundsError: attempt to access array at index [{}]"} : (tensor<i1>, tensor<i64>) -> ()
    %112 = stablehlo.reshape %90 : (tensor<f64>) -> tensor<1x1xf64>
    %113 = stablehlo.dynamic_update_slice %89, %112, %99, %106 : (tensor<2x2xf64>, tensor<1x1xf64>, tensor<i64>, tensor<i64>) -> tensor<2x2xf64>
    %114 = stablehlo.constant dense<2> : tensor<i64>
    %115 = stablehlo.constant dense<1> : tensor<i64>
    %116 = stablehlo.constant dense<1> : tensor<i64>
    %117 = stablehlo.subtract %115, %116 : tensor<i64>
    %118 = stablehlo.constant dense<1> : tensor<i64>
    %119 = stablehlo.compare GE, %115, %118 : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %120 = stablehlo.constant dense<2> : tensor<i64>
    %121 = stablehlo.compare LE, %115, %120 : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %122 = stablehlo.and %119, %121 : tensor<i1>
    "weft.check"(%122, %115) {message = "BoundsError: attempt to access array at index [{}]"} : (tensor<i1>, tensor<i64>) -> ()
    %123 = stablehlo.constant dense<1> : tensor<i64>
    %124 = stablehlo.subtract %114, %123 : tensor<i64>
    %125 = stablehlo.constant dense<1> : tensor<i64>
    %126 = stablehlo.compare GE, %114, %125 : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %127 = stablehlo.constant dense<2> : tensor<i64>
    %128 = stablehlo.compare LE, %114, %127 : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %129 = stablehlo.and %126, %128 : tensor<i1>
    "weft.check"(%129, %114) {message = "BoundsError: attempt to access array at index [{}]"} : (tensor<i1>, tensor<i64>) -> ()
    %130 = stablehlo.reshape %92 : (tensor<f64>) -> tensor<1x1xf64>
    %131 = stablehlo.dynamic_update_slice %113, %130, %117, %124 : (tensor<2x2xf64>, tensor<1x1xf64>, tensor<i64>, tensor<i64>) -> tensor<2x2xf64>
    %132 = stablehlo.constant dense<1> : tensor<i64>
    %133 = stablehlo.constant dense<2> : tensor<i64>
    %134 = stablehlo.constant dense<1> : tensor<i64>
    %135 = stablehlo.subtract %133, %134 : tensor<i64>
    %136 = stablehlo.constant dense<1> : tensor<i64>
    %137 = stablehlo.compare GE, %133, %136 : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %138 = stablehlo.constant dense<2> : tensor<i64>
    %139 = stablehlo.compare LE, %133, %138 : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %140 = stablehlo.and %137, %139 : tensor<i1>
    "weft.check"(%140, %133) {message = "BoundsError: attempt to access array at index [{}]"} : (tensor<i1>, tensor<i64>) -> ()
    %141 = stablehlo.constant dense<1> : tensor<i64>
    %142 = stablehlo.subtract %132, %141 : tensor<i64>
    %143 = stablehlo.constant dense<1> : tensor<i64>
    %144 = stablehlo.compare GE, %132, %143 : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %145 = stablehlo.constant dense<2> : tensor<i64>
    %146 = stablehlo.compare LE, %132, %145 : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %147 = stablehlo.and %144, %146 : tensor<i1>
    "weft.check"(%147, %132) {message = "BoundsError: attempt to access array at index [{}]"} : (tensor<i1>, tensor<i64>) -> ()
    %148 = stablehlo.reshape %94 : (tensor<f64>) -> tensor<1x1xf64>
    %149 = stablehlo.dynamic_update_slice %131, %148, %135, %142 : (tensor<2x2xf64>, tensor<1x1xf64>, tensor<i64>, tensor<i64>) -> tensor<2x2xf64>
    %150 = stablehlo.constant dense<2> : tensor<i64>
    %151 = stablehlo.constant dense<2> : tensor<i64>
    %152 = stablehlo.constant dense<1> : tensor<i64>
    %153 = stablehlo.subtract %151, %152 : tensor<i64>
    %154 = stablehlo.constant dense<1> : tensor<i64>
    %155 = stablehlo.compare GE, %151, %154 : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %156 = stablehlo.constant dense<2> : tensor<i64>
    %157 = stablehlo.compare LE, %151, %156 : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %158 = stablehlo.and %155, %157 : tensor<i1>
    "weft.check"(%158, %151) {message = "BoundsError: attempt to access array at index [{}]"} : (tensor<i1>, tensor<i64>) -> ()
    %159 = stablehlo.constant dense<1> : tensor<i64>
    %160 = stablehlo.subtract %150, %159 : tensor<i64>
    %161 = stablehlo.constant dense<1> : tensor<i64>
    %162 = stablehlo.compare GE, %150, %161 : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %163 = stablehlo.constant dense<2> : tensor<i64>
    %164 = stablehlo.compare LE, %150, %163 : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %165 = stablehlo.and %162, %164 : tensor<i1>
    "weft.check"(%165, %150) {message = "BoundsError: attempt to access array at index [{}]"} : (tensor<i1>, tensor<i64>) -> ()
    %166 = stablehlo.reshape %95 : (tensor<f64>) -> tensor<1x1xf64>
    %167 = stablehlo.dynamic_update_slice %149, %166, %153, %160 : (tensor<2x2xf64>, tensor<1x1xf64>, tensor<i64>, tensor<i64>) -> tensor<2x2xf64>
    %168 = stablehlo.dot_general %a3, %10, contracting_dims = [0] x [0] : (tensor<4x2xf64>, tensor<4x4xf64>) -> tensor<2x4xf64>
    %169 = stablehlo.dot_general %167, %168, contracting_dims = [1] x [0] : (tensor<2x2xf64>, tensor<2x4xf64>) -> tensor<2x4xf64>
    %170 = stablehlo.constant dense<0> : tensor<i64>
    %172 = stablehlo.constant dense<1> : tensor<i64>
    %173 = stablehlo.subtract %c5_0, %172 : tensor<i64>
    %174 = stablehlo.constant dense<1> : tensor<i64>
    %175 = stablehlo.compare GE, %c5_0, %174 : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %176 = stablehlo.constant dense<1000> : tensor<i64>
    %177 = stablehlo.compare LE, %c5_0, %176 : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %178 = stablehlo.and %175, %177 : tensor<i1>
    "weft.check"(%178, %c5_0) {message = "BoundsError: attempt to access array at index [{}]"} : (tensor<i1>, tensor<i64>) -> ()
    %171 = stablehlo.dynamic_slice %a0, %173, %170, sizes = [1, 2] : (tensor<1000x2xf64>, tensor<i64>, tensor<i64>) -> tensor<1x2xf64>
    %179 = stablehlo.reshape %171 : (tensor<1x2xf64>) -> tensor<2xf64>
    %180 = stablehlo.dot_general %7, %a3, contracting_dims = [0] x [0] : (tensor<4xf64>, tensor<4x2xf64>) -> tensor<2xf64>
    %181 = stablehlo.subtract %179, %180 : tensor<2xf64>
    %182 = stablehlo.dot_general %181, %169, contracting_dims = [0] x [0] : (tensor<2xf64>, tensor<2x4xf64>) -> tensor<4xf64>
    %183 = stablehlo.add %7, %182 : tensor<4xf64>
    %184 = stablehlo.dot_general %11, %169, contracting_dims = [1] x [0] : (tensor<4x2xf64>, tensor<2x4xf64>) -> tensor<4x4xf64>
    %185 = stablehlo.subtract %10, %184 : tensor<4x4xf64>
    %186 = stablehlo.constant dense<1> : tensor<i64>
    %187 = stablehlo.add %c5_0, %186 : tensor<i64>
    stablehlo.return %187, %183, %185 : tensor<i64>, tensor<4xf64>, tensor<4x4xf64>
  }
  return %w5#1, %w5#2 : tensor<4xf64>, tensor<4x4xf64>
}

func.func @main() -> (tensor<f64>) {
  %1 = stablehlo.constant dense<1.0> : tensor<100xf64>
  %2 = stablehlo.constant dense<0.0> : tensor<100xf64>
  %3 = stablehlo.constant dense<0.0> : tensor<100xf64>
  %4 = stablehlo.constant dense<10> : tensor<i64>
  %5 = stablehlo.constant dense<1> : tensor<i64>
  %w6:4 = stablehlo.while(%c6_0 = %5, %c6_1 = %1, %c6_2 = %2, %c6_3 = %3) : tensor<i64>, tensor<100xf64>, tensor<100xf64>, tensor<100xf64>
  cond {
    %7 = stablehlo.compare LE, %c6_0, %4 : (tensor<i64>, tensor<i64>) -> tensor<i1>
    stablehlo.return %7 : tensor<i1>
  } do {
    %8 = stablehlo.constant dense<100> : tensor<i64>
    %9 = stablehlo.constant dense<1> : tensor<i64>
    %w10:2 = stablehlo.while(%c10_0 = %9, %c10_1 = %c6_3) : tensor<i64>, tensor<100xf64>
    cond {
      %11 = stablehlo.compare LE, %c10_0, %8 : (tensor<i64>, tensor<i64>) -> tensor<i1>
      stablehlo.return %11 : tensor<i1>
    } do {
      %12 = stablehlo.constant dense<0.0> : tensor<f64>
      %13 = stablehlo.constant dense<100> : tensor<i64>
      %14 = stablehlo.constant dense<1> : tensor<i64>
      %w15:2 = stablehlo.while(%c15_0 = %14, %c15_1 = %12) : tensor<i64>, tensor<f64>
      cond {
        %16 = stablehlo.compare LE, %c15_0, %13 : (tensor<i64>, tensor<i64>) -> tensor<i1>
        stablehlo.return %16 : tensor<i1>
      } do {
        %17 = stablehlo.add %c10_0, %c15_0 : tensor<i64>
        %18 = stablehlo.constant dense<2> : tensor<i64>
        %19 = stablehlo.subtract %17, %18 : tensor<i64>
        %20 = stablehlo.constant dense<1> : tensor<i64>
        %21 = stablehlo.add %19, %20 : tensor<i64>
        %22 = stablehlo.multiply %19, %21 : tensor<i64>
        %23 = stablehlo.constant dense<2> : tensor<i64>
        %24 = stablehlo.divide %22, %23 : tensor<i64>
        %25 = stablehlo.add %24, %c10_0 : tensor<i64>
        %26 = stablehlo.convert %25 : (tensor<i64>) -> tensor<f64>
        %27 = stablehlo.constant dense<1.0> : tensor<f64>
        %28 = stablehlo.divide %27, %26 : tensor<f64>
        %29 = stablehlo.constant dense<1> : tensor<i64>
        %30 = stablehlo.subtract %c15_0, %29 : tensor<i64>
        %31 = stablehlo.constant dense<1> : tensor<i64>
        %32 = stablehlo.compare GE, %c15_0, %31 : (tensor<i64>, tensor<i64>) -> tensor<i1>
        %33 = stablehlo.constant dense<100> : tensor<i64>
        %34 = stablehlo.compare LE, %c15_0, %33 : (tensor<i64>, tensor<i64>) -> tensor<i1>
        %35 = stablehlo.and %32, %34 : tensor<i1>
        "weft.check"(%35, %c15_0) {message = "BoundsError: attempt to access array at index [{}]"} : (tensor<i1>, tensor<i64>) -> ()
        %36 = stablehlo.dynamic_slice %c6_1, %30, sizes = [1] : (tensor<100xf64>, tensor<i64>) -> tensor<1xf64>
        %37 = stablehlo.reshape %36 : (tensor<1xf64>) -> tensor<f64>
        %38 = stablehlo.multiply %28, %37 : tensor<f64>
        %39 = stablehlo.add %c15_1, %38 : tensor<f64>
        %40 = stablehlo.constant dense<1> : tensor<i64>
        %41 = stablehlo.add %c15_0, %40 : tensor<i64>
        stablehlo.return %41, %39 : tensor<i64>, tensor<f64>
      }
      %42 = stablehlo.constant dense<1> : tensor<i64>
      %43 = stablehlo.subtract %c10_0, %42 : tensor<i64>
      %44 = stablehlo.constant dense<1> : tensor<i64>
      %45 = stablehlo.compare GE, %c10_0, %44 : (tensor<i64>, tensor<i64>) -> tensor<i1>
      %46 = stablehlo.constant dense<100> : tensor<i64>
      %47 = stablehlo.compare LE, %c10_0, %46 : (tensor<i64>, tensor<i64>) -> tensor<i1>
      %48 = stablehlo.and %45, %47 : tensor<i1>
      "weft.check"(%48, %c10_0) {message = "BoundsError: attempt to access array at index [{}]"} : (tensor<i1>, tensor<i64>) -> ()
      %49 = stablehlo.reshape %w15#1 : (tensor<f64>) -> tensor<1xf64>
      %50 = stablehlo.dynamic_update_slice %c10_1, %49, %43 : (tensor<100xf64>, tensor<1xf64>, tensor<i64>) -> tensor<100xf64>
      %51 = stablehlo.constant dense<1> : tensor<i64>
      %52 = stablehlo.add %c10_0, %51 : tensor<i64>
      stablehlo.return %52, %50 : tensor<i64>, tensor<100xf64>
    }
    %53 = stablehlo.constant dense<100> : tensor<i64>
    %54 = stablehlo.constant dense<1> : tensor<i64>
    %w55:2 = stablehlo.while(%c55_0 = %54, %c55_1 = %c6_2) : tensor<i64>, tensor<100xf64>
    cond {
      %56 = stablehlo.compare LE, %c55_0, %53 : (tensor<i64>, tensor<i64>) -> tensor<i1>
      stablehlo.return %56 : tensor<i1>
    } do {
      %57 = stablehlo.constant dense<0.0> : tensor<f64>
      %58 = stablehlo.constant dense<100> : tensor<i64>
      %59 = stablehlo.constant dense<1> : tensor<i64>
      %w60:2 = stablehlo.while(%c60_0 = %59, %c60_1 = %57) : tensor<i64>, tensor<f64>
      cond {
        %61 = stablehlo.compare LE, %c60_0, %58 : (tensor<i64>, tensor<i64>) -> tensor<i1>
        stablehlo.return %61 : tensor<i1>
      } do {
        %62 = stablehlo.add %c60_0, %c55_0 : tensor<i64>
        %63 = stablehlo.constant dense<2> : tensor<i64>
        %64 = stablehlo.subtract %62, %63 : tensor<i64>
        %65 = stablehlo.constant dense<1> : tensor<i64>
        %66 = stablehlo.add %64, %65 : tensor<i64>
        %67 = stablehlo.multiply %64, %66 : tensor<i64>
        %68 = stablehlo.constant dense<2> : tensor<i64>
        %69 = stablehlo.divide %67, %68 : tensor<i64>
        %70 = stablehlo.add %69, %c60_0 : tensor<i64>
        %71 = stablehlo.convert %70 : (tensor<i64>) -> tensor<f64>
        %72 = stablehlo.constant dense<1.0> : tensor<f64>
        %73 = stablehlo.divide %72, %71 : tensor<f64>
        %74 = stablehlo.constant dense<1> : tensor<i64>
        %75 = stablehlo.subtract %c60_0, %74 : tensor<i64>
        %76 = stablehlo.constant dense<1> : tensor<i64>
        %77 = stablehlo.compare GE, %c60_0, %76 : (tensor<i64>, tensor<i64>) -> tensor<i1>
        %78 = stablehlo.constant dense<100> : tensor<i64>
        %79 = stablehlo.compare LE, %c60_0, %78 : (tensor<i64>, tensor<i64>) -> tensor<i1>
        %80 = stablehlo.and %77, %79 : tensor<i1>
        "weft.check"(%80, %c60_0) {message = "BoundsError: attempt to access array at index [{}]"} : (tensor<i1>, tensor<i64>) -> ()
        %81 = stablehlo.dynamic_slice %w10#1, %75, sizes = [1] : (tensor<100xf64>, tensor<i64>) -> tensor<1xf64>
        %82 = stablehlo.reshape %81 : (tensor<1xf64>) -> tensor<f64>
        %83 = stablehlo.multiply %73, %82 : tensor<f64>
        %84 = stablehlo.add %c60_1, %83 : tensor<f64>
        %85 = stablehlo.constant dense<1> : tensor<i64>
        %86 = stablehlo.add %c60_0, %85 : tensor<i64>
        stablehlo.return %86, %84 : tensor<i64>, tensor<f64>
      }
      %87 = stablehlo.constant dense<1> : tensor<i64>
      %88 = stablehlo.subtract %c55_0, %87 : tensor<i64>
      %89 = stablehlo.constant dense<1> : tensor<i64>
      %90 = stablehlo.compare GE, %c55_0, %89 : (tensor<i64>, tensor<i64>) -> tensor<i1>
      %91 = stablehlo.constant dense<100> : tensor<i64>
      %92 = stablehlo.compare LE, %c55_0, %91 : (tensor<i64>, tensor<i64>) -> tensor<i1>
      %93 = stablehlo.and %90, %92 : tensor<i1>
      "weft.check"(%93, %c55_0) {message = "BoundsError: attempt to access array at index [{}]"} : (tensor<i1>, tensor<i64>) -> ()
      %94 = stablehlo.reshape %w60#1 : (tensor<f64>) -> tensor<1xf64>
      %95 = stablehlo.dynamic_update_slice %c55_1, %94, %88 : (tensor<100xf64>, tensor<1xf64>, tensor<i64>) -> tensor<100xf64>
      %96 = stablehlo.constant dense<1> : tensor<i64>
      %97 = stablehlo.add %c55_0, %96 : tensor<i64>
      stablehlo.return %97, %95 : tensor<i64>, tensor<100xf64>
    }
    %98 = stablehlo.constant dense<100> : tensor<i64>
    %99 = stablehlo.constant dense<1> : tensor<i64>
    %w100:2 = stablehlo.while(%c100_0 = %99, %c100_1 = %w10#1) : tensor<i64>, tensor<100xf64>
    cond {
      %101 = stablehlo.compare LE, %c100_0, %98 : (tensor<i64>, tensor<i64>) -> tensor<i1>
      stablehlo.return %101 : tensor<i1>
    } do {
      %102 = stablehlo.constant dense<0.0> : tensor<f64>
      %103 = stablehlo.constant dense<100> : tensor<i64>
      %104 = stablehlo.constant dense<1> : tensor<i64>
      %w105:2 = stablehlo.while(%c105_0 = %104, %c105_1 = %102) : tensor<i64>, tensor<f64>
      cond {
        %106 = stablehlo.compare LE, %c105_0, %103 : (tensor<i64>, tensor<i64>) -> tensor<i1>
        stablehlo.return %106 : tensor<i1>
      } do {
        %107 = stablehlo.add %c100_0, %c105_0 : tensor<i64>
        %108 = stablehlo.constant dense<2> : tensor<i64>
        %109 = stablehlo.subtract %107, %108 : tensor<i64>
        %110 = stablehlo.constant dense<1> : tensor<i64>
        %111 = stablehlo.add %109, %110 : tensor<i64>
        %112 = stablehlo.multiply %109, %111 : tensor<i64>
        %113 = stablehlo.constant dense<2> : tensor<i64>
        %114 = stablehlo.divide %112, %113 : tensor<i64>
        %115 = stablehlo.add %114, %c100_0 : tensor<i64>
        %116 = stablehlo.convert %115 : (tensor<i64>) -> tensor<f64>
        %117 = stablehlo.constant dense<1.0> : tensor<f64>
        %118 = stablehlo.divide %117, %116 : tensor<f64>
        %119 = stablehlo.constant dense<1> : tensor<i64>
        %120 = stablehlo.subtract %c105_0, %119 : tensor<i64>
        %121 = stablehlo.constant dense<1> : tensor<i64>
        %122 = stablehlo.compare GE, %c105_0, %121 : (tensor<i64>, tensor<i64>) -> tensor<i1>
        %123 = stablehlo.constant dense<100> : tensor<i64>
        %124 = stablehlo.compare LE, %c105_0, %123 : (tensor<i64>, tensor<i64>) -> tensor<i1>
        %125 = stablehlo.and %122, %124 : tensor<i1>
        "weft.check"(%125, %c105_0) {message = "BoundsError: attempt to access array at index [{}]"} : (tensor<i1>, tensor<i64>) -> ()
        %126 = stablehlo.dynamic_slice %w55#1, %120, sizes = [1] : (tensor<100xf64>, tensor<i64>) -> tensor<1xf64>
        %127 = stablehlo.reshape %126 : (tensor<1xf64>) -> tensor<f64>
        %128 = stablehlo.multiply %118, %127 : tensor<f64>
        %129 = stablehlo.add %c105_1, %128 : tensor<f64>
        %130 = stablehlo.constant dense<1> : tensor<i64>
        %131 = stablehlo.add %c105_0, %130 : tensor<i64>
        stablehlo.return %131, %129 : tensor<i64>, tensor<f64>
      }
      %132 = stablehlo.constant dense<1> : tensor<i64>
      %133 = stablehlo.subtract %c100_0, %132 : tensor<i64>
      %134 = stablehlo.constant dense<1> : tensor<i64>
      %135 = stablehlo.compare GE, %c100_0, %134 : (tensor<i64>, tensor<i64>) -> tensor<i1>
      %136 = stablehlo.constant dense<100> : tensor<i64>
      %137 = stablehlo.compare LE, %c100_0, %136 : (tensor<i64>, tensor<i64>) -> tensor<i1>
      %138 = stablehlo.and %135, %137 : tensor<i1>
      "weft.check"(%138, %c100_0) {message = "BoundsError: attempt to access array at index [{}]"} : (tensor<i1>, tensor<i64>) -> ()
      %139 = stablehlo.reshape %w105#1 : (tensor<f64>) -> tensor<1xf64>
      %140 = stablehlo.dynamic_update_slice %c100_1, %139, %133 : (tensor<100xf64>, tensor<1xf64>, tensor<i64>) -> tensor<100xf64>
      %141 = stablehlo.constant dense<1> : tensor<i64>
      %142 = stablehlo.add %c100_0, %141 : tensor<i64>
      stablehlo.return %142, %140 : tensor<i64>, tensor<100xf64>
    }
    %143 = stablehlo.constant dense<100> : tensor<i64>
    %144 = stablehlo.constant dense<1> : tensor<i64>
    %w145:2 = stablehlo.while(%c145_0 = %144, %c145_1 = %c6_1) : tensor<i64>, tensor<100xf64>
    cond {
      %146 = stablehlo.compare LE, %c145_0, %143 : (tensor<i64>, tensor<i64>) -> tensor<i1>
      stablehlo.return %146 : tensor<i1>
    } do {
      %147 = stablehlo.constant dense<0.0> : tensor<f64>
      %148 = stablehlo.constant dense<100> : tensor<i64>
      %149 = stablehlo.constant dense<1> : tensor<i64>
      %w150:2 = stablehlo.while(%c150_0 = %149, %c150_1 = %147) : tensor<i64>, tensor<f64>
      cond {
        %151 = stablehlo.compare LE, %c150_0, %148 : (tensor<i64>, tensor<i64>) -> tensor<i1>
        stablehlo.return %151 : tensor<i1>
      } do {
        %152 = stablehlo.add %c150_0, %c145_0 : tensor<i64>
        %153 = stablehlo.constant dense<2> : tensor<i64>
        %154 = stablehlo.subtract %152, %153 : tensor<i64>
        %155 = stablehlo.constant dense<1> : tensor<i64>
        %156 = stablehlo.add %154, %155 : tensor<i64>
        %157 = stablehlo.multiply %154, %156 : tensor<i64>
        %158 = stablehlo.constant dense<2> : tensor<i64>
        %159 = stablehlo.divide %157, %158 : tensor<i64>
        %160 = stablehlo.add %159, %c150_0 : tensor<i64>
        %161 = stablehlo.convert %160 : (tensor<i64>) -> tensor<f64>
        %162 = stablehlo.constant dense<1.0> : tensor<f64>
        %163 = stablehlo.divide %162, %161 : tensor<f64>
        %164 = stablehlo.constant dense<1> : tensor<i64>
        %165 = stablehlo.subtract %c150_0, %164 : tensor<i64>
        %166 = stablehlo.constant dense<1> : tensor<i64>
        %167 = stablehlo.compare GE, %c150_0, %166 : (tensor<i64>, tensor<i64>) -> tensor<i1>
        %168 = stablehlo.constant dense<100> : tensor<i64>
        %169 = stablehlo.compare LE, %c150_0, %168 : (tensor<i64>, tensor<i64>) -> tensor<i1>
        %170 = stablehlo.and %167, %169 : tensor<i1>
        "weft.check"(%170, %c150_0) {message = "BoundsError: attempt to access array at index [{}]"} : (tensor<i1>, tensor<i64>) -> ()
        %171 = stablehlo.dynamic_slice %w100#1, %165, sizes = [1] : (tensor<100xf64>, tensor<i64>) -> tensor<1xf64>
        %172 = stablehlo.reshape %171 : (tensor<1xf64>) -> tensor<f64>
        %173 = stablehlo.multiply %163, %172 : tensor<f64>
        %174 = stablehlo.add %c150_1, %173 : tensor<f64>
        %175 = stablehlo.constant dense<1> : tensor<i64>
        %176 = stablehlo.add %c150_0, %175 : tensor<i64>
        stablehlo.return %176, %174 : tensor<i64>, tensor<f64>
      }
      %177 = stablehlo.constant dense<1> : tensor<i64>
      %178 = stablehlo.subtract %c145_0, %177 : tensor<i64>
      %179 = stablehlo.constant dense<1> : tensor<i64>
      %180 = stablehlo.compare GE, %c145_0, %179 : (tensor<i64>, tensor<i64>) -> tensor<i1>
      %181 = stablehlo.constant dense<100> : tensor<i64>
      %182 = stablehlo.compare LE, %c145_0, %181 : (tensor<i64>, tensor<i64>) -> tensor<i1>
      %183 = stablehlo.and %180, %182 : tensor<i1>
      "weft.check"(%183, %c145_0) {message = "BoundsError: attempt to access array at index [{}]"} : (tensor<i1>, tensor<i64>) -> ()
      %184 = stablehlo.reshape %w150#1 : (tensor<f64>) -> tensor<1xf64>
      %185 = stablehlo.dynamic_update_slice %c145_1, %184, %178 : (tensor<100xf64>, tensor<1xf64>, tensor<i64>) -> tensor<100xf64>
      %186 = stablehlo.constant dense<1> : tensor<i64>
      %187 = stablehlo.add %c145_0, %186 : tensor<i64>
      stablehlo.return %187, %185 : tensor<i64>, tensor<100xf64>
    }
    %188 = stablehlo.constant dense<1> : tensor<i64>
    %189 = stablehlo.add %c6_0, %188 : tensor<i64>
    stablehlo.return %189, %w145#1, %w55#1, %w100#1 : tensor<i64>, tensor<100xf64>, tensor<100xf64>, tensor<100xf64>
  }
  %190 = stablehlo.constant dense<0.0> : tensor<f64>
  %191 = stablehlo.constant dense<100> : tensor<i64>
  %192 = stablehlo.constant dense<1> : tensor<i64>
  %w193:3 = stablehlo.while(%c193_0 = %192, %c193_1 = %190, %c193_2 = %190) : tensor<i64>, tensor<f64>, tensor<f64>
  cond {
    %194 = stablehlo.compare LE, %c193_0, %191 : (tensor<i64>, tensor<i64>) -> tensor<i1>
    stablehlo.return %194 : tensor<i1>
  } do {
    %195 = stablehlo.constant dense<1> : tensor<i64>
    %196 = stablehlo.subtract %c193_0, %195 : tensor<i64>
    %197 = stablehlo.constant dense<1> : tensor<i64>
    %198 = stablehlo.compare GE, %c193_0, %197 : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %199 = stablehlo.constant dense<100> : tensor<i64>
    %200 = stablehlo.compare LE, %c193_0, %199 : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %201 = stablehlo.and %198, %200 : tensor<i1>
    "weft.check"(%201, %c193_0) {message = "BoundsError: attempt to access array at index [{}]"} : (tensor<i1>, tensor<i64>) -> ()
    %202 = stablehlo.dynamic_slice %w6#2, %196, sizes = [1] : (tensor<100xf64>, tensor<i64>) -> tensor<1xf64>
    %203 = stablehlo.reshape %202 : (tensor<1xf64>) -> tensor<f64>
    %204 = stablehlo.constant dense<1> : tensor<i64>
    %205 = stablehlo.subtract %c193_0, %204 : tensor<i64>
    %206 = stablehlo.constant dense<1> : tensor<i64>
    %207 = stablehlo.compare GE, %c193_0, %206 : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %208 = stablehlo.constant dense<100> : tensor<i64>
    %209 = stablehlo.compare LE, %c193_0, %208 : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %210 = stablehlo.and %207, %209 : tensor<i1>
    "weft.check"(%210, %c193_0) {message = "BoundsError: attempt to access array at index [{}]"} : (tensor<i1>, tensor<i64>) -> ()
    %211 = stablehlo.dynamic_slice %w6#1, %205, sizes = [1] : (tensor<100xf64>, tensor<i64>) -> tensor<1xf64>
    %212 = stablehlo.reshape %211 : (tensor<1xf64>) -> tensor<f64>
    %213 = stablehlo.multiply %212, %203 : tensor<f64>
    %214 = stablehlo.add %c193_1, %213 : tensor<f64>
    %215 = stablehlo.multiply %203, %203 : tensor<f64>
    %216 = stablehlo.add %c193_2, %215 : tensor<f64>
    %217 = stablehlo.constant dense<1> : tensor<i64>
    %218 = stablehlo.add %c193_0, %217 : tensor<i64>
    stablehlo.return %218, %214, %216 : tensor<i64>, tensor<f64>, tensor<f64>
  }
  %219 = stablehlo.divide %w193#1, %w193#2 : tensor<f64>
  %220 = stablehlo.sqrt %219 : tensor<f64>
  return %220 : tensor<f64>
}

# Control flow, operators and calls.
function collatz(n::Integer; limit = typemax(Int))
    steps = 0
    while n != 1 && steps < limit
        n = iseven(n) ? n ÷ 2 : 3n + 1
        steps += 1
    end
    return steps, n
end

f(x) = x
f(x, y...) = (x, y)
f(; a, b = 2, kw...) = a + b
g(x::T, ::Type{S} = Int; k::S = one(S)) where {T, S <: Number} = x
h = x -> x^2
h2 = (x, y = 1; z = 2) -> begin
    x + y + z
end
h3 = () -> nothing
h4 = function (x, y) x * y end
∑(xs) = reduce(+, xs; init = 0)
x₁′, x₂ = 1, 2
x₁′ += 1; x₂ -= 1; y = x₁′ *= 2
a, (b, c), d... = 1, (2, 3), 4, 5
(; a, b) = (a = 1, b = 2)
nt = (; x = 1, y = 2, nt...)
one_tuple = (1,)
block = (println("side effect"); 42)
1 < 2 <= 3 == 3 != 4 ∈ [4]
a || b && !c
a | b & c ⊻ d << 2 >>> 1
x |> sin |> cos
f ∘ g
-2^2 + +3 - -4
1:2:10, 1.:2., a:b
1 // 2 * 3im
p => q => r
x .+ y .* z .^ 2 .== w .&& v .|| u
@. x = sin(y) + 2z^2
.+(a, b), +(a, b), (+)(1, 2), -(1)
a <: B, B >: a, <:(A, B)
x::Int = 3
::Int
f(args...; kwargs...)
map(xs) do x
    x > 0 || return 0
    x
end
open("file") do io; read(io) end
A.B.c.d(1)[2].e{Int}
M.@mac(x, y) + @mac x y
if x > 0
    1
elseif x < 0; -1
else
    0
end
for i in 1:3, j = i:3; println(i, j); end
for (k, v) in pairs(d) outer end
for outer i in 1:2 end
try
    error("x")
catch e
    rethrow()
else
    1
finally
    cleanup()
end
try risky() catch end
begin
    local q, r = divrem(7, 2)
    global gg = 1
end
quote
    $x + $(y...)
end
:($(a)(b) = $c)
Base.@kwdef struct P
    a::Int = 1
    b = 2.0
end
#= block #= nested =# comment =#
x = 3 # line comment
if true end; while false end
abstract = 1; type = 2; mutable = 3; in(1, [1]); isa(1, Int); 1 isa Int; 2 in [2]
0x1f, 0b1010, 0o17, 1_000_000, 1e3, 1.5f0, .5, 5., 0x1.8p3, 123456789012345678901234567890
x = if a; b else c end
2(3 + 4)x, (1)(2)
√2 * ∛8
a ± b ∓ c
foo!(x) ? y! : z!
begin end
return

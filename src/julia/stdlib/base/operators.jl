# Comparison, choice and the operators with many operands, for any values.

export ==, !=, ≠, ===, !==, ≡, ≢, <, <=, ≤, >, >=, ≥, isless, isequal, isunordered, cmp, min, max, minmax, clamp, clamp!, ifelse, !
export +, -, *, /, \, ÷, %, ^, //, &, |, ~, <<, >>, >>>, xor, ⊻, nand, ⊼, nor, ⊽, √, ∛, ∜, ≈, ≉, inv, div, rem, mod

==(x, y) = x === y
!=(x, y) = !(x == y)
!==(x, y) = !(x === y)
const ≠ = !=
const ≡ = ===
const ≢ = !==
isequal(x, y) = (x == y)::Bool
<(x, y) = isless(x, y)
>(x, y) = y < x
<=(x, y) = (x < y) | (x == y)
>=(x, y) = y <= x
const ≤ = <=
const ≥ = >=
cmp(x, y) = isless(x, y) ? -1 : ifelse(isless(y, x), 1, 0)
cmp(lt, x, y) = lt(x, y) ? -1 : ifelse(lt(y, x), 1, 0)
isunordered(x) = false

Val{x}() where {x} = _instance(Val{x})
Val(x) = _instance(Val{x})

!(x::Bool) = _not(x)
ifelse(condition::Bool, x, y) = condition ? x : y

min(x, y) = ifelse(isless(y, x), y, x)
max(x, y) = ifelse(isless(y, x), x, y)
minmax(x, y) = isless(y, x) ? (y, x) : (x, y)
function clamp(x, low, high)
    T = promote_type(typeof(x), typeof(low), typeof(high))
    return ifelse(x > high, convert(T, high), ifelse(x < low, convert(T, low), convert(T, x)))
end
function clamp!(x::AbstractArray, low, high)
    for i in eachindex(x)
        x[i] = clamp(x[i], low, high)
    end
    return x
end
clamp(x, ::Type{T}) where {T<:Integer} = clamp(x, typemin(T), typemax(T)) % T

afoldl(op, a) = a
afoldl(op, a, b) = op(a, b)
function afoldl(op, a, b, cs...)
    r = op(a, b)
    for c in cs
        r = op(r, c)
    end
    return r
end

+(a, b, c, xs...) = afoldl(+, (a + b) + c, xs...)
*(a, b, c, xs...) = afoldl(*, (a * b) * c, xs...)
(&)(a, b, c, xs...) = afoldl(&, (a & b) & c, xs...)
|(a, b, c, xs...) = afoldl(|, (a | b) | c, xs...)
xor(a, b, c, xs...) = afoldl(xor, xor(xor(a, b), c), xs...)
min(a, b, c, xs...) = afoldl(min, min(min(a, b), c), xs...)
max(a, b, c, xs...) = afoldl(max, max(max(a, b), c), xs...)

nand(x...) = ~(&)(x...)
nor(x...) = ~(|)(x...)

function div end
function rem end
const ⊻ = xor
const ⊼ = nand
const ⊽ = nor
const ÷ = div
const % = rem

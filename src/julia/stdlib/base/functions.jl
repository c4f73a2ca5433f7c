# Functions of functions: composition, arguments fixed in advance, constants.

export identity, ∘, ComposedFunction, |>, Returns, splat, Fix1, Fix2, ∈, ∉, ∋, ∌

identity(x) = x

const Fix1{F,T} = Fix{1,F,T}
const Fix2{F,T} = Fix{2,F,T}
Fix{N}(f, x) where {N} = _new(Fix{N,_Typeof(f),_Typeof(x)}, f, x)
_Typeof(x) = typeof(x)
_Typeof(::Type{T}) where {T} = Type{T}
(f::Fix{1})(x) = f.f(f.x, x)
(f::Fix{2})(x) = f.f(x, f.x)
(f::Fix{1})(x, xs...; k...) = f.f(f.x, x, xs...; k...)
(f::Fix{2})(x, xs...; k...) = f.f(x, f.x, xs...; k...)

==(x) = Fix2(==, x)
!=(x) = Fix2(!=, x)
>(x) = Fix2(>, x)
>=(x) = Fix2(>=, x)
<(x) = Fix2(<, x)
<=(x) = Fix2(<=, x)
isequal(x) = Fix2(isequal, x)
isless(x) = Fix2(isless, x)
in(x) = Fix2(in, x)
!==(x) = Fix2(!==, x)

∘(f) = f
∘(f, g) = _new(ComposedFunction{_Typeof(f),_Typeof(g)}, f, g)
∘(f, g, h...) = ∘(f ∘ g, h...)
ComposedFunction(f, g) = f ∘ g
(c::ComposedFunction)(x...; k...) = c.outer(c.inner(x...; k...))
(c::ComposedFunction)(x) = c.outer(c.inner(x))
!(f::Function) = (!) ∘ f
!(f::ComposedFunction{typeof(!)}) = f.inner

|>(x, f) = f(x)

Returns(value::V) where {V} = _new(Returns{_Typeof(value)}, value)
(r::Returns)(arguments...; keywords...) = r.value

splat(f) = Splat(f)
struct Splat{F} <: Function
    f::F
end
(s::Splat)(arguments) = s.f(arguments...)
show(io::IO, s::Splat) = (print(io, "splat("); show(io, s.f); print(io, ")"))

function show(io::IO, c::ComposedFunction)
    if c.outer === !
        print(io, '!')
        return _show_composed_inner(io, c.inner)
    end
    _show_composed(io, c.outer)
    print(io, " ∘ ")
    _show_composed_inner(io, c.inner)
end
_show_composed(io, f) = show(io, f)
_show_composed(io, f::Function) = isletter(first(repr(f))) ? show(io, f) : print(io, '(', repr(f), ')')
_show_composed_inner(io, f) = _show_composed(io, f)
_show_composed_inner(io, f::ComposedFunction) = print(io, '(', repr(f), ')')
_show_composed(io, f::ComposedFunction) = (_show_composed(io, f.outer); print(io, " ∘ "); _show_composed(io, f.inner))

in(x, itr) = _in(x, itr)
∉(x, itr) = !in(x, itr)
∉(itr) = Fix2(∉, itr)
∋(itr, x) = in(x, itr)
∋(x) = Fix2(∋, x)
∌(itr, x) = !in(x, itr)
∌(x) = Fix2(∌, x)
const ∈ = in
hasfastin(x) = false
hasfastin(x::AbstractSet) = true
hasfastin(x::AbstractDict) = true
hasfastin(x::AbstractRange) = true
hasfastin(::Type{<:Union{AbstractSet,AbstractDict,AbstractRange}}) = true

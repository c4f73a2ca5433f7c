# What values are drawn from: rand(rng, X) asks for a sampler of X, and the sampler for a value.

abstract type Sampler{E} end

struct SamplerType{T} <: Sampler{T} end
getindex(::SamplerType{T}) where {T} = T

struct SamplerTrivial{T,E} <: Sampler{E}
    self::T
end
SamplerTrivial(x::T) where {T} = SamplerTrivial{T,gentype(T)}(x)
getindex(sp::SamplerTrivial) = sp.self

struct SamplerSimple{T,S,E} <: Sampler{E}
    self::T
    data::S
end
SamplerSimple(x::T, data::S) where {T,S} = SamplerSimple{T,S,gentype(T)}(x, data)
getindex(sp::SamplerSimple) = sp.self

struct SamplerTag{T,S,E} <: Sampler{E}
    data::S
    SamplerTag{T}(data::S) where {T,S} = new{T,S,gentype(T)}(data)
end

"A range of machine integers."
struct SamplerRange{T} <: Sampler{T}
    first::T
    last::T
end

gentype(::Type{T}) where {T} = eltype(T)
gentype(::Type{T}) where {T<:Sampler} = eltype(T)
gentype(x) = gentype(typeof(x))
eltype(::Type{<:Sampler{E}}) where {E} = E

const Repetition = Union{Val{1},Val{Inf}}

Sampler(rng::AbstractRNG, x, n::Repetition=Val(Inf)) = Sampler(typeof(rng), x, n)
Sampler(rng::AbstractRNG, ::Type{X}, n::Repetition=Val(Inf)) where {X} = Sampler(typeof(rng), X, n)
Sampler(::Type{<:AbstractRNG}, sp::Sampler, ::Repetition) = sp
Sampler(::Type{<:AbstractRNG}, x, ::Repetition) = SamplerTrivial(x)
Sampler(::Type{<:AbstractRNG}, ::Type{X}, ::Repetition) where {X} = SamplerType{X}()

rand(rng::AbstractRNG, sp::Sampler) =
    throw(ArgumentError("Sampler for this object is not defined"))

# ---- ranges and arrays

function Sampler(::Type{<:AbstractRNG}, r::AbstractUnitRange{T}, ::Repetition) where {T<:Base.BitInteger}
    isempty(r) && throw(ArgumentError("collection must be non-empty"))
    return SamplerRange{T}(first(r), last(r))
end
rand(rng::AbstractRNG, sp::SamplerRange) = _rng_between(rng, sp.first, sp.last)

Sampler(R::Type{<:AbstractRNG}, a::AbstractArray, n::Repetition) =
    SamplerSimple(a, Sampler(R, firstindex(a):lastindex(a), n))
rand(rng::AbstractRNG, sp::SamplerSimple{<:AbstractArray}) = sp.self[rand(rng, sp.data)]

# ---- dictionaries, sets, strings

function _entry(rng::AbstractRNG, d)
    isempty(d) && throw(ArgumentError("collection must be non-empty"))
    n = _dict_slot_count(d)
    while true
        entry = _dict_slot(d, _rng_between(rng, 1, n))
        entry === nothing || return entry
    end
end
rand(rng::AbstractRNG, sp::SamplerTrivial{<:Dict}) = _entry(rng, sp.self)
rand(rng::AbstractRNG, sp::SamplerTrivial{<:Set}) = _entry(rng, sp.self.dict).first

function _nth(itr, n::Integer)
    for (i, x) in enumerate(itr)
        i == n && return x
    end
end
Sampler(R::Type{<:AbstractRNG}, t::Union{AbstractDict,AbstractSet}, n::Val{Inf}) = Sampler(R, collect(t), n)
Sampler(::Type{<:AbstractRNG}, t::Union{AbstractDict,AbstractSet}, ::Val{1}) = SamplerTrivial(t)
Sampler(::Type{<:AbstractRNG}, d::Dict, ::Val{Inf}) = SamplerTrivial(d)
Sampler(::Type{<:AbstractRNG}, d::Dict, ::Val{1}) = SamplerTrivial(d)
Sampler(::Type{<:AbstractRNG}, s::Set, ::Val{Inf}) = SamplerTrivial(s)
Sampler(::Type{<:AbstractRNG}, s::Set, ::Val{1}) = SamplerTrivial(s)
rand(rng::AbstractRNG, sp::SamplerTrivial{<:Union{AbstractDict,AbstractSet}}) =
    _nth(sp.self, rand(rng, 1:length(sp.self)))

Sampler(R::Type{<:AbstractRNG}, s::AbstractString, n::Val{Inf}) = Sampler(R, collect(s), n)
Sampler(R::Type{<:AbstractRNG}, s::AbstractString, ::Val{1}) = SamplerSimple(s, Sampler(R, 1:ncodeunits(s), Val(Inf)))
function rand(rng::AbstractRNG, sp::SamplerSimple{<:AbstractString})
    while true
        i = rand(rng, sp.data)
        isvalid(sp.self, i) && return sp.self[i]
    end
end

# ---- tuples

Sampler(::Type{<:AbstractRNG}, t::Tuple, ::Repetition) = SamplerTrivial(t)
rand(rng::AbstractRNG, sp::SamplerTrivial{<:Tuple}) = sp.self[_tuple_index(rng, length(sp.self))]
function _tuple_index(rng::AbstractRNG, n::Int)
    n == 0 && throw(ArgumentError("collection must be non-empty"))
    n == 1 && return 1
    n == 2 && return 1 + Int(rand(rng, Bool))
    if n == 3
        r = 0x000fffffffffffff
        while r == 0x000fffffffffffff
            r = _rng_bits52(rng)
        end
        return 1 + Int(div(r, 0x0005555555555555))
    end
    ispow2(n) && return 1 + Int(rand(rng, UInt32) & UInt32(n - 1))
    return rand(rng, 1:n)
end

rand(rng::AbstractRNG, ::SamplerType{T}) where {T<:Tuple} = map(S -> rand(rng, S), Tuple(fieldtypes(T)))
rand(rng::AbstractRNG, ::SamplerType{Pair{A,B}}) where {A,B} = rand(rng, A) => rand(rng, B)

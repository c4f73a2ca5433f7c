# Permutations and random parts of arrays.

randperm!(rng::AbstractRNG, A::Array{T}) where {T<:Base.BitInteger} = _rng_permutation(rng, A)
randperm!(A::Array{<:Integer}) = randperm!(GLOBAL_RNG, A)
randperm(rng::AbstractRNG, n::T) where {T<:Integer} = randperm!(rng, Vector{T}(undef, n))
randperm(n::Integer) = randperm(GLOBAL_RNG, n)

randcycle!(rng::AbstractRNG, A::Array{T}) where {T<:Base.BitInteger} = _rng_cycle(rng, A)
randcycle!(A::Array{<:Integer}) = randcycle!(GLOBAL_RNG, A)
randcycle(rng::AbstractRNG, n::T) where {T<:Integer} = randcycle!(rng, Vector{T}(undef, n))
randcycle(n::Integer) = randcycle(GLOBAL_RNG, n)

shuffle!(rng::AbstractRNG, A::Array) = _rng_shuffle(rng, A)
shuffle!(rng::AbstractRNG, A::BitArray) = _rng_shuffle(rng, A)
function shuffle!(rng::AbstractRNG, A::AbstractArray)
    mask = 3
    for i in 2:length(A)
        j = 1 + _rng_masked(rng, i - 1, mask)
        A[i], A[j] = A[j], A[i]
        i == 1 + mask && (mask = 2 * mask + 1)
    end
    return A
end
shuffle!(A::AbstractArray) = shuffle!(GLOBAL_RNG, A)
shuffle(rng::AbstractRNG, A::AbstractArray) = shuffle!(rng, Base.copymutable(A))
shuffle(rng::AbstractRNG, r::Base.OneTo) = randperm(rng, last(r))
shuffle(A::AbstractArray) = shuffle(GLOBAL_RNG, A)

function randsubseq!(rng::AbstractRNG, S::AbstractArray, A::AbstractArray, p::Real)
    0 <= p <= 1 || throw(ArgumentError("probability $p not in [0,1]"))
    n = length(A)
    empty!(S)
    p == 0 && return S
    if p == 1
        append!(S, A)
        return S
    end
    if p > 0.15
        for x in A
            rand(rng) <= p && push!(S, x)
        end
        return S
    end
    # How far it is to the next chosen element has a geometric distribution.
    scale = -1 / log1p(-p)
    i = 0
    while true
        s = randexp(rng) * scale
        s >= n - i && return S
        i += ceil(Int, s)
        push!(S, A[i])
    end
end
randsubseq!(S::AbstractArray, A::AbstractArray, p::Real) = randsubseq!(GLOBAL_RNG, S, A, p)
randsubseq(rng::AbstractRNG, A::AbstractArray{T}, p::Real) where {T} = randsubseq!(rng, T[], A, p)
randsubseq(A::AbstractArray, p::Real) = randsubseq(GLOBAL_RNG, A, p)

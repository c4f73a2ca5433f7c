# Sets of integers as bits.

BitSet() = _new(BitSet, UInt64[], 0)
BitSet(n::Integer) = push!(BitSet(), n)
BitSet(itr) = union!(BitSet(), itr)
# The bits hold the numbers from 64 * offset on.
function _bits_for!(s::BitSet, word::Int)
    if isempty(s.bits)
        s.offset = word
        push!(s.bits, UInt64(0))
    elseif word < s.offset
        s.bits = vcat(zeros(UInt64, s.offset - word), s.bits)
        s.offset = word
    elseif word >= s.offset + length(s.bits)
        append!(s.bits, zeros(UInt64, word - s.offset - length(s.bits) + 1))
    end
    return word - s.offset + 1
end
function push!(s::BitSet, x)
    n = Int(x)
    i = _bits_for!(s, fld(n, 64))
    s.bits[i] |= UInt64(1) << mod(n, 64)
    return s
end
function in(x::Integer, s::BitSet)
    typemin(Int) <= x <= typemax(Int) || return false
    n = Int(x)
    i = fld(n, 64) - s.offset + 1
    return 1 <= i <= length(s.bits) && (s.bits[i] >> mod(n, 64)) & 1 == 1
end
in(x, s::BitSet) = isinteger(x) && Int(x) in s
function delete!(s::BitSet, x)
    n = Int(x)
    n in s && (s.bits[fld(n, 64)-s.offset+1] &= ~(UInt64(1) << mod(n, 64)))
    return s
end
function iterate(s::BitSet, state::Tuple{Int,UInt64} = (1, isempty(s.bits) ? UInt64(0) : s.bits[1]))
    i, word = state
    while word == 0
        i += 1
        i > length(s.bits) && return nothing
        word = s.bits[i]
    end
    k = trailing_zeros(word)
    return (64 * (s.offset + i - 1) + k, (i, word & (word - 1)))
end
length(s::BitSet) = isempty(s.bits) ? 0 : sum(count_ones, s.bits)
isempty(s::BitSet) = all(iszero, s.bits)
eltype(::Type{BitSet}) = Int
copy(s::BitSet) = _new(BitSet, copy(s.bits), s.offset)
copymutable(s::BitSet) = copy(s)
empty(::BitSet) = BitSet()
empty(::BitSet, ::Type{Int}) = BitSet()
emptymutable(::BitSet, ::Type{Int} = Int) = BitSet()
function empty!(s::BitSet)
    empty!(s.bits)
    return s
end
sizehint!(s::BitSet, n::Integer; shrink::Bool = true) = s
first(s::BitSet) = isempty(s) ? throw(ArgumentError("collection must be non-empty")) : iterate(s)[1]
function last(s::BitSet)
    isempty(s) && throw(ArgumentError("collection must be non-empty"))
    i = findlast(!iszero, s.bits)
    return 64 * (s.offset + i - 1) + 63 - leading_zeros(s.bits[i])
end
minimum(s::BitSet) = first(s)
maximum(s::BitSet) = last(s)
extrema(s::BitSet) = (first(s), last(s))
function pop!(s::BitSet, x)
    x in s || throw(KeyError(x))
    delete!(s, x)
    return Int(x)
end
pop!(s::BitSet, x, default) = x in s ? pop!(s, x) : default
function pop!(s::BitSet)
    n = last(s)
    delete!(s, n)
    return n
end
popfirst!(s::BitSet) = pop!(s, first(s))
union(s::BitSet, sets...) = union!(copy(s), sets...)
show(io::IO, s::BitSet) = print(io, "BitSet(", repr(collect(s)), ")")
function show(io::IO, ::MIME{Symbol("text/plain")}, s::BitSet)
    print(io, "BitSet with ", length(s), length(s) == 1 ? " element" : " elements")
    isempty(s) || print(io, ":")
    for n in s
        print(io, "\n  ", n)
    end
end

hash(s::BitSet, h::UInt) = hash(Set{Int}(s), h)
hash(s::BitSet) = hash(Set{Int}(s))

export BitSet

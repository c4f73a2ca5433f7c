# Elements and places that pass a test.

export filter, filter!, findall, findfirst, findlast, findnext, findprev, searchsorted, searchsortedfirst, searchsortedlast, insorted, indexin

# ---- filter

filter(f) = Fix1(filter, f)
filter(f, A::AbstractArray) = vec(A)[_findall(f, A)]
filter(f, A::AbstractVector) = A[_findall(f, A)]
filter(f, A::Array) = vec(A)[_findall(f, A)]
filter(f, itr::Filter) = collect(lazy_filter(f, itr))
filter(f, t::Tuple) = _filter_tuple(f, t)
_filter_tuple(f, ::Tuple{}) = ()
_filter_tuple(f, t::Tuple) = f(t[1]) ? (t[1], _filter_tuple(f, tail(t))...) : _filter_tuple(f, tail(t))
function filter(f, t::NamedTuple{names}) where {names}
    kept = _filter_tuple(n -> f(getfield(t, n)), names)
    return NamedTuple{kept}(map(n -> getfield(t, n), kept))
end
function filter!(f, v::AbstractVector)
    return _replace_all!(v, v[_findall(f, v)])
end

# ---- places: all

findall(A::AbstractVector) = _findall(_as_bool, A)
findall(A::AbstractVector{Bool}) = _findall(identity, A)
findall(A::AbstractArray{Bool}) = _keys_at(A, _findall(identity, A))
findall(A::AbstractArray) = _keys_at(A, _findall(_as_bool, A))
findall(f::Function, A::AbstractVector) = _findall(f, A)
findall(f::Function, A::AbstractArray) = _keys_at(A, _findall(f, A))
findall(f::Function, A) = [k for (k, x) in pairs(A) if f(x)]
findall(A) = [k for (k, x) in pairs(A) if x]
findall(f::Function, x::Number) = f(x) ? [1] : Int[]
findall(x::Bool) = x ? [1] : Int[]
findall(f::Function, g::Generator) = [k for (k, x) in zip(keys(g.iter), g) if f(x)]
_as_bool(x) = x::Bool

# Among real numbers the elements are sought by isequal, NaN too.
findall(p::Fix{2,typeof(in),<:Union{Array{<:Real},Real}}, A::Vector{<:Real}) = _findall(in(Set(p.x)), A)

function indexin(a, b::AbstractArray)
    places = Dict{eltype(b),keytype(b)}()
    for (k, x) in pairs(b)
        get!(places, x, k)
    end
    return Union{keytype(b),Nothing}[get(places, x, nothing) for x in a]
end

# ---- places: the next

findnext(f::Function, A::AbstractArray, i::Integer) = _found(_findnext(f, A, Int(i)))
findprev(f::Function, A::AbstractArray, i::Integer) = _found(_findprev(f, A, Int(i)))
findnext(A::AbstractArray, i::Integer) = _found(_findnext(_as_bool, A, Int(i)))
findprev(A::AbstractArray, i::Integer) = _found(_findprev(_as_bool, A, Int(i)))
findnext(f::Function, A::AbstractArray, I::CartesianIndex) = _found_in(A, _findnext(f, A, LinearIndices(A)[I]))
findprev(f::Function, A::AbstractArray, I::CartesianIndex) = _found_in(A, _findprev(f, A, LinearIndices(A)[I]))
findnext(A::AbstractArray, I::CartesianIndex) = findnext(_as_bool, A, I)
findprev(A::AbstractArray, I::CartesianIndex) = findprev(_as_bool, A, I)
_found(i) = i == 0 ? nothing : i
_found_in(A, i) = i == 0 ? nothing : _key_at(A, i)

findfirst(f::Function, A::AbstractArray) = _found_in(A, _findnext(f, A, 1))
findlast(f::Function, A::AbstractArray) = _found_in(A, _findprev(f, A, length(A)))
findfirst(A::AbstractArray) = _found_in(A, _findnext(_as_bool, A, 1))
findfirst(A::AbstractArray{Bool}) = _found_in(A, _findnext(identity, A, 1))
findlast(A::AbstractArray) = _found_in(A, _findprev(_as_bool, A, length(A)))
function findfirst(f::Function, A)
    for (k, x) in pairs(A)
        f(x) && return k
    end
    return nothing
end
function findlast(f::Function, A)
    for (k, x) in lazy_reverse(pairs(A))
        f(x) && return k
    end
    return nothing
end
findfirst(A) = findfirst(_as_bool, A)
findlast(A) = findlast(_as_bool, A)
findfirst(x::Bool) = x ? 1 : nothing
findlast(x::Bool) = x ? 1 : nothing
findfirst(f::Function, x::Number) = f(x) ? 1 : nothing
findlast(f::Function, x::Number) = f(x) ? 1 : nothing
function findnext(f::Function, A, i)
    for (k, x) in pairs(A)
        k >= i && f(x) && return k
    end
    return nothing
end
function findprev(f::Function, A, i)
    for (k, x) in lazy_reverse(pairs(A))
        k <= i && f(x) && return k
    end
    return nothing
end
findnext(A, i) = findnext(_as_bool, A, i)
findprev(A, i) = findprev(_as_bool, A, i)

# ---- a run of bytes in bytes

const ByteVector = AbstractVector{<:Union{Int8,UInt8}}
_matches_at(pattern, A, i) = all(k -> A[i+k-1] == pattern[k], eachindex(pattern))
function findnext(pattern::ByteVector, A::ByteVector, start::Integer)
    n = length(pattern)
    for i in max(start, 1):length(A)-n+1
        _matches_at(pattern, A, i) && return i:i+n-1
    end
    return nothing
end
function findprev(pattern::ByteVector, A::ByteVector, start::Integer)
    n = length(pattern)
    for i in min(start, length(A))-n+1:-1:1
        _matches_at(pattern, A, i) && return i:i+n-1
    end
    return nothing
end
findfirst(pattern::ByteVector, A::ByteVector) = findnext(pattern, A, 1)
findlast(pattern::ByteVector, A::ByteVector) = findprev(pattern, A, length(A))
function findall(pattern::ByteVector, A::ByteVector; overlap::Bool=false)
    found = UnitRange{Int}[]
    i = 1
    while true
        r = findnext(pattern, A, i)
        r === nothing && return found
        push!(found, r)
        i = overlap ? first(r) + 1 : max(last(r), first(r)) + 1
    end
end

# ---- in sorted vectors

function _first_not_less(v, x, less)
    low, high = 0, length(v) + 1
    while low < high - 1
        middle = low + ((high - low) >>> 1)
        if less(v[middle], x)
            low = middle
        else
            high = middle
        end
    end
    return high
end
function _last_not_greater(v, x, less)
    low, high = 0, length(v) + 1
    while low < high - 1
        middle = low + ((high - low) >>> 1)
        if less(x, v[middle])
            high = middle
        else
            low = middle
        end
    end
    return low
end
searchsortedfirst(v, x; lt=isless, by=identity, rev=nothing, order=Forward) =
    _first_not_less(v, x, _Less(ord(lt, by, rev, order)))
searchsortedlast(v, x; lt=isless, by=identity, rev=nothing, order=Forward) =
    _last_not_greater(v, x, _Less(ord(lt, by, rev, order)))
function searchsorted(v, x; lt=isless, by=identity, rev=nothing, order=Forward)
    less = _Less(ord(lt, by, rev, order))
    return _first_not_less(v, x, less):_last_not_greater(v, x, less)
end
insorted(x, v; k...) = !isempty(searchsorted(v, x; k...))
insorted(x, r::AbstractRange) = in(x, r)

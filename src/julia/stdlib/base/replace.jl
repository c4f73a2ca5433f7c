# Elements replaced by others.

export replace, replace!

struct _NotReplaced end
_replacement(x, ::Tuple{}) = _NotReplaced()
_replacement(x, pairs::Tuple) = isequal(x, first(pairs[1])) ? last(pairs[1]) : _replacement(x, tail(pairs))

replace!(A::AbstractArray, old_new::Pair...; count::Integer=typemax(Int)) = _replaced!(A, A, old_new, count)
function _replaced!(to, A, old_new, count)
    _check_count(count)
    n = 0
    for i in eachindex(A)
        x = A[i]
        y = n < count ? _replacement(x, old_new) : _NotReplaced()
        if y isa _NotReplaced
            to[i] = x
        else
            to[i] = y
            n += 1
        end
    end
    return to
end
function replace!(f, A::AbstractArray; count::Integer=typemax(Int))
    _check_count(count)
    n = 0
    for i in eachindex(A)
        n < count || break
        x = A[i]
        y = f(x)
        y === x && continue
        A[i] = y
        n += 1
    end
    return A
end
_check_count(count) = count < 0 && throw(DomainError(count, "`count` must not be negative (got $count)"))

function replace(A::AbstractArray, old_new::Pair...; count::Integer=typemax(Int))
    T = promote_type(eltype(A), map(p -> typeof(last(p)), old_new)...)
    return _replaced!(similar(A, _without_replaced(T, eltype(A), old_new, count)), A, old_new, count)
end
# Where all of missing (or nothing) goes, the element type says so.
_without_replaced(::Type{T}, ::Type{S}, old_new, count) where {T,S} =
    count < typemax(Int) ? T : _without_singletons(T, old_new)
_without_singletons(::Type{T}, ::Tuple{}) where {T} = T
function _without_singletons(::Type{T}, old_new::Tuple) where {T}
    (old, new) = old_new[1]
    rest = _without_singletons(T, tail(old_new))
    old isa Union{Missing,Nothing} && !(new isa typeof(old)) && return nonmissing_of(rest, typeof(old))
    return rest
end
nonmissing_of(::Type{T}, ::Type{Missing}) where {T} = nonmissingtype(T)
nonmissing_of(::Type{T}, ::Type{Nothing}) where {T} = nonnothingtype(T)
replace(f::Function, A::AbstractArray; count::Integer=typemax(Int)) = replace!(f, copymutable(A); count=count)
replace(t::Tuple, old_new::Pair...; count::Integer=typemax(Int)) = Tuple(replace!(Any[t...], old_new...; count=count))
replace(f::Function, t::Tuple; count::Integer=typemax(Int)) = Tuple(replace!(f, Any[t...]; count=count))

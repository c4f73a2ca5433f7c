# Bidiagonal, tridiagonal and symmetric tridiagonal matrices.

_promoted_vectors(a::AbstractVector{T}, b::AbstractVector{T}) where {T} = a, b
function _promoted_vectors(a::AbstractVector{T}, b::AbstractVector{S}) where {T,S}
    R = promote_type(T, S)
    return _dense(R, a), _dense(R, b)
end

Bidiagonal(dv::AbstractVector, ev::AbstractVector, uplo::Symbol) = _make_bidiagonal(dv, ev, _char_uplo(uplo))
Bidiagonal(dv::AbstractVector, ev::AbstractVector, uplo::AbstractChar) = _make_bidiagonal(dv, ev, _char_uplo(uplo))
function _make_bidiagonal(dv::AbstractVector, ev::AbstractVector, uplo::Char)
    length(ev) == max(length(dv) - 1, 0) ||
        throw(DimensionMismatch("length of diagonal vector is $(length(dv)), length of off-diagonal vector is $(length(ev))"))
    d, e = _same_vectors(dv, ev)
    return _new(Bidiagonal{eltype(d),typeof(d)}, d, e, uplo)
end
_same_vectors(a::V, b::V) where {V<:AbstractVector} = a, b
_same_vectors(a::AbstractVector, b::AbstractVector) = _promoted_vectors(collect(a), collect(b))
function Bidiagonal(A::AbstractMatrix, uplo::Symbol)
    return Bidiagonal(diag(A), diag(A, uplo === :U ? 1 : -1), uplo)
end
Bidiagonal(A::Bidiagonal) = A

function Tridiagonal(dl::AbstractVector, d::AbstractVector, du::AbstractVector)
    n = length(d)
    (length(dl) == length(du) == max(n - 1, 0)) || (n == 0 && isempty(dl) && isempty(du)) ||
        throw(ArgumentError("cannot construct Tridiagonal from incompatible lengths of subdiagonal, diagonal and superdiagonal: ($(length(dl)), $n, $(length(du)))"))
    typeof(dl) === typeof(d) === typeof(du) && return _new(Tridiagonal{eltype(d),typeof(d)}, dl, d, du, d[1:0])
    T = promote_type(eltype(dl), eltype(d), eltype(du))
    return _new(Tridiagonal{T,Vector{T}}, _dense(T, dl), _dense(T, d), _dense(T, du), Vector{T}(undef, 0))
end
Tridiagonal(A::AbstractMatrix) = Tridiagonal(diag(A, -1), diag(A), diag(A, 1))
Tridiagonal(A::Tridiagonal) = A

function SymTridiagonal(dv::AbstractVector, ev::AbstractVector)
    n, m = length(dv), length(ev)
    m == n - 1 || m == n == 0 || (n == 0 && m == 0) ||
        throw(DimensionMismatch("subdiagonal has wrong length. Has length $m, but should be either $(n - 1) or $n."))
    d, e = _same_vectors(dv, ev)
    return _new(SymTridiagonal{eltype(d),typeof(d)}, d, e)
end
function SymTridiagonal(A::AbstractMatrix)
    checksquare(A)
    du = diag(A, 1)
    d = diag(A)
    dl = diag(A, -1)
    if all(((x, y),) -> x == transpose(y), zip(dl, du)) && all(issymmetric, d)
        return SymTridiagonal(d, du)
    end
    throw(ArgumentError("matrix is not symmetric; cannot convert to SymTridiagonal"))
end
SymTridiagonal(A::SymTridiagonal) = A

const Banded{T,V} = Union{Bidiagonal{T,V},Tridiagonal{T,V},SymTridiagonal{T,V}}
size(A::Bidiagonal) = (length(A.dv), length(A.dv))
size(A::Tridiagonal) = (length(A.d), length(A.d))
size(A::SymTridiagonal) = (length(A.dv), length(A.dv))
IndexStyle(::Type{<:Bidiagonal}) = IndexCartesian()
IndexStyle(::Type{<:Tridiagonal}) = IndexCartesian()
IndexStyle(::Type{<:SymTridiagonal}) = IndexCartesian()

_off_band(A::AbstractMatrix{T}, d, i::Int, j::Int) where {T} = zero(T)
_off_band(A::AbstractMatrix{<:AbstractMatrix{T}}, d, i::Int, j::Int) where {T} = zeros(T, size(d[i], 1), size(d[j], 2))
function getindex(A::Bidiagonal, i::Int, j::Int)
    checkbounds(A, i, j)
    i == j && return A.dv[i]
    A.uplo == 'U' && j == i + 1 && return A.ev[i]
    A.uplo == 'L' && i == j + 1 && return A.ev[j]
    return _off_band(A, A.dv, i, j)
end
function getindex(A::Tridiagonal, i::Int, j::Int)
    checkbounds(A, i, j)
    i == j && return A.d[i]
    j == i + 1 && return A.du[i]
    i == j + 1 && return A.dl[j]
    return _off_band(A, A.d, i, j)
end
function getindex(A::SymTridiagonal, i::Int, j::Int)
    checkbounds(A, i, j)
    i == j && return symmetric(A.dv[i], :U)
    j == i + 1 && return A.ev[i]
    i == j + 1 && return _flipped(A.ev[j])
    return _off_band(A, A.dv, i, j)
end
_flipped(x::Number) = x
_flipped(A::AbstractMatrix) = copy(transpose(A))
function setindex!(A::Bidiagonal, v, i::Int, j::Int)
    checkbounds(A, i, j)
    if i == j
        A.dv[i] = v
    elseif A.uplo == 'U' && j == i + 1
        A.ev[i] = v
    elseif A.uplo == 'L' && i == j + 1
        A.ev[j] = v
    elseif !iszero(v)
        throw(ArgumentError("cannot set entry ($i, $j) off the $(A.uplo == 'U' ? "upper" : "lower") bidiagonal band to a nonzero value ($v)"))
    end
    return A
end
function setindex!(A::Tridiagonal, v, i::Int, j::Int)
    checkbounds(A, i, j)
    if i == j
        A.d[i] = v
    elseif j == i + 1
        A.du[i] = v
    elseif i == j + 1
        A.dl[j] = v
    elseif !iszero(v)
        throw(ArgumentError("cannot set entry ($i, $j) off the tridiagonal band to a nonzero value ($v)"))
    end
    return A
end
function setindex!(A::SymTridiagonal, v, i::Int, j::Int)
    checkbounds(A, i, j)
    i == j || throw(ArgumentError("cannot set off-diagonal entry ($i, $j)"))
    A.dv[i] = v
    return A
end

_with_bands(f, A::Bidiagonal) = _make_bidiagonal(f(A.dv), f(A.ev), A.uplo)
_with_bands(f, A::Tridiagonal) = Tridiagonal(f(A.dl), f(A.d), f(A.du))
_with_bands(f, A::SymTridiagonal) = SymTridiagonal(f(A.dv), f(A.ev))
similar(A::Banded{T}) where {T} = _with_bands(similar, A)
similar(A::Banded, ::Type{T}) where {T} = _with_bands(v -> similar(v, T), A)
similar(A::Banded, ::Type{T}, dims::Dims{N}) where {T,N} = Array{T}(undef, dims)
copy(A::Banded) = _with_bands(copy, A)
copymutable(A::Banded) = _with_bands(copymutable, A)
Matrix(A::Banded{T}) where {T} = _dense(T, A)
Array(A::Banded{T}) where {T} = _dense(T, A)
conj(A::Banded) = _with_bands(conj, A)
real(A::Banded) = _with_bands(real, A)
zero(A::Banded) = _with_bands(zero, A)
-(A::Banded) = _with_bands(v -> -v, A)
*(a::Number, A::Banded) = _with_bands(v -> a * v, A)
*(A::Banded, a::Number) = _with_bands(v -> v * a, A)
/(A::Banded, a::Number) = _with_bands(v -> v / a, A)
\(a::Number, A::Banded) = _with_bands(v -> a \ v, A)
adjoint(A::Bidiagonal) = _make_bidiagonal(map(adjoint, A.dv), map(adjoint, A.ev), A.uplo == 'U' ? 'L' : 'U')
transpose(A::Bidiagonal) = _make_bidiagonal(map(transpose, A.dv), map(transpose, A.ev), A.uplo == 'U' ? 'L' : 'U')
adjoint(A::Tridiagonal) = Tridiagonal(map(adjoint, A.du), map(adjoint, A.d), map(adjoint, A.dl))
transpose(A::Tridiagonal) = Tridiagonal(map(transpose, A.du), map(transpose, A.d), map(transpose, A.dl))
adjoint(A::SymTridiagonal{<:Real}) = A
adjoint(A::SymTridiagonal) = SymTridiagonal(map(adjoint, A.dv), map(adjoint, A.ev))
transpose(A::SymTridiagonal) = A
==(A::Tridiagonal, B::Tridiagonal) = A.dl == B.dl && A.d == B.d && A.du == B.du
==(A::SymTridiagonal, B::SymTridiagonal) = A.dv == B.dv && A.ev == B.ev
+(A::Tridiagonal, B::Tridiagonal) = Tridiagonal(A.dl + B.dl, A.d + B.d, A.du + B.du)
-(A::Tridiagonal, B::Tridiagonal) = Tridiagonal(A.dl - B.dl, A.d - B.d, A.du - B.du)
+(A::SymTridiagonal, B::SymTridiagonal) = SymTridiagonal(A.dv + B.dv, A.ev + B.ev)
-(A::SymTridiagonal, B::SymTridiagonal) = SymTridiagonal(A.dv - B.dv, A.ev - B.ev)
+(A::Bidiagonal, B::Bidiagonal) = A.uplo == B.uplo ? _make_bidiagonal(A.dv + B.dv, A.ev + B.ev, A.uplo) : Tridiagonal(A) + Tridiagonal(B)
-(A::Bidiagonal, B::Bidiagonal) = A.uplo == B.uplo ? _make_bidiagonal(A.dv - B.dv, A.ev - B.ev, A.uplo) : Tridiagonal(A) - Tridiagonal(B)

diag(A::Bidiagonal) = copy(A.dv)
diag(A::Tridiagonal) = copy(A.d)
diag(A::SymTridiagonal) = copy(A.dv)
tr(A::Bidiagonal) = sum(A.dv)
tr(A::Tridiagonal) = sum(A.d)
tr(A::SymTridiagonal) = sum(A.dv)
issymmetric(A::SymTridiagonal{<:Number}) = true
ishermitian(A::SymTridiagonal{<:Real}) = true
issymmetric(A::Tridiagonal) = all(issymmetric, A.d) && all(((x, y),) -> x == transpose(y), zip(A.dl, A.du))
ishermitian(A::Tridiagonal) = all(ishermitian, A.d) && all(((x, y),) -> x == adjoint(y), zip(A.dl, A.du))
istriu(A::Bidiagonal, k::Integer=0) = A.uplo == 'U' ? k <= 0 || _is_zero_below(A, k) : k <= -1 || _is_zero_below(A, k)
istril(A::Bidiagonal, k::Integer=0) = A.uplo == 'L' ? k >= 0 || _is_zero_above(A, k) : k >= 1 || _is_zero_above(A, k)
isdiag(A::Bidiagonal) = iszero(A.ev)
isdiag(A::Tridiagonal) = iszero(A.dl) && iszero(A.du)
isdiag(A::SymTridiagonal) = iszero(A.ev)
det(A::Bidiagonal) = prod(A.dv)
function det(A::Union{Tridiagonal,SymTridiagonal})
    lower, d, upper = A isa Tridiagonal ? (A.dl, A.d, A.du) : (A.ev, A.dv, A.ev)
    n = length(d)
    n == 0 && return one(eltype(d))
    before, now = one(eltype(d)), d[1]
    for i in 2:n
        before, now = now, d[i] * now - lower[i-1] * upper[i-1] * before
    end
    return now
end
promote_rule(::Type{Matrix{T}}, ::Type{<:Bidiagonal{S}}) where {T,S} = Matrix{promote_type(T, S)}
promote_rule(::Type{Matrix{T}}, ::Type{<:Tridiagonal{S}}) where {T,S} = Matrix{promote_type(T, S)}
promote_rule(::Type{Matrix{T}}, ::Type{<:SymTridiagonal{S}}) where {T,S} = Matrix{promote_type(T, S)}
promote_rule(::Type{Matrix{T}}, ::Type{<:Diagonal{S}}) where {T,S} = Matrix{promote_type(T, S)}
function convert(::Type{Tridiagonal}, A::AbstractMatrix)
    isbanded(A, -1, 1) || throw(InexactError(:Tridiagonal, Tridiagonal, A))
    return Tridiagonal(A)
end
function convert(::Type{SymTridiagonal}, A::AbstractMatrix)
    isbanded(A, -1, 1) && issymmetric(A) || throw(InexactError(:SymTridiagonal, SymTridiagonal, A))
    return SymTridiagonal(A)
end

function fillstored!(A::Diagonal, x)
    fill!(A.diag, x)
    return A
end
function fillstored!(A::Union{UpperTriangular,LowerTriangular}, x)
    for j in 1:size(A, 2), i in 1:size(A, 1)
        (A isa UpperTriangular ? i <= j : i >= j) && (A.data[i, j] = x)
    end
    return A
end
function fillstored!(A::Banded, x)
    _with_bands(v -> fill!(v, x), A)
    return A
end

# The elements that a structured matrix stores.
fillstored!(A::AbstractArray, x) = fill!(A, x)
fillstored!(D::Diagonal, x) = (fill!(D.diag, x); D)
fillstored!(B::Bidiagonal, x) = (fill!(B.dv, x); fill!(B.ev, x); B)
fillstored!(T::SymTridiagonal, x) = (fill!(T.dv, x); fill!(T.ev, x); T)
fillstored!(T::Tridiagonal, x) = (fill!(T.dl, x); fill!(T.d, x); fill!(T.du, x); T)
function fillstored!(A::AbstractTriangular, x)
    n = size(A, 1)
    for j in 1:n, i in 1:n
        is_stored = A isa Union{LowerTriangular,UnitLowerTriangular} ? i >= j : i <= j
        is_unit = i == j && A isa Union{UnitLowerTriangular,UnitUpperTriangular}
        is_stored && !is_unit && (A.data[i, j] = x)
    end
    return A
end

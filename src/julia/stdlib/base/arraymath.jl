# Sums, differences and multiples of arrays.

promote_shape(A, B) = promote_shape(axes(A), axes(B))
promote_shape(A::AbstractArray, B::AbstractArray) = promote_shape(axes(A), axes(B))
promote_shape(::Tuple{}, ::Tuple{}) = ()
function promote_shape(a::Tuple, b::Tuple)
    a === b && return a
    length(a) < length(b) && return promote_shape(b, a)
    for k in 1:length(a)
        if k <= length(b)
            a[k] == b[k] || throw(DimensionMismatch(shape_mismatch_text(a, b, k)))
        else
            a[k] == 1 || a[k] == OneTo(1) || throw(DimensionMismatch(shape_mismatch_text(a, b, k)))
        end
    end
    return a
end
function promote_shape(a::Tuple{Any}, b::Tuple{Any})
    a[1] == b[1] || throw(DimensionMismatch(shape_mismatch_text(a, b, 1)))
    return a
end
shape_mismatch_text(a, b, k) = "a has $(shape_word(a)) $(shown_shape(a)), b has $(shape_word(b)) $(shown_shape(b)), mismatch at dim $k"
shape_word(a::Tuple{Vararg{Union{Integer,OneTo}}}) = "size"
shape_word(a) = "axes"
shown_shape(a::Tuple{Vararg{Union{Integer,OneTo}}}) = lengths_of(a)
shown_shape(a) = a

# As broadcast, but an array without dimensions gives one.
elementwise(f, A) = broadcast(f, A)
elementwise(f, A::AbstractArray{<:Any,0}) = fill(f(A[]))
elementwise(f, A, B) = broadcast(f, A, B)
elementwise(f, A::AbstractArray{<:Any,0}, B::AbstractArray{<:Any,0}) = fill(f(A[], B[]))
elementwise(f, A::AbstractArray{<:Any,0}, b::Number) = fill(f(A[], b))
elementwise(f, a::Number, B::AbstractArray{<:Any,0}) = fill(f(a, B[]))

function +(A::AbstractArray, B::AbstractArray)
    promote_shape(A, B)
    return elementwise(+, A, B)
end
function -(A::AbstractArray, B::AbstractArray)
    promote_shape(A, B)
    return elementwise(-, A, B)
end
+(A::AbstractArray) = A
+(A::AbstractArray, B::AbstractArray, Cs::AbstractArray...) = +(A + B, Cs...)
-(A::AbstractArray) = elementwise(-, A)
*(x::Number, A::AbstractArray) = elementwise(*, x, A)
*(A::AbstractArray, x::Number) = elementwise(*, A, x)
/(A::AbstractArray, x::Number) = elementwise(/, A, x)
\(x::Number, A::AbstractArray) = elementwise(\, x, A)
conj(A::AbstractArray{<:Real}) = A
conj(A::AbstractArray) = broadcast(conj, A)
real(A::AbstractArray{<:Real}) = A
real(A::AbstractArray) = broadcast(real, A)
imag(A::AbstractArray{<:Real}) = zero(A)
imag(A::AbstractArray) = broadcast(imag, A)
float(A::AbstractArray{<:AbstractFloat}) = A
float(A::AbstractArray) = broadcast(float, A)
complex(A::AbstractArray{<:Complex}) = A
complex(A::AbstractArray) = broadcast(complex, A)
float(r::AbstractRange{<:Real}) = float(first(r)):float(step(r)):float(last(r))
conj!(A::AbstractArray{<:Real}) = A
conj!(A::AbstractArray) = copyto!(A, conj(A))

# Shifts of bits towards the end and towards the beginning; what comes in is false.
>>>(B::BitVector, n::Int) = n < 0 ? B << -n : BitVector(i > n && B[i-n] for i in 1:length(B))
>>>(B::BitVector, n::UInt) = B >>> Int(min(n, UInt(length(B))))
<<(B::BitVector, n::Int) = n < 0 ? B >>> -n : BitVector(i + n <= length(B) && B[i+n] for i in 1:length(B))
<<(B::BitVector, n::UInt) = B << Int(min(n, UInt(length(B))))
>>(B::BitVector, n::Union{Int,UInt}) = B >>> n

export promote_shape, conj!

# Matrices, blocks, comprehensions and indices: everything that white space decides.
A = [1 2 3; 4 5 6]
B = [1 -2; 3 - 4 5
     -6 +7]
v = [1, 2, 3,]
col = [1; 2; 3]
blocks = [A B'
          zeros(2, 5)]
cube = [1; 2;; 3; 4;;; 5; 6;; 7; 8]
row = [1;; 2;; 3]
long = [1 2 3 ;;
        4 5 6]
nothing_at_all = []
typed = Float32[1 2; 3 4]
t2 = Int[x^2 for x in 1:10 if isodd(x)]
empty = Float64[;]
cells = {}
nested = [[i*j for i = 1:3] for j = 1:3]
flat = [(i, j) for i in 1:3 for j in 1:i if i + j > 2]
table = [f(i, j) for i in axes(A, 1), j in axes(A, 2)]
total = sum(x^2 for x ∈ v)
d = Dict(k => v' for (k, v) in zip(:a:'c', v))

a = A[1, end]; b = A[begin+1:end, :]; c = A[:, [1, end]]
A[end-1, 1:2:end] .= [10, 20]
A[1, :] = A[1, :] .* 2 .+ A[2, :] ./ 3
x = v[end ÷ 2 + 1] + A[end][1]
y = [v[i] for i in eachindex(v) if v[i] > v[begin]]
z = [f (x)]
w = [f(x) g(x)]
u = [a' b' ; c]
q = [x ? y : z for x in bools]
r = [1:3; 5; 7:9]
s = [:a :b; :c :(x + y)]
n = [!a ~b; -a +b; √2 ∛3]
m = [
    1 2
    3 4
]
k = A \ b'c
l = 2A[1]x + (1 - x)y'z
o = @view A[:, 1]
p = @SMatrix [1 2; 3 4]
A'

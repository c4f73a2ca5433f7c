# Derivatives, by the names and results of Zygote. Functions are compiled whole and differentiated as programs: mutation, loops,
# branches and recursion are theirs to use.
module Zygote

export gradient, pullback, withgradient, jacobian, withjacobian, hessian, hessian_reverse, diaghessian, ignore, dropgrad

_tail(t) = Base.tail(t)

gradient(f, args...) = _tail(_gradient(f, args...))

function withgradient(f, args...)
    all = _gradient(f, args...)
    return (val = all[1], grad = _tail(all))
end

struct Pullback{F,A} <: Function
    f::F
    args::A
end
(back::Pullback)(cotangent) = _pullback_apply(back.f, cotangent, back.args...)
pullback(f, args...) = (f(args...), Pullback(f, args))

jacobian(f, args...) = _jacobian(f, args...)
withjacobian(f, args...) = (val = f(args...), grad = _jacobian(f, args...))

hessian(f, x) = _hessian(f, x)
hessian_reverse(f, x) = _hessian(f, x)
function diaghessian(f, args...)
    length(args) == 1 || throw(ArgumentError("diaghessian of several arguments"))
    H = _hessian(f, args[1])
    return (H isa Number ? H : reshape([H[i, i] for i in 1:size(H, 1)], size(args[1])),)
end

ignore(f) = f()
dropgrad(x) = x
ignore_derivatives(f) = f()

end

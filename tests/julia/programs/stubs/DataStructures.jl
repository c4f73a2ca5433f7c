# A stack and a queue.
module DataStructures
export Stack, Queue, enqueue!, dequeue!
struct Stack{T}
    items::Vector{T}
end
Stack{T}() where {T} = Stack{T}(T[])
Base.push!(s::Stack, x) = (push!(s.items, x); s)
Base.pop!(s::Stack) = pop!(s.items)
Base.isempty(s::Stack) = isempty(s.items)
Base.length(s::Stack) = length(s.items)
struct Queue{T}
    items::Vector{T}
end
Queue{T}() where {T} = Queue{T}(T[])
enqueue!(q::Queue, x) = (push!(q.items, x); q)
dequeue!(q::Queue) = popfirst!(q.items)
Base.isempty(q::Queue) = isempty(q.items)
Base.length(q::Queue) = length(q.items)
end

    @show ARGS
    1 + 1

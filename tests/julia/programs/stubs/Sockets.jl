# A net without a server.
module Sockets
export connect
connect(args...) = error("there is no server")
end

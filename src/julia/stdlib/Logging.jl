module Logging

import Base: LogLevel, Debug, Info, Warn, Error, AbstractLogger, NullLogger, ConsoleLogger, SimpleLogger, current_logger,
    global_logger, with_logger, disable_logging, min_enabled_level, handle_message
export AbstractLogger, LogLevel, NullLogger, ConsoleLogger, SimpleLogger, Debug, Info, Warn, Error, current_logger, global_logger,
    with_logger, disable_logging, min_enabled_level, @debug, @info, @warn, @error

end

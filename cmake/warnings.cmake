# Warnings for our own C; errors in CI (WF_WERROR, on in every preset but release).
set(WF_WARNINGS -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wswitch-enum
    -Wconversion -Wvla)
if(CMAKE_C_COMPILER_ID STREQUAL "GNU")
    list(APPEND WF_WARNINGS -Wno-format-truncation) # buffers of messages cut on purpose
endif()
if(CMAKE_C_COMPILER_ID MATCHES "Clang")
    list(APPEND WF_WARNINGS -Wno-string-conversion) # WF_ASSERT(!"what is wrong")
endif()
if(WF_WERROR)
    list(APPEND WF_WARNINGS -Werror)
    if(CMAKE_C_COMPILER_ID STREQUAL "GNU") # these guess, and guess otherwise under sanitizers
        list(APPEND WF_WARNINGS -Wno-error=maybe-uninitialized -Wno-error=array-bounds
            -Wno-error=stringop-overflow)
        if(WF_SANITIZE) # instrumented expressions lose the ranges that make a conversion plain
            list(APPEND WF_WARNINGS -Wno-error=conversion -Wno-error=sign-conversion)
        endif()
    endif()
endif()

# Warnings for our own C; errors in CI (WF_WERROR, on in every preset but release).
set(WF_WARNINGS -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wswitch-enum
    -Wconversion -Wvla)
if(WF_WERROR)
    list(APPEND WF_WARNINGS -Werror)
endif()

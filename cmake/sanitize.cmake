# WF_SANITIZE: a list for -fsanitize= ("address,undefined"), or empty.
if(WF_SANITIZE)
    add_compile_options(-fsanitize=${WF_SANITIZE} -fno-omit-frame-pointer)
    add_link_options(-fsanitize=${WF_SANITIZE})
    if(WF_SANITIZE MATCHES "undefined")
        add_compile_options(-fno-sanitize-recover=undefined)
    endif()
    # A program that is not built with the sanitizer needs it preloaded (src/cli/become.c; tests that start one
    # without the command do it themselves). clang's is no library.
    if(WF_SANITIZE MATCHES "address" AND CMAKE_C_COMPILER_ID STREQUAL "GNU")
        execute_process(COMMAND ${CMAKE_C_COMPILER} -print-file-name=libasan.so
            OUTPUT_VARIABLE WF_SANITIZER_LIBRARY OUTPUT_STRIP_TRAILING_WHITESPACE)
    endif()
endif()
# Without this libFuzzer sees no coverage and only guesses.
if(WF_FUZZERS)
    add_compile_options(-fsanitize=fuzzer-no-link)
endif()

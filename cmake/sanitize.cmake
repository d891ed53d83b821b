# WF_SANITIZE: a list for -fsanitize= ("address,undefined"), or empty.
if(WF_SANITIZE)
    add_compile_options(-fsanitize=${WF_SANITIZE} -fno-omit-frame-pointer)
    add_link_options(-fsanitize=${WF_SANITIZE})
    if(WF_SANITIZE MATCHES "undefined")
        add_compile_options(-fno-sanitize-recover=undefined)
    endif()
endif()
# Without this libFuzzer sees no coverage and only guesses.
if(WF_FUZZERS)
    add_compile_options(-fsanitize=fuzzer-no-link)
endif()

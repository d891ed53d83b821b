# For projects that want both: the tests as they are, and each once more under Warpfence. After add_test:
#
#     include(checked.cmake)
#     add_checked_test(sum sum_test)
#
# It does nothing where there is no Warpfence.
find_program(WARPFENCE warpfence)
function(add_checked_test name target)
    if(WARPFENCE)
        add_test(NAME ${name}/checked COMMAND ${WARPFENCE} check --output=${name}.txt $<TARGET_FILE:${target}> ${ARGN})
    endif()
endfunction()

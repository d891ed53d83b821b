# LLVM: one major, pinned. Differences between its releases belong into src/jit/compat.h only.
# Target wf_llvm carries the headers; the engine's users link ${WF_LLVM_LIBRARY}, the shared library.
find_package(LLVM 19.1 REQUIRED CONFIG
    HINTS /usr/lib/llvm-19/lib/cmake/llvm)
if(NOT LLVM_VERSION_MAJOR EQUAL 19)
    message(FATAL_ERROR "LLVM 19 is needed, found ${LLVM_VERSION}: run scripts/setup")
endif()
add_library(wf_llvm INTERFACE)
target_include_directories(wf_llvm SYSTEM INTERFACE ${LLVM_INCLUDE_DIRS})
set(WF_LLVM_LIBRARY LLVM)

# The CUDA compilers that the kernel tests may use. Neither is needed to build Warpfence.
find_program(WF_NVCC nvcc HINTS /usr/local/cuda/bin)
find_program(WF_CLANG NAMES clang-19)
if(NOT WF_NVCC)
    message(STATUS "nvcc not found: the tests' nvcc half will be shown as skipped")
endif()

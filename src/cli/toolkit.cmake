# A folder that stands for a CUDA toolkit in builds: bin/nvcc is the command under that name, include our headers,
# lib64 our libraries under the names that builds link. The static runtime's name stands for the shared one;
# devrt/ is for clang, where nothing else has that library.
function(wf_toolkit dir bin_from lib_from include_from)
    file(MAKE_DIRECTORY ${dir}/bin ${dir}/lib64/devrt ${dir}/lib64/cuda12 ${dir}/nvvm/libdevice)
    file(CREATE_LINK ${bin_from}/warpfence ${dir}/bin/nvcc SYMBOLIC)
    file(CREATE_LINK ${include_from} ${dir}/include SYMBOLIC)
    file(CREATE_LINK ${lib_from}/libcudart.so.13 ${dir}/lib64/libcudart.so.13 SYMBOLIC)
    file(CREATE_LINK libcudart.so.13 ${dir}/lib64/libcudart.so SYMBOLIC)
    file(CREATE_LINK ${lib_from}/libcuda.so.1 ${dir}/lib64/libcuda.so.1 SYMBOLIC)
    file(CREATE_LINK libcuda.so.1 ${dir}/lib64/libcuda.so SYMBOLIC)
    file(CREATE_LINK ${lib_from}/libwarpfence-engine.so ${dir}/lib64/libwarpfence-engine.so SYMBOLIC)
    file(WRITE ${dir}/lib64/libcudart_static.a "/* the shared one */ INPUT(-lcudart)\n")
    file(WRITE ${dir}/lib64/devrt/libcudadevrt.a "!<arch>\n")
    file(CREATE_LINK ../${lib_from}/libcudart.so.12 ${dir}/lib64/cuda12/libcudart.so SYMBOLIC)
    file(COPY_FILE ${dir}/lib64/libcudart_static.a ${dir}/lib64/cuda12/libcudart_static.a)
endfunction()
wf_toolkit(${PROJECT_BINARY_DIR}/toolkit ../../bin ../../lib ${PROJECT_SOURCE_DIR}/include/cuda)
# Installed: lib/warpfence/toolkit below the prefix.
wf_toolkit(${PROJECT_BINARY_DIR}/install/toolkit ../../../../bin ../.. ../../../${WF_INSTALL_CUDA_INCLUDE})
install(DIRECTORY ${PROJECT_BINARY_DIR}/install/toolkit DESTINATION ${WF_INSTALL_LIBDIR} USE_SOURCE_PERMISSIONS)

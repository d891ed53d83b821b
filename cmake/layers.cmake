# Who may include whom. One row a folder of src/; read here to link the unit tests of a folder against no
# more than the folder may use, and by tools/check_layers.py to check every #include.
set(WF_LAYERS
    "base:"
    "core: base"
    "ptx: base core"
    "fatbin: base core"
    "front: base core fatbin"
    "mem: base core"
    "ir: base core ptx"
    "jit: base core ptx ir mem"
    "prove: base core ptx ir"
    "exec: base core ptx ir jit mem prove"
    "check: base core mem"
    "explore: base core"
    "report: base core"
    "cure: base core"
    "rt: base core exec mem fatbin ptx ir jit"
    "session: base core ptx fatbin front mem ir jit exec check explore report rt"
    "cudart: base core rt session"
    "cuda: base core rt session"
    "jitlink: base core rt session"
    "nvrtc:"
    "threads: core"
    "cli: base core fatbin front report cure session")

# Folders in link order, and WF_CLOSURE_<folder>: the folder and all that it rests on.
set(WF_FOLDERS)
foreach(row IN LISTS WF_LAYERS)
    string(REGEX MATCH "^([a-z]+):(.*)$" _ "${row}")
    set(folder ${CMAKE_MATCH_1})
    string(REGEX MATCHALL "[a-z]+" uses "${CMAKE_MATCH_2}")
    list(APPEND WF_FOLDERS ${folder})
    set(closure ${folder})
    foreach(use IN LISTS uses)
        list(APPEND closure ${WF_CLOSURE_${use}})
    endforeach()
    list(REMOVE_DUPLICATES closure)
    set(WF_CLOSURE_${folder} ${closure})
endforeach()

// SPDX-License-Identifier: Apache-2.0
// C++ names of kernels made readable (Itanium C++ ABI, "Mangling"): functions, nested and local
// names, templates, lambdas, every type a kernel can take. Not done: expressions in template
// arguments (decltype, noexcept, requires); such a name stays as it is. Written as c++filt writes
// them.
#ifndef WF_REPORT_DEMANGLE_H
#define WF_REPORT_DEMANGLE_H

struct wf_arena;

struct wf_demangled {
    const char *full;      // "void ns::scan<float>(float*, int)"; the input when it cannot be read
    const char *signature; // the same without the return type
    const char *name;      // "ns::scan<float>"
};

// Strings live in `a` (or are the input). NULL gives three NULLs. Work and output are bounded
// whatever the name is.
struct wf_demangled wf_demangle(struct wf_arena *a, const char *mangled);

#endif

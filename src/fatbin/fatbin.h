// SPDX-License-Identifier: Apache-2.0
// From a fat binary (in memory, or inside an executable file) to PTX text, and back: wrapping text
// for programs built without NVIDIA's tools. Knows containers only, nothing of PTX itself. Every
// length and offset in the input is distrusted; a damaged container is an error, never a fault.
#ifndef WF_FATBIN_FATBIN_H
#define WF_FATBIN_FATBIN_H

#include <stdbool.h> // bool
#include <stddef.h>  // size_t
#include <stdint.h>  // uint32_t

#include "base/arena.h" // struct wf_arena
#include "base/err.h"   // enum wf_status
#include "base/str.h"   // struct wf_str
#include "base/vec.h"   // WF_VEC

// One PTX module. Several in one fat binary (-rdc) are meant to be linked together.
struct wf_fatbin_ptx {
    const char *text; // NUL-terminated, in the arena
    size_t n;         // without the NUL
    const char *name; // source file the compiler recorded, or ""
    uint32_t arch;    // 90 for compute_90
    uint32_t isa_major, isa_minor;
    bool is_relocatable; // one of several to be linked
};

// Registers a thread of a kernel, as ptxas allocated them for `arch`.
struct wf_fatbin_regs {
    const char *kernel; // mangled name, in the arena
    uint32_t arch, regs;
};

struct wf_fatbin {
    struct wf_arena arena; // owns all text
    WF_VEC(struct wf_fatbin_ptx) ptx;
    WF_VEC(struct wf_fatbin_regs) regs;
};

// Each fills `out` (caller's storage, uninitialised), which wf_fatbin_fini gives back; on failure
// `out` needs no fini. `arch` is the modelled GPU's (90): of several PTX entries for one source the
// highest not above it is taken, else the lowest. No PTX at all is WF_E_UNSUPPORTED with the cure
// in the hint.

// What a program passes to __cudaRegisterFatBinary (wrapper versions 1 and 2), or to
// cuModuleLoadFatBinary.
enum wf_status wf_fatbin_from_wrapper(const void *wrapper, uint32_t arch, struct wf_fatbin *out,
                                      struct wf_err *err);
// A fat binary image of n bytes; or, as cuModuleLoadData takes it, a wrapper, PTX text or a fat
// binary at `image` of unknown length (n = SIZE_MAX: bounded by the loaded object it lies in, or by
// its own headers).
enum wf_status wf_fatbin_from_image(const void *image, size_t n, uint32_t arch,
                                    struct wf_fatbin *out, struct wf_err *err);
// An executable, shared object, fat binary or PTX file on disk: the texts of all its translation
// units.
enum wf_status wf_fatbin_from_file(const char *path, uint32_t arch, struct wf_fatbin *out,
                                   struct wf_err *err);
void wf_fatbin_fini(struct wf_fatbin *f);

// Registers a thread of `kernel` for the highest architecture not above `arch`; 0 when unknown.
uint32_t wf_fatbin_regs(const struct wf_fatbin *f, const char *kernel, uint32_t arch);

// Facts about a file for `warpfence run`: can it run on our runtime?
struct wf_fatbin_file {
    bool is_elf, is_executable; // ELF for this machine; has an entry point
    bool has_device_code;       // any fat binary section
    bool has_static_cudart;     // NVIDIA's runtime inside
    bool needs_cudart;          // names libcudart.so.N as needed
    bool needs_libcuda;         // names libcuda.so.1
    uint32_t cudart_major;      // N, or 0
};
enum wf_status wf_fatbin_probe(const char *path, struct wf_fatbin_file *out, struct wf_err *err);
// WF_OK when the executable can run on our runtime, else the reason and the cure: not an
// executable, NVIDIA's runtime linked statically, device code without PTX.
enum wf_status wf_fatbin_can_run(const char *path, uint32_t arch, struct wf_err *err);

// Writes a fat binary holding one PTX module into `out`. `name` is the source name or NULL.
enum wf_status wf_fatbin_wrap(const char *text, size_t n, const char *name, uint32_t arch,
                              bool is_compressed, struct wf_str *out, struct wf_err *err);

#endif

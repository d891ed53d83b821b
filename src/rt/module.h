// SPDX-License-Identifier: Apache-2.0
// Device code of the program: images registered by its constructors or loaded as libraries, and
// their kernels and variables by host address. An image is read, and its variables placed, at first
// use.
#ifndef WF_RT_MODULE_H
#define WF_RT_MODULE_H

#include <stdbool.h> // bool
#include <stdint.h>  // uint64_t

#include "base/err.h" // struct wf_err
#include "rt/err.h"   // enum wf_cu

struct wf_rt_image;
struct wf_rt_function; // one kernel; lives as long as the process, except those of libraries

// Registration by constructors. Never fails: a bad image is reported at first use. Names are
// borrowed.
struct wf_rt_image *wf_rt_image_register(const void *wrapper);
void wf_rt_image_unregister(struct wf_rt_image *m);
void wf_rt_image_function(struct wf_rt_image *m, const void *host, const char *name);
void wf_rt_image_variable(struct wf_rt_image *m, const void *host, const char *name,
                          uint64_t bytes);
void wf_rt_image_managed(struct wf_rt_image *m, void **host, const char *name, uint64_t bytes);
// All is registered. Loads an image whose managed variables the host may use at any moment.
enum wf_cu wf_rt_image_registered(struct wf_rt_image *m);
enum wf_cu wf_rt_image_load(struct wf_rt_image *m); // now

// By the host function's address. INVALID_DEVICE_FUNCTION for NULL, INVALID_RESOURCE_HANDLE if
// unknown.
enum wf_cu wf_rt_function_find(const void *host, struct wf_rt_function **out);
bool wf_rt_function_is(const void *p); // is p a struct wf_rt_function that lives
enum wf_cu wf_rt_symbol(const void *host, uint64_t *addr, uint64_t *bytes); // INVALID_SYMBOL

// Libraries: images given at run time. `bytes` may be UINT64_MAX when unknown.
// `told` (or NULL): gets the sentence when the image's own text is at fault, which else is trouble of ours.
enum wf_cu wf_rt_library_load(const void *image, uint64_t bytes, const char *name, uint64_t *out,
                              struct wf_err *told);
enum wf_cu wf_rt_library_load_file(const char *path, uint64_t *out,
                                   struct wf_err *told); // FILE_NOT_FOUND
enum wf_cu wf_rt_library_unload(uint64_t library);
enum wf_cu wf_rt_library_function(uint64_t library, const char *name, struct wf_rt_function **out);
enum wf_cu wf_rt_library_variable(uint64_t library, const char *name, bool is_managed,
                                  uint64_t *addr, uint64_t *bytes);
uint64_t wf_rt_library_of(struct wf_rt_function *f); // 0 for a kernel of the program's own
enum wf_cu wf_rt_library_count(uint64_t library, unsigned *n);
enum wf_cu wf_rt_library_list(uint64_t library, struct wf_rt_function **out, unsigned max);

struct wf_kernel;
// Loads the function's image if need be.
enum wf_cu wf__module_kernel(struct wf_rt_function *f, struct wf_kernel **out);
const char *wf__module_function_name(const struct wf_rt_function *f);
const void *wf__module_function_host(const struct wf_rt_function *f); // or the handle itself
struct wf__function_state *wf__module_function_state(struct wf_rt_function *f);
void wf__module_reset(void);

#endif

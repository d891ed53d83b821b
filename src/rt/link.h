// SPDX-License-Identifier: Apache-2.0
// The linker of run-time code: device code of several inputs collected into one image, which loads like
// any other and may be kept in a file. PTX is linked by name when the image is loaded, so completing a
// link checks nothing. Machine code without PTX cannot be an input.
#ifndef WF_RT_LINK_H
#define WF_RT_LINK_H

#include <stdbool.h> // bool
#include <stdint.h>  // uint64_t

#include "base/err.h" // struct wf_err
#include "rt/err.h"   // enum wf_cu

struct wf_rt_link;

struct wf_rt_link *wf_rt_link_new(void);
void wf_rt_link_free(struct wf_rt_link *l);
bool wf_rt_link_is(const void *p); // is p a link that lives
// PTX text, a fat binary, an image made here, or an object file's bytes. On failure err tells why.
enum wf_cu wf_rt_link_add(struct wf_rt_link *l, const void *data, uint64_t bytes, const char *name,
                          struct wf_err *err);
enum wf_cu wf_rt_link_add_file(struct wf_rt_link *l, const char *path, struct wf_err *err);
// The image; lives as long as the link.
enum wf_cu wf_rt_link_complete(struct wf_rt_link *l, void **image, uint64_t *bytes);

struct wf_fatbin;
bool wf__link_is(const void *image);
enum wf_status wf__link_read(const void *image, struct wf_fatbin *out, struct wf_err *err);

#endif

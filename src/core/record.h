// SPDX-License-Identifier: Apache-2.0
// The findings of one run as bytes, for the command that starts several runs and reports them
// together. Written and read by one build of Warpfence: no format to keep.
#ifndef WF_CORE_RECORD_H
#define WF_CORE_RECORD_H

#include <stdbool.h> // bool
#include <stddef.h>  // size_t
#include <stdint.h>  // uint64_t

#include "base/err.h" // enum wf_status

struct wf_str;
struct wf_finding;
struct wf_record { // beside the findings
    uint64_t launches, troubles;
    bool is_incomplete;
};

// Appends r and the process's findings.
void wf_record_write(const struct wf_record *r, struct wf_str *out);
// Adds the findings to the process's store. WF_E_IO when the bytes are not a record of this build.
// The same, with a say in what is added: `keep` may change a finding, and leaves it out by false. NULL: all.
enum wf_status wf_record_read_some(const char *bytes, size_t n, struct wf_record *r,
                                   bool (*keep)(void *arg, struct wf_finding *f), void *arg,
                                   struct wf_err *err);
enum wf_status wf_record_read(const char *bytes, size_t n, struct wf_record *r, struct wf_err *err);

#endif

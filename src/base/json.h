// SPDX-License-Identifier: Apache-2.0
// Streaming JSON writer into a wf_str: keeps commas and indentation, escapes strings.
// Invalid UTF-8 bytes are written as U+FFFD.
#ifndef WF_BASE_JSON_H
#define WF_BASE_JSON_H

#include <stdbool.h> // bool
#include <stdint.h>  // int64_t

struct wf_str;
struct wf_json {
    struct wf_str *out;
    int depth;
    bool need_comma, after_key;
    int indent; // blanks a level, 0 for one line
};

void wf_json_init(struct wf_json *j, struct wf_str *out, int indent);
void wf_json_object(struct wf_json *j); // opens {
void wf_json_array(struct wf_json *j);  // opens [
void wf_json_end_object(struct wf_json *j);
void wf_json_end_array(struct wf_json *j);
void wf_json_key(struct wf_json *j, const char *key);
void wf_json_str(struct wf_json *j, const char *s); // NULL writes null
void wf_json_i64(struct wf_json *j, int64_t v);
void wf_json_u64(struct wf_json *j, uint64_t v);
void wf_json_f64(struct wf_json *j, double v); // NaN and infinities write null
void wf_json_bool(struct wf_json *j, bool v);

#endif

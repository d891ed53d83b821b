// SPDX-License-Identifier: Apache-2.0
// Text from outside (names, source lines, values) made harmless for a terminal or an XML parser.
#ifndef WF_REPORT_UTF8_H
#define WF_REPORT_UTF8_H

#include <stddef.h> // size_t
#include <stdint.h> // uint32_t

struct wf_str;

#define WF__BAD_CHAR UINT32_MAX

// Decodes one character of s[0..n), n > 0: returns its length in bytes and sets *cp, or returns 1
// and sets WF__BAD_CHAR when no well-formed character starts there.
size_t wf__utf8_next(const char *s, size_t n, uint32_t *cp);
// Columns a terminal uses: 0 for combining marks, 2 for East Asian wide characters, else 1.
unsigned wf__utf8_width(uint32_t cp);
// Control characters, invalid bytes and characters that change the direction of text become
// visible escapes (\x1b, \u{202e}); a tab becomes four blanks. Returns the columns used.
size_t wf__add_plain(struct wf_str *out, const char *s, size_t n);
void wf__add_safe(struct wf_str *out,
                  const char *s); // the same for a whole string; NULL adds nothing
// XML attribute values and character data (which keeps its line breaks); what XML 1.0 cannot hold
// becomes U+FFFD.
void wf__add_xml(struct wf_str *out, const char *s);
void wf__add_xml_text(struct wf_str *out, const char *s);

#endif

// SPDX-License-Identifier: Apache-2.0
// The process becomes the program under test.
#ifndef WF_CLI_BECOME_H
#define WF_CLI_BECOME_H

// Comes back on failure only, with errno set.
void wf__cli_become(const char *path, char *const argv[]);

#endif

// SPDX-License-Identifier: Apache-2.0
// Of arrays and textures only what needs neither: the description of a channel format.
#include "cudart/priv.h"

WF_EXPORT struct abi_channel cudaCreateChannelDesc(int x, int y, int z, int w, int kind);
WF_EXPORT struct abi_channel cudaCreateChannelDesc(int x, int y, int z, int w, int kind)
{
    return (struct abi_channel){x, y, z, w, kind};
}

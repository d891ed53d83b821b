# SPDX-License-Identifier: Apache-2.0
"""Exchanges the PTX of an executable that `warpfence build` made: a fat binary's PTX entry is unpacked and,
changed, packed again into the room it had (zstd, stronger than before). Knows one entry a file."""
import ctypes
import ctypes.util
import re
import struct

MAGIC = 0xBA55ED50
KIND_PTX = 1
FLAG_ZSTD = 0x8000
FLAG_LZ4 = 0x2000


class Unusable(Exception):
    pass


def _zstd():
    name = ctypes.util.find_library("zstd")
    if not name:
        raise Unusable("libzstd is not installed")
    lib = ctypes.CDLL(name)
    for f in (lib.ZSTD_compress, lib.ZSTD_decompress):
        f.restype = ctypes.c_size_t
    lib.ZSTD_compress.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
    lib.ZSTD_decompress.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_void_p, ctypes.c_size_t]
    lib.ZSTD_isError.argtypes = [ctypes.c_size_t]
    return lib


class PtxExecutable:
    def __init__(self, path):
        with open(path, "rb") as f:
            self.data = bytearray(f.read())
        self.lib = _zstd()
        self.entry = self._find()
        self.text = self._unpack()

    def _find(self):
        at = -1
        while (at := self.data.find(struct.pack("<I", MAGIC), at + 1)) >= 0:
            header = struct.unpack_from("<H", self.data, at + 6)[0]
            entry = at + header
            end = entry + struct.unpack_from("<Q", self.data, at + 8)[0]
            while header == 16 and entry < end <= len(self.data):
                kind, _, size, room = struct.unpack_from("<HHIQ", self.data, entry)
                if kind == KIND_PTX:
                    self.header, self.room = size, room
                    return entry
                entry += size + room
        raise Unusable("no PTX in this executable")

    def _unpack(self):
        packed = struct.unpack_from("<I", self.data, self.entry + 16)[0]
        flags = struct.unpack_from("<Q", self.data, self.entry + 40)[0]
        raw = struct.unpack_from("<Q", self.data, self.entry + 56)[0]
        start = self.entry + self.header
        if flags & FLAG_LZ4:
            raise Unusable("the PTX is packed in a way this script does not write")
        if not flags & FLAG_ZSTD:
            raise Unusable("the PTX is not packed")
        out = ctypes.create_string_buffer(raw)
        got = self.lib.ZSTD_decompress(out, raw, bytes(self.data[start:start + packed]), packed)
        if got != raw:
            raise Unusable("the PTX does not unpack")
        return out.raw.rstrip(b"\0").decode()

    def _packed(self, text):
        raw = text.encode() + b"\0"
        out = ctypes.create_string_buffer(len(raw) + 4096)
        n = self.lib.ZSTD_compress(out, len(out), raw, len(raw), 19)
        if self.lib.ZSTD_isError(n):
            raise Unusable("the changed PTX does not pack")
        return raw, out, n

    def write(self, path, text):
        raw, out, n = self._packed(text)
        if n > self.room: # a small file; comments are for readers, and for the names of mutants
            raw, out, n = self._packed(re.sub(r"\s*//.*", "", text) + "\n")
        if n > self.room:
            raise Unusable("the changed PTX has no room")
        data = bytearray(self.data)
        start = self.entry + self.header
        data[start:start + self.room] = out.raw[:n].ljust(self.room, b"\0")
        struct.pack_into("<I", data, self.entry + 16, n)
        struct.pack_into("<Q", data, self.entry + 56, len(raw))
        with open(path, "wb") as f:
            f.write(data)

// SPDX-License-Identifier: Apache-2.0
// One LLJIT for the process. Compiled functions are named by their program's key, so that programs
// never share a name.

#include <pthread.h> // pthread_mutex_t, pthread_once
#include <stdio.h>   // snprintf
#include <string.h>  // strlen

#include <llvm-c/Core.h>
#include <llvm-c/Error.h>
#include <llvm-c/LLJIT.h>
#include <llvm-c/Target.h>

#include "base/vec.h"
#include "jit/orc.h"

static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static LLVMOrcLLJITRef lljit;
static LLVMOrcJITDylibRef dylib;
static char *triple, *cpu, *features;
static const struct jit_symbol *symbols;
static unsigned n_symbols;
static WF_VEC(struct orc_key) added;
static char start_error[256];

void jit_symbols(const struct jit_symbol *table, unsigned n)
{
    symbols = table;
    n_symbols = n;
}

static bool failed(LLVMErrorRef e)
{
    if (!e)
        return false;
    char *text = LLVMGetErrorMessage(e);
    snprintf(start_error, sizeof start_error, "%.250s", text);
    LLVMDisposeErrorMessage(text);
    return true;
}

static void add_helpers(void)
{
    LLVMOrcCSymbolMapPair *pairs = wf_xcalloc(n_symbols + 1, sizeof *pairs);
    for (unsigned i = 0; i < n_symbols; i++) {
        pairs[i].Name = LLVMOrcLLJITMangleAndIntern(lljit, symbols[i].name);
        pairs[i].Sym.Address = (LLVMOrcExecutorAddress)(uintptr_t)symbols[i].at;
        pairs[i].Sym.Flags.GenericFlags = LLVMJITSymbolGenericFlagsExported | LLVMJITSymbolGenericFlagsCallable;
    }
    LLVMOrcMaterializationUnitRef mu = LLVMOrcAbsoluteSymbols(pairs, n_symbols);
    if (failed(LLVMOrcJITDylibDefine(dylib, mu)))
        LLVMOrcDisposeMaterializationUnit(mu);
    free(pairs);
}

static void start(void)
{
    LLVMInitializeX86TargetInfo();
    LLVMInitializeX86Target();
    LLVMInitializeX86TargetMC();
    LLVMInitializeX86AsmPrinter();
    triple = LLVMGetDefaultTargetTriple();
    cpu = LLVMGetHostCPUName();
    features = LLVMGetHostCPUFeatures();
    LLVMOrcLLJITBuilderRef b = LLVMOrcCreateLLJITBuilder();
    if (failed(LLVMOrcCreateLLJIT(&lljit, b)))
        return;
    dylib = LLVMOrcLLJITGetMainJITDylib(lljit);
    // Calls that LLVM makes itself (memcpy, memset, fmod, ...) come from this process.
    LLVMOrcDefinitionGeneratorRef gen;
    if (!failed(LLVMOrcCreateDynamicLibrarySearchGeneratorForProcess(&gen, LLVMOrcLLJITGetGlobalPrefix(lljit), NULL, NULL)))
        LLVMOrcJITDylibAddGenerator(dylib, gen);
    add_helpers();
}

bool orc_has_avx512(void)
{
    return strstr(features, "+avx512f") != NULL && strstr(features, "+avx512bw") != NULL;
}

const char *orc_triple(void)
{
    return triple;
}

LLVMTargetMachineRef orc_target_machine(int opt_level, struct wf_err *err)
{
    char *msg = NULL;
    LLVMTargetRef t;
    pthread_once(&once, start);
    if (LLVMGetTargetFromTriple(triple, &t, &msg)) {
        wf_err_set(err, WF_E_INTERNAL, "no code generator for %s: %.200s", triple, msg);
        LLVMDisposeMessage(msg);
        return NULL;
    }
    LLVMCodeGenOptLevel level = opt_level == 0 ? LLVMCodeGenLevelNone : opt_level == 1 ? LLVMCodeGenLevelLess : LLVMCodeGenLevelDefault;
    return LLVMCreateTargetMachine(t, triple, cpu, features, level, LLVMRelocPIC, LLVMCodeModelJITDefault);
}

// A program is added once; compiling the same one again finds the first.
static bool is_added(const struct orc_key *key)
{
    for (size_t i = 0; i < added.n; i++)
        if (!strcmp(added.at[i].hex, key->hex))
            return true;
    return false;
}

enum wf_status orc_add(const struct orc_key *key, LLVMMemoryBufferRef obj, const uint32_t *number, unsigned n,
                       void **fns, struct wf_err *err)
{
    char name[64];
    LLVMErrorRef e = NULL;
    pthread_once(&once, start);
    if (!lljit) {
        LLVMDisposeMemoryBuffer(obj);
        return wf_err_set(err, WF_E_INTERNAL, "LLVM's JIT does not start: %s", start_error);
    }
    pthread_mutex_lock(&lock);
    if (is_added(key)) {
        LLVMDisposeMemoryBuffer(obj);
    } else {
        e = LLVMOrcLLJITAddObjectFile(lljit, dylib, obj);
        WF_PUSH(&added, *key);
    }
    for (unsigned i = 0; i < n && !e; i++) {
        LLVMOrcExecutorAddress at = 0;
        orc_symbol(key, number[i], name, sizeof name);
        e = LLVMOrcLLJITLookup(lljit, &at, name);
        fns[i] = (void *)(uintptr_t)at;
    }
    pthread_mutex_unlock(&lock);
    if (!e)
        return WF_OK;
    char *text = LLVMGetErrorMessage(e);
    enum wf_status st = wf_err_set(err, WF_E_INTERNAL, "loading of compiled code: %.300s", text);
    LLVMDisposeErrorMessage(text);
    return st;
}

void orc_symbol(const struct orc_key *key, unsigned index, char *buf, size_t n)
{
    snprintf(buf, n, "wf_%.32s_%u", key->hex, index);
}

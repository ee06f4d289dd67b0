/* SPDX-License-Identifier: Apache-2.0 */
/* Virtual memory through CUDA's driver calls, looked up by name: a library linked against
 * the driver would not load where there is none. */
#include "core/vmm.h"

#include <cuda.h>
#include <pthread.h>
#include <stdlib.h>

struct tsd_handle {
    CUmemGenericAllocationHandle handle;
};

static struct {
    CUresult (*granularity)(size_t *out, const CUmemAllocationProp *prop,
                            CUmemAllocationGranularity_flags option);
    CUresult (*reserve)(CUdeviceptr *out, size_t bytes, size_t alignment,
                        CUdeviceptr address, unsigned long long flags);
    CUresult (*free)(CUdeviceptr p, size_t bytes);
    CUresult (*create)(CUmemGenericAllocationHandle *out, size_t bytes,
                       const CUmemAllocationProp *prop, unsigned long long flags);
    CUresult (*release)(CUmemGenericAllocationHandle h);
    CUresult (*export)(void *out, CUmemGenericAllocationHandle h,
                       CUmemAllocationHandleType type, unsigned long long flags);
    CUresult (*import)(CUmemGenericAllocationHandle *out, void *from,
                       CUmemAllocationHandleType type);
    CUresult (*map)(CUdeviceptr p, size_t bytes, size_t offset,
                    CUmemGenericAllocationHandle h, unsigned long long flags);
    CUresult (*unmap)(CUdeviceptr p, size_t bytes);
    CUresult (*access)(CUdeviceptr p, size_t bytes, const CUmemAccessDesc *d, size_t n);
    CUresult (*error_string)(CUresult r, const char **out);
} vm;

static bool complete;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static bool find(void *where, const char *name)
{
    void *symbol = tsc_driver_symbol(name);

    memcpy(where, &symbol, sizeof symbol);
    return symbol != NULL;
}

static void look_up(void)
{
    complete =
        find(&vm.granularity, "cuMemGetAllocationGranularity") &&
        find(&vm.reserve, "cuMemAddressReserve") && find(&vm.free, "cuMemAddressFree") &&
        find(&vm.create, "cuMemCreate") && find(&vm.release, "cuMemRelease") &&
        find(&vm.export, "cuMemExportToShareableHandle") &&
        find(&vm.import, "cuMemImportFromShareableHandle") && find(&vm.map, "cuMemMap") &&
        find(&vm.unmap, "cuMemUnmap") && find(&vm.access, "cuMemSetAccess") &&
        find(&vm.error_string, "cuGetErrorString");
}

static ts_status check(CUresult r, const char *call)
{
    const char *text = NULL;

    if (r == CUDA_SUCCESS)
        return TS_OK;
    vm.error_string(r, &text);
    return ts_fail(r == CUDA_ERROR_OUT_OF_MEMORY   ? TS_ERR_OUT_OF_MEMORY
                   : r == CUDA_ERROR_INVALID_VALUE ? TS_ERR_VALUE
                                                   : TS_ERR_RUNTIME,
                   NULL, "%s: %s", call, text ? text : "unknown error");
}

static ts_status ready(void)
{
    pthread_once(&once, look_up);
    TS_CHECK(complete, TS_ERR_UNSUPPORTED, NULL, "the driver has no virtual memory");
    return TS_OK;
}

static CUmemAllocationProp properties(int device)
{
    CUmemAllocationProp p;

    memset(&p, 0, sizeof p);
    p.type = CU_MEM_ALLOCATION_TYPE_PINNED;
    p.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    p.location.id = device;
    p.requestedHandleTypes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
    return p;
}

size_t tsc_granularity(int device)
{
    const CUmemAllocationProp p = properties(device);
    size_t n = 0;

    if (ready() != TS_OK ||
        vm.granularity(&n, &p, CU_MEM_ALLOC_GRANULARITY_RECOMMENDED) != CUDA_SUCCESS)
        return 0;
    return n;
}

ts_status tsc_address_reserve(int device, size_t bytes, ts_devptr *out)
{
    CUdeviceptr p;

    TS_TRY(tsc_use(device));
    TS_TRY(ready());
    TS_TRY(check(vm.reserve(&p, bytes, 0, 0, 0), "cuMemAddressReserve"));
    *out = p;
    return TS_OK;
}

ts_status tsc_address_free(int device, ts_devptr p, size_t bytes)
{
    (void)device;
    TS_TRY(ready());
    return check(vm.free(p, bytes), "cuMemAddressFree");
}

ts_status tsc_handle_create(int device, size_t bytes, tsd_handle **out)
{
    CUmemAllocationProp p = properties(device);
    tsd_handle *h;
    ts_status s;
    CUresult r;

    TS_TRY(ready());
    h = malloc(sizeof *h);
    TS_CHECK(h, TS_ERR_OUT_OF_MEMORY, NULL, "no memory for a handle");
    r = vm.create(&h->handle, bytes, &p, 0);
    if (r != CUDA_SUCCESS && r != CUDA_ERROR_OUT_OF_MEMORY) {
        /* a device that exports none: then it is a handle for this process */
        p.requestedHandleTypes = CU_MEM_HANDLE_TYPE_NONE;
        r = vm.create(&h->handle, bytes, &p, 0);
    }
    s = check(r, "cuMemCreate");
    if (s == TS_OK)
        *out = h;
    else
        free(h);
    return s;
}

ts_status tsc_handle_release(int device, tsd_handle *h)
{
    const CUmemGenericAllocationHandle handle = h->handle;

    (void)device;
    free(h);
    return check(vm.release(handle), "cuMemRelease");
}

ts_status tsc_handle_export(int device, tsd_handle *h, int *fd)
{
    (void)device;
    TS_TRY(ready());
    return check(vm.export(fd, h->handle, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0),
                 "cuMemExportToShareableHandle");
}

ts_status tsc_handle_import(int device, int fd, tsd_handle **out)
{
    tsd_handle *h;
    ts_status s;

    TS_TRY(tsc_use(device)); /* a handle of its context */
    TS_TRY(ready());
    h = malloc(sizeof *h);
    TS_CHECK(h, TS_ERR_OUT_OF_MEMORY, NULL, "no memory for a handle");
    s = check(vm.import(&h->handle, (void *)(uintptr_t)fd,
                        CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR),
              "cuMemImportFromShareableHandle");
    if (s == TS_OK)
        *out = h;
    else
        free(h);
    return s;
}

ts_status tsc_mem_map(int device, ts_devptr p, size_t bytes, tsd_handle *h)
{
    (void)device;
    TS_TRY(ready());
    return check(vm.map(p, bytes, 0, h->handle, 0), "cuMemMap");
}

ts_status tsc_mem_unmap(int device, ts_devptr p, size_t bytes)
{
    (void)device;
    TS_TRY(ready());
    return check(vm.unmap(p, bytes), "cuMemUnmap");
}

ts_status tsc_mem_set_access(int device, ts_devptr p, size_t bytes)
{
    const CUmemAccessDesc d = {
        .location = {.type = CU_MEM_LOCATION_TYPE_DEVICE, .id = device},
        .flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE};

    TS_TRY(ready());
    return check(vm.access(p, bytes, &d, 1), "cuMemSetAccess");
}

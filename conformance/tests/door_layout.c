/* SPDX-License-Identifier: Apache-2.0 */
/* Where everything stands in what crosses the lib door, a line each; door_test.py holds it
 * against door_layout.txt. */
#include <stdio.h>

#include "touchstone/backend.h"

#define SIZE(type) printf(#type " %zu\n", sizeof(type))
#define AT(type, member) printf(#type "." #member " %zu\n", offsetof(type, member))
#define VALUE(name) printf(#name " %d\n", (int)(name))

static void tensors(void)
{
    AT(ts_tensor, data);
    AT(ts_tensor, sizes);
    AT(ts_tensor, strides);
    AT(ts_tensor, numel);
    AT(ts_tensor, offset);
    AT(ts_tensor, ndim);
    AT(ts_tensor, dtype);
    AT(ts_tensor, device);
    SIZE(ts_device);
    SIZE(ts_scalar);
    AT(ts_scalar, i);
    AT(ts_scalar, f);
    SIZE(ts_value); /* an array of them crosses: this may never change */
    AT(ts_value, tensor);
    AT(ts_value, tensors.n);
    AT(ts_value, ints.n);
    VALUE(TS_ARG_STRING);
    VALUE(TS_ARG_FUNCTION);
    VALUE(TS_BOOL);
    VALUE(TS_ERR_UNSUPPORTED);
    VALUE(TS_OUT);
    VALUE(TS_ACCEL);
}

static void calls(void)
{
    SIZE(ts_kernel_call);
    AT(ts_kernel_call, op);
    AT(ts_kernel_call, op_id);
    AT(ts_kernel_call, form);
    AT(ts_kernel_call, compute);
    AT(ts_kernel_call, nargs);
    AT(ts_kernel_call, nresults);
    AT(ts_kernel_call, args);
    AT(ts_kernel_call, results);
    AT(ts_kernel_call, device);
    AT(ts_kernel_call, stream);
    AT(ts_kernel_call, host);
    AT(ts_kernel_call, make_result);
    AT(ts_kernel_call, runtime);
    AT(ts_kernel_call, generator);
    SIZE(ts_generator);
    AT(ts_generator, seed);
    AT(ts_generator, state);
    AT(ts_generator, left);
    AT(ts_generator, next);
    AT(ts_generator, unmade);
    AT(ts_generator, has_normal);
    AT(ts_generator, normal);
    AT(ts_generator, device);
    AT(ts_generator, runtime);
}

static void backend(void)
{
    VALUE(TS_BACKEND_ABI);
    SIZE(ts_kernel_entry);
    AT(ts_kernel_entry, kernel);
    SIZE(ts_claim);
    AT(ts_claim, dtypes);
    SIZE(ts_host);
    AT(ts_host, fail);
    SIZE(ts_backend);
    AT(ts_backend, abi);
    AT(ts_backend, name);
    AT(ts_backend, version);
    AT(ts_backend, kernels);
    AT(ts_backend, kernel_count);
    AT(ts_backend, claims);
    AT(ts_backend, claim_count);
    AT(ts_backend, close);
    AT(ts_backend, driver);
    AT(ts_backend, communicator);
    AT(ts_backend, simulated);
    AT(ts_backend, kernel_size);
    AT(ts_backend, claim_size);
    AT(ts_backend, levels);
    AT(ts_backend, supports);
}

static void driver(void)
{
    SIZE(ts_driver);
    AT(ts_driver, mem_alloc);
    AT(ts_driver, granularity);
    AT(ts_driver, stream_create);
    AT(ts_driver, event_create);
    AT(ts_driver, copy);
    AT(ts_driver, fill);
    AT(ts_driver, launch);
    AT(ts_driver, capture_begin);
    AT(ts_driver, capture_id);
    AT(ts_driver, host_alloc);
    AT(ts_driver, host_free);
    AT(ts_driver, host_is_pinned);
    AT(ts_driver, peer_can_access);
    AT(ts_driver, peer_enable);
    AT(ts_driver, peer_copy);
    AT(ts_driver, handle_export);
    AT(ts_driver, handle_import);
}

static void communicator(void)
{
    SIZE(ts_unique_id);
    SIZE(ts_comm_config);
    AT(ts_comm_config, id);
    AT(ts_comm_config, ranks);
    AT(ts_comm_config, rank);
    AT(ts_comm_config, device);
    SIZE(ts_collective);
    AT(ts_collective, dtype);
    AT(ts_collective, op);
    AT(ts_collective, factor);
    AT(ts_collective, n);
    AT(ts_collective, root);
    AT(ts_collective, stream);
    AT(ts_collective, backward);
    VALUE(TS_REDUCE_BXOR);
    VALUE(TS_REDUCE_PREMUL_SUM);
    SIZE(ts_communicator);
    AT(ts_communicator, one_rank_a_device);
    AT(ts_communicator, unique_id);
    AT(ts_communicator, init);
    AT(ts_communicator, split);
    AT(ts_communicator, query);
    AT(ts_communicator, destroy);
    AT(ts_communicator, abort);
    AT(ts_communicator, async_error);
    AT(ts_communicator, group_start);
    AT(ts_communicator, group_end);
    AT(ts_communicator, all_reduce);
    AT(ts_communicator, reduce);
    AT(ts_communicator, broadcast);
    AT(ts_communicator, all_gather);
    AT(ts_communicator, gather);
    AT(ts_communicator, reduce_scatter);
    AT(ts_communicator, scatter);
    AT(ts_communicator, all_to_all);
    AT(ts_communicator, all_to_all_v);
    AT(ts_communicator, send);
    AT(ts_communicator, recv);
    AT(ts_communicator, barrier);
}

int main(void)
{
    tensors();
    calls();
    backend();
    driver();
    communicator();
    return 0;
}

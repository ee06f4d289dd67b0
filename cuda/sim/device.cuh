/* SPDX-License-Identifier: Apache-2.0 */
/* The device language for g++: what nvcc brings with it, in terms of the simulator. */
#ifndef TSC_SIM_DEVICE_CUH
#define TSC_SIM_DEVICE_CUH

#include "sim/sim.h"

#define __global__ static
#define __device__
#define __host__
#define __forceinline__ inline
#define __launch_bounds__(...)
#define __restrict__ __restrict

#define threadIdx (tsc_sim_self->thread)
#define blockIdx (tsc_sim_self->block)
#define blockDim (tsc_sim_self->block_dim)
#define gridDim (tsc_sim_self->grid_dim)

#define __syncthreads() tsc_sim_barrier(__FILE__, __LINE__)
#define __syncwarp(...) \
    ((void)tsc_sim_warp(TSC_SIM_SYNC, 0xFFFFFFFFu, 0, 0, __FILE__, __LINE__))
#define __ballot_sync(mask, v) \
    ((unsigned)tsc_sim_warp(TSC_SIM_BALLOT, mask, (v) != 0, 0, __FILE__, __LINE__))
#define __shfl_sync(mask, v, lane) \
    tsc_sim_shuffle(TSC_SIM_SHUFFLE_FROM, mask, v, lane, __FILE__, __LINE__)
#define __shfl_up_sync(mask, v, lanes) \
    tsc_sim_shuffle(TSC_SIM_SHUFFLE_UP, mask, v, lanes, __FILE__, __LINE__)
#define __shfl_down_sync(mask, v, lanes) \
    tsc_sim_shuffle(TSC_SIM_SHUFFLE_DOWN, mask, v, lanes, __FILE__, __LINE__)
#define __shfl_xor_sync(mask, v, lanes) \
    tsc_sim_shuffle(TSC_SIM_SHUFFLE_XOR, mask, v, lanes, __FILE__, __LINE__)

template <typename T>
static inline T tsc_sim_shuffle(tsc_sim_warp_op op, unsigned mask, T v, int arg,
                                const char *file, int line)
{
    uint64_t bits = 0;

    static_assert(sizeof v <= sizeof bits, "a shuffle moves up to 8 bytes");
    memcpy(&bits, &v, sizeof v);
    bits = tsc_sim_warp(op, mask, bits, arg, file, line);
    memcpy(&v, &bits, sizeof v);
    return v;
}

/* Shared memory is the block's arena, found by the declaration. */
#define TSC_SHARED(type, name, n)      \
    static const char name##_key_ = 0; \
    type *const name = (type *)tsc_sim_shared(&name##_key_, sizeof(type) * (n))

template <typename T> static inline T atomicCAS(T *p, T expected, T v)
{
    __atomic_compare_exchange_n(p, &expected, v, false, __ATOMIC_RELAXED,
                                __ATOMIC_RELAXED);
    return expected;
}

template <typename T> static inline T atomicAdd(T *p, T v)
{
    T before, after;

    __atomic_load(p, &before, __ATOMIC_RELAXED);
    do
        after = before + v;
    while (!__atomic_compare_exchange(p, &before, &after, false, __ATOMIC_RELAXED,
                                      __ATOMIC_RELAXED));
    return before;
}

/* --- entries: arguments by address, device addresses made host addresses --- */

extern "C" void *tsc_sim_address(void *device);

template <typename T> static inline void tsc_sim_resolve(T &)
{
}

template <typename T> static inline void tsc_sim_resolve(T *&p)
{
    p = (T *)tsc_sim_address((void *)p);
}

static inline void tsc_sim_resolve(tsc_operand &o)
{
    o.data = tsc_sim_address(o.data);
}

template <typename F> struct tsc_sim_signature;

template <typename... A> struct tsc_sim_signature<void (*)(A...)> {
    template <void (*K)(A...), size_t... I> struct with {
        static void call(void *const *args)
        {
            (void)args;
            K(*(A *)args[I]...);
        }
        static void resolve(void *const *args)
        {
            (void)args;
            (tsc_sim_resolve(*(A *)args[I]), ...);
        }
        static const void *entry(const char *name)
        {
            static const size_t sizes[] = {sizeof(A)..., 0};
            static const tsc_sim_kernel k = {name, call, sizeof...(A), sizes, resolve};

            return &k;
        }
    };
    template <size_t... I> struct indices {
        template <void (*K)(A...)> using of = with<K, I...>;
    };
    template <size_t N, size_t... I> struct count : count<N - 1, N - 1, I...> {
    };
    template <size_t... I> struct count<0, I...> {
        using type = indices<I...>;
    };
    template <void (*K)(A...)> static const void *entry(const char *name)
    {
        return count<sizeof...(A)>::type::template of<K>::entry(name);
    }
};

#define TSC_ENTRY(NAME, ...) \
    tsc_sim_signature<decltype(&__VA_ARGS__)>::template entry<__VA_ARGS__>(NAME)

/* --- arithmetic that nvcc has as instructions --- */

#define tsc_shuffle_xor(v, lanes) __shfl_xor_sync(0xFFFFFFFFu, v, lanes)

static inline float tsc_exp(float v)
{
    return expf(v);
}

static inline double tsc_exp(double v)
{
    return exp(v);
}

static inline uint32_t tsc_float_bits(float v)
{
    uint32_t u;

    memcpy(&u, &v, sizeof u);
    return u;
}

static inline float tsc_bits_float(uint32_t u)
{
    float v;

    memcpy(&v, &u, sizeof v);
    return v;
}

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Lines of elements over several tensors at once. */
#include "core/core.h"

/* Drop dims of size 1 and merge neighbours that every tensor walks as one. */
static void coalesce(tsi_iter *it)
{
    int n = 0;

    for (int d = 0; d < it->ndim; d++) {
        const int64_t size = it->sizes[d];
        bool merge = n > 0;

        if (size == 1)
            continue;
        for (int k = 0; merge && k < it->count; k++)
            merge = it->strides[k][n - 1] == size * it->strides[k][d];
        if (!merge) {
            n++;
            it->sizes[n - 1] = 1;
        }
        it->sizes[n - 1] *= size;
        for (int k = 0; k < it->count; k++)
            it->strides[k][n - 1] = it->strides[k][d];
    }
    it->ndim = n;
}

void tsi_iter_pointwise(tsi_iter *it, const ts_tensor *shape, int count,
                        ts_tensor *const *t)
{
    it->count = count;
    it->ndim = shape->ndim;
    it->started = false;
    it->empty = shape->numel == 0;
    memcpy(it->sizes, shape->sizes, (size_t)shape->ndim * sizeof *it->sizes);
    for (int k = 0; k < count; k++) {
        const int missing = shape->ndim - t[k]->ndim;

        it->at[k] = 0;
        for (int d = 0; d < shape->ndim; d++) {
            const int own = d - missing;

            it->strides[k][d] = own < 0 || t[k]->sizes[own] == 1 ? 0 : t[k]->strides[own];
        }
    }
    coalesce(it);
    it->n = 1;
    if (it->ndim > 0)
        it->n = it->sizes[--it->ndim];
    for (int k = 0; k < count; k++)
        it->step[k] = it->n > 1 ? it->strides[k][it->ndim] : 0;
    memset(it->index, 0, (size_t)it->ndim * sizeof *it->index);
}

void tsi_iter_dim(tsi_iter *it, int dim, int count, ts_tensor *const *t)
{
    const int ndim = t[0]->ndim;
    int outer = 0;

    it->count = count;
    it->started = it->empty = false;
    it->n = ndim > 0 ? t[0]->sizes[dim] : 1;
    for (int d = 0; d < ndim; d++) {
        if (d == dim)
            continue;
        it->sizes[outer] = t[0]->sizes[d];
        it->empty |= t[0]->sizes[d] == 0;
        for (int k = 0; k < count; k++)
            it->strides[k][outer] = t[k]->strides[d];
        outer++;
    }
    it->ndim = outer;
    for (int k = 0; k < count; k++) {
        it->at[k] = 0;
        it->step[k] = ndim > 0 ? t[k]->strides[dim] : 0;
    }
    memset(it->index, 0, (size_t)outer * sizeof *it->index);
}

bool tsi_iter_next(tsi_iter *it)
{
    if (!it->started) {
        it->started = true;
        return !it->empty;
    }
    for (int d = it->ndim - 1; d >= 0; d--) {
        if (++it->index[d] < it->sizes[d]) {
            for (int k = 0; k < it->count; k++)
                it->at[k] += it->strides[k][d];
            return true;
        }
        it->index[d] = 0;
        for (int k = 0; k < it->count; k++)
            it->at[k] -= (it->sizes[d] - 1) * it->strides[k][d];
    }
    return false;
}

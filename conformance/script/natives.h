/* SPDX-License-Identifier: Apache-2.0 */
/* Functions and methods that are the language's own, not an op's binding. */
#ifndef TSI_NATIVES_H
#define TSI_NATIVES_H

/* NATIVE(id, name) */
#define TSI_NATIVES(NATIVE)                                 \
    NATIVE(NORMAL, "normal")                                \
    NATIVE(UNIFORM, "uniform")                              \
    NATIVE(INTEGERS, "integers")                            \
    NATIVE(BOOLS, "bools")                                  \
    NATIVE(PERMUTATION, "permutation")                      \
    NATIVE(DISTINCT, "distinct")                            \
    NATIVE(DATA, "data")                                    \
    NATIVE(EXPECT, "expect")                                \
    NATIVE(EXPECT_EQUAL, "expect_equal")                    \
    NATIVE(EXPECT_VIEW_OF, "expect_view_of")                \
    NATIVE(EXPECT_COPY_OF, "expect_copy_of")                \
    NATIVE(EXPECT_SAME, "expect_same")                      \
    NATIVE(EXPECT_STRIDES, "expect_strides")                \
    NATIVE(EXPECT_ANY, "expect_any")                        \
    NATIVE(EXPECT_UNTOUCHED, "expect_untouched")            \
    NATIVE(EXPECT_WARNS, "expect_warns")                    \
    NATIVE(EXPECT_ERROR, "expect_error")                    \
    NATIVE(EXPECT_CLOSE, "expect_close")                    \
    NATIVE(RANGE, "range")                                  \
    NATIVE(LEN, "len")                                      \
    NATIVE(MIN, "min")                                      \
    NATIVE(MAX, "max")                                      \
    NATIVE(INT, "int")                                      \
    NATIVE(FLOAT, "float")                                  \
    NATIVE(BOOL, "bool")                                    \
    NATIVE(ABS, "abs")                                      \
    NATIVE(TENSOR, "torch.tensor")                          \
    NATIVE(FINFO, "torch.finfo")                            \
    NATIVE(IINFO, "torch.iinfo")                            \
    NATIVE(RESULT_TYPE, "torch.result_type")                \
    NATIVE(CAN_CAST, "torch.can_cast")                      \
    NATIVE(PROMOTE_TYPES, "torch.promote_types")            \
    NATIVE(IS_GRAD_ENABLED, "torch.is_grad_enabled")        \
    NATIVE(NO_GRAD, "torch.no_grad")                        \
    NATIVE(ENABLE_GRAD, "torch.enable_grad")                \
    NATIVE(SET_GRAD_ENABLED, "torch.set_grad_enabled")      \
    NATIVE(SIZE, "torch.Size")                              \
    NATIVE(DEVICE, "torch.device")                          \
    NATIVE(IS_TENSOR, "torch.is_tensor")                    \
    NATIVE(IS_FLOATING_POINT, "torch.is_floating_point")    \
    NATIVE(BACKWARD, "autograd.backward")                   \
    NATIVE(GRAD, "autograd.grad")                           \
    NATIVE(GRADCHECK, "autograd.gradcheck")                 \
    NATIVE(M_SIZE, "Tensor.size")                           \
    NATIVE(M_STRIDE, "Tensor.stride")                       \
    NATIVE(M_STORAGE_OFFSET, "Tensor.storage_offset")       \
    NATIVE(M_NUMEL, "Tensor.numel")                         \
    NATIVE(M_NELEMENT, "Tensor.nelement")                   \
    NATIVE(M_DIM, "Tensor.dim")                             \
    NATIVE(M_NDIMENSION, "Tensor.ndimension")               \
    NATIVE(M_ELEMENT_SIZE, "Tensor.element_size")           \
    NATIVE(M_DATA_PTR, "Tensor.data_ptr")                   \
    NATIVE(M_IS_CONTIGUOUS, "Tensor.is_contiguous")         \
    NATIVE(M_IS_FLOATING_POINT, "Tensor.is_floating_point") \
    NATIVE(M_ITEM, "Tensor.item")                           \
    NATIVE(M_TOLIST, "Tensor.tolist")                       \
    NATIVE(M_BACKWARD, "Tensor.backward")                   \
    NATIVE(M_RETAIN_GRAD, "Tensor.retain_grad")             \
    NATIVE(M_REGISTER_HOOK, "Tensor.register_hook")         \
    NATIVE(M_REQUIRES_GRAD_, "Tensor.requires_grad_")       \
    NATIVE(M_FLOAT, "Tensor.float")                         \
    NATIVE(M_HALF, "Tensor.half")                           \
    NATIVE(M_DOUBLE, "Tensor.double")                       \
    NATIVE(M_LONG, "Tensor.long")                           \
    NATIVE(M_INT, "Tensor.int")                             \
    NATIVE(M_SHORT, "Tensor.short")                         \
    NATIVE(M_CHAR, "Tensor.char")                           \
    NATIVE(M_BYTE, "Tensor.byte")                           \
    NATIVE(M_BOOL, "Tensor.bool")                           \
    NATIVE(M_BFLOAT16, "Tensor.bfloat16")                   \
    NATIVE(M_TO, "Tensor.to")                               \
    NATIVE(M_CPU, "Tensor.cpu")                             \
    NATIVE(M_TYPE_AS, "Tensor.type_as")

typedef enum tsi_native {
    NATIVE_NONE,
#define NATIVE(id, name) NATIVE_##id,
    TSI_NATIVES(NATIVE)
#undef NATIVE
        NATIVE_COUNT
} tsi_native;

#endif

#pragma once

/// What nccl.h takes from the CUDA runtime, which is not part of the program: stream and event are the driver's own
/// (cudaStream_t and CUstream are the same pointer in NVIDIA's headers, as are cudaEvent_t and CUevent).
#include <cuda.h>
#include <stddef.h>  // NOLINT: nccl.h is a C header and takes size_t from here

typedef CUstream cudaStream_t;  // NOLINT: as the C header has it
typedef CUevent cudaEvent_t;    // NOLINT

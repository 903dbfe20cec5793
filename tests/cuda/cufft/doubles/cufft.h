// The part of cuFFT that its double answers and its users call, written down by hand from cufft.h
// and cufftXt.h of CUDA 13.0. Enumerations are passed as int.
#pragma once

#include "opaque.h"

extern "C" {

int cufftCreate(int* plan);
int cufftPlan1d(int* plan, int nx, int type, int batch);
int cufftPlan2d(int* plan, int nx, int ny, int type);
int cufftPlan3d(int* plan, int nx, int ny, int nz, int type);
int cufftPlanMany(int* plan, int rank, int* n, int* in_embed, int in_stride, int in_distance,
                  int* out_embed, int out_stride, int out_distance, int type, int batch);
int cufftDestroy(int plan);
int cufftXtSetCallback(int plan, void** routine, int type, void** info);
int cufftXtSetJITCallback(int plan, const char* symbol, const void* code, size_t code_size,
                          int type, void** info);
int cufftXtSetGPUs(int plan, int count, int* which);
int cufftGetVersion(int* version);
int cufftExecC2C(int plan, void* in, void* out, int direction);
int cufftExecZ2Z(int plan, void* in, void* out, int direction);
int cufftExecR2C(int plan, void* in, void* out);
int cufftExecD2Z(int plan, void* in, void* out);
int cufftExecC2R(int plan, void* in, void* out);
int cufftExecZ2D(int plan, void* in, void* out);
int cufftXtExec(int plan, void* in, void* out, int direction);
int cufftXtExecDescriptor(int plan, void* in, void* out, int direction);
int cufftXtExecDescriptorC2C(int plan, void* in, void* out, int direction);
int cufftXtExecDescriptorZ2Z(int plan, void* in, void* out, int direction);
int cufftXtExecDescriptorR2C(int plan, void* in, void* out);
int cufftXtExecDescriptorD2Z(int plan, void* in, void* out);
int cufftXtExecDescriptorC2R(int plan, void* in, void* out);
int cufftXtExecDescriptorZ2D(int plan, void* in, void* out);

} // extern "C"

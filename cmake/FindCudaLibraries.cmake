# Finds NVIDIA's libraries for the tests that use the real ones. Nothing of the project needs them to build.
#
#   find_package(CudaLibraries MODULE)
#
# Looks, in this order, in DETSHIM_CUDA_ROOT, CUDAToolkit_ROOT (variable, then environment), CUDA_PATH
# (environment), the Python packages nvidia-* of an active virtual environment and of the system, and
# /usr/local/cuda. A root may be a toolkit (include/, lib64/), or a site-packages folder of those packages
# (nvidia/<package>/{include,lib}).
#
# Sets CudaLibraries_INCLUDE_DIRS, and for each of curand, cudnn, cublas, cusparse, cusolver, cufft and nccl
#   CudaLibraries_<name>_HEADER    folder of its header, or …-NOTFOUND
#   CudaLibraries_<name>_LIBRARY   the shared library, or …-NOTFOUND
# with an imported target cuda::<name> where both were found and the runtime's headers, which they include.
# CudaLibraries_cudnn_VERSION is like 9.19.0. CudaLibraries_frontend_HEADER is the folder of cudnn_frontend.h, or
# …-NOTFOUND.

set(DETSHIM_CUDA_ROOT "" CACHE PATH "folder with NVIDIA's headers and libraries, for the tests")

set(_roots ${DETSHIM_CUDA_ROOT} ${CUDAToolkit_ROOT} $ENV{CUDAToolkit_ROOT} $ENV{CUDA_PATH})
file(GLOB _wheels LIST_DIRECTORIES true
  ${DETSHIM_CUDA_ROOT}/nvidia/*
  $ENV{VIRTUAL_ENV}/lib/python3*/site-packages/nvidia/*
  $ENV{CONDA_PREFIX}/lib/python3*/site-packages/nvidia/*
  /usr/local/lib/python3*/site-packages/nvidia/*
  /usr/local/lib/python3*/dist-packages/nvidia/*
  /usr/lib/python3/dist-packages/nvidia/*)
list(APPEND _roots ${_wheels} /usr/local/cuda)

# The packages hold lib<name>.so.<major> alone, without the link that a toolkit has.
function(_find_cuda_library name header major)
  find_path(CudaLibraries_${name}_HEADER ${header} PATHS ${_roots} PATH_SUFFIXES include NO_DEFAULT_PATH)
  find_library(CudaLibraries_${name}_LIBRARY NAMES lib${name}.so.${major} PATHS ${_roots}
    PATH_SUFFIXES lib64 lib lib/x86_64-linux-gnu NO_DEFAULT_PATH)
  mark_as_advanced(CudaLibraries_${name}_HEADER CudaLibraries_${name}_LIBRARY)
endfunction()
_find_cuda_library(curand curand.h 10)
_find_cuda_library(cudnn cudnn.h 9)
_find_cuda_library(cublas cublas_v2.h 13)
_find_cuda_library(cusparse cusparse.h 12)
_find_cuda_library(cusolver cusolverDn.h 12)
_find_cuda_library(cufft cufftXt.h 12)
_find_cuda_library(nccl nccl.h 2)
find_path(CudaLibraries_runtime_HEADER cuda_runtime_api.h PATHS ${_roots} PATH_SUFFIXES include
  NO_DEFAULT_PATH)
find_path(CudaLibraries_driver_HEADER cuda.h PATHS ${_roots} PATH_SUFFIXES include NO_DEFAULT_PATH)
find_path(CudaLibraries_frontend_HEADER cudnn_frontend.h PATHS ${_roots} PATH_SUFFIXES include NO_DEFAULT_PATH)
mark_as_advanced(CudaLibraries_runtime_HEADER CudaLibraries_driver_HEADER CudaLibraries_frontend_HEADER)

# Each package has an include folder of its own, and the headers include each other.
set(CudaLibraries_INCLUDE_DIRS "")
foreach(_name curand cudnn cublas cusparse cusolver cufft nccl runtime driver)
  if(CudaLibraries_${_name}_HEADER)
    list(APPEND CudaLibraries_INCLUDE_DIRS ${CudaLibraries_${_name}_HEADER})
  endif()
endforeach()
list(REMOVE_DUPLICATES CudaLibraries_INCLUDE_DIRS)

if(CudaLibraries_cudnn_HEADER AND EXISTS ${CudaLibraries_cudnn_HEADER}/cudnn_version.h)
  file(READ ${CudaLibraries_cudnn_HEADER}/cudnn_version.h _text)
  string(REGEX REPLACE ".*CUDNN_MAJOR ([0-9]+).*CUDNN_MINOR ([0-9]+).*CUDNN_PATCHLEVEL ([0-9]+).*"
    "\\1.\\2.\\3" CudaLibraries_cudnn_VERSION "${_text}")
endif()

foreach(_name curand cudnn cublas cusparse cusolver cufft nccl)
  if(CudaLibraries_${_name}_HEADER AND CudaLibraries_${_name}_LIBRARY AND CudaLibraries_runtime_HEADER
      AND NOT TARGET cuda::${_name})
    add_library(cuda::${_name} SHARED IMPORTED)
    set_target_properties(cuda::${_name} PROPERTIES
      IMPORTED_LOCATION ${CudaLibraries_${_name}_LIBRARY}
      INTERFACE_INCLUDE_DIRECTORIES "${CudaLibraries_INCLUDE_DIRS}")
  endif()
endforeach()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(CudaLibraries
  REQUIRED_VARS CudaLibraries_curand_LIBRARY CudaLibraries_cudnn_LIBRARY CudaLibraries_INCLUDE_DIRS)

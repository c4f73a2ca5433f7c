// The few entries of libgomp that the kernels use, declared here because clang's <omp.h> belongs to another library.
#pragma once

extern "C" {
int omp_get_max_threads(void);
void omp_set_num_threads(int);
int omp_get_dynamic(void);
void omp_set_dynamic(int);
int omp_get_thread_limit(void);
int omp_in_parallel(void);
int omp_get_thread_num(void);
int omp_get_num_threads(void);
void GOMP_parallel(void (*fn)(void*), void* data, unsigned threads, unsigned flags);
}

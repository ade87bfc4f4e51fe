/* The function that a wrapper stands for. */
#ifndef NEXT_H
#define NEXT_H

#include <dlfcn.h>
#include <stddef.h>

/*
 * The function of this name in the libraries behind this one: of another preloaded library, else of the C library. Of
 * conditions glibc has an older kind under the same names (GLIBC_2.2.5), which dlsym of old versions gives.
 */
static inline void *next_function(const char *name)
{
	void *found = dlsym(RTLD_NEXT, name);
	void *newer = found == dlvsym(RTLD_NEXT, name, "GLIBC_2.2.5") ? dlvsym(RTLD_NEXT, name, "GLIBC_2.3.2") : NULL;
	return newer == NULL ? found : newer;
}

#endif

// code loaded at run time
// expect: unsupported 7 contains dlopen
#include <dlfcn.h>
#include <stddef.h>

int main(void) {
    void *lib = dlopen("libm.so.6", RTLD_NOW); // BUG
    return lib == NULL;
}

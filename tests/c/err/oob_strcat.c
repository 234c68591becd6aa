// strcat runs over the end of a local buffer
// expect: out-of-bounds 9
#include <string.h>

int main(void) {
    char path[12] = "/usr";
    const char *part[3] = {"/local", "/", "bin"};
    for (int i = 0; i < 3; i++)
        strcat(path, part[i]); // BUG
    return path[0];
}

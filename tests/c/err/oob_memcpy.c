// memcpy writes more than the destination holds: the report names the program's call
// expect: out-of-bounds 14
#include <string.h>

struct packet {
    unsigned char header[4];
    unsigned char body[12];
};

int main(void) {
    struct packet p = {{1, 2, 3, 4}, {0}};
    unsigned char out[12];
    size_t n = sizeof p;
    memcpy(out, &p, n); // BUG
    return out[0];
}

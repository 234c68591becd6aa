// the network
// expect: unsupported 6 contains socket
#include <sys/socket.h>

int main(void) {
    int s = socket(AF_INET, SOCK_STREAM, 0); // BUG
    return s < 0;
}

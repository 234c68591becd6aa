// a global pointer still points to a local array of a function that has returned
// expect: use-after-free 13
static char *message;

static void prepare(void) {
    char text[16] = "hello";
    message = text;
    message[0] = 'H';
}

int main(void) {
    prepare();
    message[1] = 'E'; // BUG
    return 0;
}

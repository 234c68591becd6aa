// a loop bound that was never set
// expect: uninitialised-read 10
struct vector {
    unsigned length;
    int item[4];
};

static int total(const struct vector *v) {
    int sum = 0;
    for (unsigned i = 0; i < v->length && i < 4; i++) // BUG
        sum += v->item[i];
    return sum;
}

int main(void) {
    struct vector v;
    v.item[0] = 1;
    return total(&v);
}

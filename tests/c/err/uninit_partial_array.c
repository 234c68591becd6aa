// the sum of an array of which one element was left out
// expect: uninitialised-read 10
int main(void) {
    int a[6], sum = 0;
    for (int i = 0; i < 6; i++)
        if (i != 4)
            a[i] = i;
    for (int i = 0; i < 6; i++)
        sum += a[i];
    if (sum > 10) // BUG
        return 1;
    return 0;
}

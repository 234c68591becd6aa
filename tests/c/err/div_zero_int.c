// int division by zero
// expect: crash 4
static int mean(int sum, int n) {
    return sum / n; // BUG
}

int main(void) {
    return mean(10, 2) + mean(0, 0);
}

#include "harness.h"
void test_ctype(void) {}

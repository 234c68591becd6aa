// errno: set by library calls, preserved, strerror texts, values.
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int main(void) {
  printf("%d\n", errno);
  errno = 0;
  strtol("99999999999999999999", NULL, 10);
  printf("%d %s\n", errno, strerror(errno));
  errno = 0;
  long r = close(-1);
  printf("%ld %d %s\n", r, errno, strerror(errno));
  volatile double neg = -1, zero = 0;
  errno = 0;
  volatile double s = sqrt(neg);
  printf("%d %d\n", errno == EDOM, isnan(s) != 0);
  errno = 0;
  s = log(zero);
  printf("%d %d\n", errno == ERANGE, isinf(s) != 0);
  errno = 0;
  volatile double big = 1000;
  s = exp(big);
  printf("%d\n", errno == ERANGE);
  errno = 77;
  printf("%d\n", errno);
  int *p = &errno;
  *p = 5;
  printf("%d %d\n", errno, errno == EIO);
  printf("%d %d %d %d %d %d\n", EPERM, EINTR, EAGAIN, ENOMEM, EINVAL, ERANGE);
  printf("%s|%s|%s\n", strerror(0), strerror(EINVAL), strerror(ENOMEM));
  return ENOMEM;
}

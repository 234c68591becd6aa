#ifndef TYPES_H
#define TYPES_H
#include <complex.h>
#include <stdarg.h>
typedef struct { char c; } s1;
typedef struct { float x, y, z, w; } f4;
typedef struct { double d; float f; } df;
typedef struct { float f; int i; } fi;
typedef struct { long l; float f[2]; } lff;
typedef struct { long double l; } ld1;
typedef struct { __int128 q; } q1;
typedef struct { _Alignas(32) int v[8]; } a32;
typedef struct { int a[3]; short b; } i3s;
typedef union { double d; long l; float f; } du;
typedef struct { struct { struct { float f; } a; double d; } in; } deep;
typedef int v4i __attribute__((vector_size(16)));
typedef float v2f __attribute__((vector_size(8)));
s1 p_s1(s1);
f4 p_f4(f4, float);
df p_df(df);
fi p_fi(fi, fi);
lff p_lff(lff);
ld1 p_ld1(ld1, int);
q1 p_q1(int, q1);
a32 p_a32(int, a32, int);
i3s p_i3s(i3s);
du p_du(du);
deep p_deep(deep);
v4i p_v4i(v4i, v4i);
v2f p_v2f(v2f);
float complex p_cf(float complex, float);
double complex p_cd(double complex, double complex);
long double complex p_cl(long double complex);
__int128 p_q(int, __int128, int, __int128, __int128, int, __int128);
double p_stack(int, int, int, int, int, int, s1, short, df, f4, double, double, double, double, double, double, double, double, df, char);
double p_var(int n, ...);
_Bool p_bool(_Bool, char, unsigned char, short);
#endif

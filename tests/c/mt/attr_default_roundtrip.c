// scope, scheduling policy, guard size and inheritance of the attributes come back as they were set
#include <pthread.h>
#include <sched.h>
#include <stdio.h>

int main(void) {
    pthread_attr_t attr;
    int scope = -1, policy = -1, inherit = -1;
    size_t guard = 0;
    pthread_attr_init(&attr);
    pthread_attr_getscope(&attr, &scope);
    printf("system scope %d\n", scope == PTHREAD_SCOPE_SYSTEM);
    pthread_attr_getschedpolicy(&attr, &policy);
    printf("other policy %d\n", policy == SCHED_OTHER);
    pthread_attr_getinheritsched(&attr, &inherit);
    printf("inherit %d\n", inherit == PTHREAD_INHERIT_SCHED);
    pthread_attr_setguardsize(&attr, 8192);
    pthread_attr_getguardsize(&attr, &guard);
    printf("guard %zu\n", guard);
    pthread_attr_destroy(&attr);
    return 0;
}

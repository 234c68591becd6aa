/* Thread attributes and scheduling policies, shared by pthread_thread.c, pthread_attr.c and pthread_sched.c. */
#ifndef TB_ATTR_H
#define TB_ATTR_H

#include "tb_pthread.h"

/* The 56 bytes of pthread_attr_t. */
struct tb_attr {
    unsigned char detach;
    unsigned char inherit;
    unsigned char scope;
    unsigned char has_sigmask;
    int policy;
    int priority;
    size_t guard_size;
    size_t stack_size;
    void *stack; /* its lowest byte, or NULL */
    unsigned long sigmask;
};
_Static_assert(sizeof(struct tb_attr) <= sizeof(pthread_attr_t), "thread attributes");

INLINE const struct tb_attr *tb_attr_of(const pthread_attr_t *attr) { return (const struct tb_attr *)attr; }

/* The policies that an ordinary user may not set. */
INLINE bool tb_policy_needs_privilege(int policy) { return policy == SCHED_FIFO || policy == SCHED_RR; }
INLINE bool tb_policy_is_ordinary(int policy)
{
    return policy == SCHED_OTHER || policy == SCHED_BATCH || policy == SCHED_IDLE;
}
INLINE bool tb_policy_is_valid(int policy) { return tb_policy_is_ordinary(policy) || tb_policy_needs_privilege(policy); }

#endif

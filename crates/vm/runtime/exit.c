/* How a program ends in order: exit and its handlers, quick_exit. */
#include "tb_internal.h"

#include <stdlib.h>
#include <unistd.h>

enum handler_kind { PLAIN, WITH_STATUS, WITH_ARGUMENT };

struct handler {
    enum handler_kind kind;
    union {
        void (*plain)(void);
        void (*with_status)(int, void *);
        void (*with_argument)(void *);
    } call;
    void *argument;
};

/* Handlers run in reverse. The first block is static; a program that registers more gets more. */
struct block {
    struct block *previous;
    int used;
    struct handler handlers[32];
};

struct list {
    struct block *last; /* NULL as long as nothing was ever registered */
    struct block first;
};

static struct list at_exit, quick;

static struct handler *new_handler(struct list *list)
{
    __tb_hidden_state(list);
    struct block *block = list->last;
    if (!block) {
        block = list->last = &list->first;
    } else if (block->used == (int)(sizeof block->handlers / sizeof block->handlers[0])) {
        block = __tbi_alloc(sizeof *block);
        if (!block)
            return NULL;
        block->previous = list->last;
        block->used = 0;
        list->last = block;
    }
    return &block->handlers[block->used++];
}

/* Takes the newest handler away; false when none is left. One that is registered meanwhile is the next. A program that
 * never registers any must not pay a visible operation for that: exit is not thread-safe in glibc either. */
static bool take_handler(struct list *list, struct handler *taken)
{
    if (!list->last)
        return false;
    __tb_hidden_state(list);
    struct block *block = list->last, *empty = NULL;
    if (block->used == 0 && block != &list->first) {
        empty = block;
        block = list->last = block->previous;
    }
    bool found = block->used > 0;
    if (found)
        *taken = block->handlers[--block->used];
    __tbi_free(empty);
    return found;
}

/* Most programs have none. A search ends each execution here, so that they should not pay for those that do. */
static __attribute__((noinline)) void run_handlers_of(struct list *list, int status)
{
    struct handler handler;
    while (take_handler(list, &handler))
        switch (handler.kind) {
        case PLAIN:
            handler.call.plain();
            break;
        case WITH_STATUS:
            handler.call.with_status(status, handler.argument);
            break;
        case WITH_ARGUMENT:
            handler.call.with_argument(handler.argument);
            break;
        }
}

static void run_handlers(struct list *list, int status)
{
    if (list->last)
        run_handlers_of(list, status);
}

static int add_plain(struct list *list, void (*function)(void))
{
    __tb_need_function(function, 0);
    struct handler *handler = new_handler(list);
    if (!handler)
        return -1;
    handler->kind = PLAIN;
    handler->call.plain = function;
    handler->argument = NULL;
    return 0;
}

int atexit(void (*function)(void)) { return add_plain(&at_exit, function); }

int at_quick_exit(void (*function)(void)) { return add_plain(&quick, function); }

int on_exit(void (*function)(int, void *), void *argument)
{
    __tb_need_function((void (*)(void))function, 2);
    struct handler *handler = new_handler(&at_exit);
    if (!handler)
        return -1;
    handler->kind = WITH_STATUS;
    handler->call.with_status = function;
    handler->argument = argument;
    return 0;
}

int __cxa_atexit(void (*function)(void *), void *argument, void *library)
{
    (void)library;
    struct handler *handler = new_handler(&at_exit);
    if (!handler)
        return -1;
    handler->kind = WITH_ARGUMENT;
    handler->call.with_argument = function;
    handler->argument = argument;
    return 0;
}

void __tbi_exit(int status)
{
    run_handlers(&at_exit, status);
    __tb_exit(status & 0xff);
}

void exit(int status) { __tbi_exit(status); }

void quick_exit(int status)
{
    run_handlers(&quick, status);
    __tb_exit(status & 0xff);
}

void _exit(int status) { __tb_exit(status & 0xff); }

void _Exit(int status) { __tb_exit(status & 0xff); }

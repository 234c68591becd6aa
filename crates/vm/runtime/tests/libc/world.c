/* The machine's primitives over the native system, so that the runtime can be run without the machine. */
#include "harness.h"

#include "../../tb_threads.h"

#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

struct world world;
enum end world_end;
int world_code;
const char *world_what;
jmp_buf world_jump;

void world_reset(void)
{
    world.output_length = 0;
    world.output[0] = 0;
    world.output_fd = -1;
    world.writes = 0;
    world.hidden = 0;
    world.memory_left = SIZE_MAX;
    errno = 0;
}

void world_input(const char *text)
{
    world.input = text;
    world.input_length = strlen(text);
    world.read_block = 0;
}

/* Sizes of live objects: the primitives know them exactly, malloc does not tell. */
struct object {
    void *start;
    size_t size;
};
static struct object objects[1 << 16];

static struct object *find_object(const void *p)
{
    size_t slot = (uintptr_t)p / 16 % (sizeof objects / sizeof objects[0]);
    for (size_t i = 0; i < sizeof objects / sizeof objects[0]; i++) {
        struct object *object = &objects[(slot + i) % (sizeof objects / sizeof objects[0])];
        if (object->start == p)
            return object;
        if (!object->start && !p)
            return object;
    }
    return NULL;
}

static struct object *free_slot(const void *p)
{
    size_t slot = (uintptr_t)p / 16 % (sizeof objects / sizeof objects[0]);
    while (objects[slot].start)
        slot = (slot + 1) % (sizeof objects / sizeof objects[0]);
    return &objects[slot];
}

void *__tb_malloc(size_t size, size_t align, int zeroed)
{
    void *p = NULL;
    if (size > world.memory_left || size > (size_t)1 << 32 || posix_memalign(&p, align < 8 ? 8 : align, size))
        return NULL;
    if (zeroed)
        memset(p, 0, size);
    *free_slot(p) = (struct object){p, size};
    world.live++;
    return p;
}

static struct object *live_object(const void *p)
{
    struct object *object = find_object(p);
    if (!object) {
        fprintf(stderr, "the runtime used an invalid pointer\n");
        abort();
    }
    return object;
}

void __tb_free(void *p)
{
    live_object(p)->start = NULL;
    world.live--;
    free(p);
}

void __tb_discard(void *p) { __tb_free(p); }

size_t __tb_object_size(const void *p) { return live_object(p)->size; }

void __tb_memcpy(void *to, const void *from, size_t n) { memcpy(to, from, n); }
void __tb_memmove(void *to, const void *from, size_t n) { memmove(to, from, n); }
void __tb_memset(void *to, int byte, size_t n) { memset(to, byte, n); }

long __tb_write(int fd, const void *from, size_t n)
{
    size_t room = sizeof world.output - 1 - world.output_length;
    memcpy(world.output + world.output_length, from, n < room ? n : room);
    world.output_length += n < room ? n : room;
    world.output[world.output_length] = 0;
    world.output_fd = fd;
    world.writes++;
    return (long)n;
}

long __tb_read(int fd, void *to, size_t n)
{
    (void)fd;
    if (n > world.input_length)
        n = world.input_length;
    if (world.read_block && n > world.read_block)
        n = world.read_block;
    if (n == 0)
        return 0;
    memcpy(to, world.input, n);
    world.input += n;
    world.input_length -= n;
    return (long)n;
}

static _Noreturn void end(enum end how, int code, const char *what)
{
    world_end = how;
    world_code = code;
    world_what = what;
    longjmp(world_jump, 1);
}

void __tb_exit(int status) { end(EXITED, status, NULL); }
void __tb_signal_death(int signal) { end(KILLED, signal, NULL); }
void __tb_unsupported(const char *what) { end(UNSUPPORTED, 0, what); }

void __tb_assert_fail(const char *expression, const char *file, unsigned line, const char *function)
{
    (void)file;
    (void)function;
    end(ASSERTED, (int)line, expression);
}

uint64_t __tb_clock(void) { return world.now; }
void __tb_sleep(uint64_t nanoseconds) { world.now += nanoseconds; }
void __tb_sleep_until(uint64_t nanoseconds)
{
    if (world.now < nanoseconds)
        world.now = nanoseconds;
}

void __tb_need_function(void (*function)(void), int arguments)
{
    (void)arguments;
    if (!function)
        abort();
}

/* There is one thread. */
int __tb_mutex_lock(void *mutex)
{
    (void)mutex;
    return 0;
}
int __tb_mutex_unlock(void *mutex)
{
    (void)mutex;
    return 0;
}

/* The last part of a path may be missing. */
static int find_file(const char *path, struct tb_host_file *to)
{
    char directory[PATH_MAX], real[PATH_MAX];
    const char *slash = strrchr(path, '/');
    snprintf(directory, sizeof directory, "%.*s", slash ? (int)(slash - path) + 1 : 1, slash ? path : ".");
    struct stat about;
    memset(to, 0, sizeof *to);
    if (!*path || !realpath(directory, real) || !path[slash ? slash - path + 1 : 0])
        return ENOENT;
    snprintf(to->name, sizeof to->name, "%s/%s", real, slash ? slash + 1 : path);
    to->directory_access = access(real, W_OK) ? 0 : W_OK;
    if (stat(path, &about))
        return ENOENT;
    to->size = (uint64_t)about.st_size;
    to->mode = about.st_mode;
    to->access = (access(path, R_OK) ? 0 : R_OK) | (access(path, W_OK) ? 0 : W_OK);
    return 0;
}

int __tb_host_file(const char *path, struct tb_host_file *to)
{
    int saved = errno, result = find_file(path, to);
    errno = saved;
    return result;
}

void __tb_host_read(const char *name, size_t offset, void *to, size_t n)
{
    int fd = open(name, O_RDONLY);
    if (pread(fd, to, n, (off_t)offset) != (ssize_t)n)
        abort();
    close(fd);
}

void __tb_hidden_state(const void *object)
{
    (void)object;
    world.hidden++;
}

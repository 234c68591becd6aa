/* Virtual files against glibc's, which are real: random programs do the same to both, and each step must give the same. */
#include "harness.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

OURS(fopen); OURS(fdopen); OURS(freopen); OURS(fclose); OURS(fputs); OURS(fputc); OURS(fwrite); OURS(fgetc); OURS(fgets);
OURS(fread); OURS(ungetc); OURS(fseek); OURS(ftell); OURS(rewind); OURS(fgetpos); OURS(fsetpos); OURS(fflush); OURS(setvbuf);
OURS(feof); OURS(ferror); OURS(clearerr); OURS(fileno); OURS(getline); OURS(free); OURS(tmpfile); OURS(remove); OURS(rename);
OURS(unlink); OURS(open); OURS(creat); OURS(read); OURS(write); OURS(pread); OURS(pwrite); OURS(lseek); OURS(close); OURS(dup);
OURS(dup2); OURS(ftruncate); OURS(truncate); OURS(fstat); OURS(stat); OURS(access); OURS(isatty); OURS(fsync); OURS(fcntl);
OURS(mkstemp); OURS(readv); OURS(writev); OURS(__errno_location); OURS(stdout); OURS(printf);
extern int tb_fprintf(FILE *, const char *, ...);
extern int tb_fscanf(FILE *, const char *, ...) __asm__("tb___isoc99_fscanf");

#define OUR_ERRNO (*tb___errno_location())
#define NAMES 4
#define STREAMS 4

/* What is the same file for both, under two names. */
static char folder[64], theirs[NAMES][96], ours[NAMES][96];

static void name_files(void)
{
    for (int i = 0; i < NAMES; i++) {
        snprintf(theirs[i], sizeof theirs[i], "%s/theirs%d", folder, i);
        snprintf(ours[i], sizeof ours[i], "%s/ours%d", folder, i);
    }
}

static struct pair {
    FILE *theirs, *ours;
    bool reads, writes;
    int last; /* 'r' or 'w': what may not follow without a seek */
} streams[STREAMS];

/* Each stream has its file. glibc reads ahead when it seeks, and then keeps back up to the end of a block of the file: with
 * several streams of a file that would show, so that they only write then, and else all is flushed before we look. */
static bool alone;

static void fill(char *text, size_t n)
{
    for (size_t i = 0; i < n; i++)
        text[i] = random_below(6) ? (char)('a' + random_below(26)) : '\n';
    text[n] = 0;
}

static size_t some_length(void)
{
    return random_below(8) ? random_below(60) : (size_t[]){4095, 4096, 4097, 9000, 128, 127}[random_below(6)];
}

static void open_pair(struct pair *pair)
{
    static const char *modes[] = {"r", "w", "a", "r+", "w+", "a+", "rb", "wbx", "w+e", "rb+", "q", ""};
    const char *mode = alone ? modes[random_below(12)] : random_below(3) ? "a" : "w";
    int i = alone ? (int)(pair - streams) : (int)random_below(NAMES);
    errno = OUR_ERRNO = 0;
    pair->theirs = fopen(theirs[i], mode);
    pair->ours = tb_fopen(ours[i], mode);
    CHECK(!pair->theirs == !pair->ours && errno == OUR_ERRNO, "fopen %s: %d, glibc %d", mode, OUR_ERRNO, errno);
    if (!pair->theirs || !pair->ours)
        return;
    pair->reads = mode[0] == 'r' || strchr(mode, '+');
    pair->writes = mode[0] != 'r' || strchr(mode, '+');
    pair->last = 0;
    if (random_below(4) == 0) {
        int kind = (int[]){_IOFBF, _IOLBF, _IONBF}[random_below(3)];
        CHECK(setvbuf(pair->theirs, NULL, kind, 0) == tb_setvbuf(pair->ours, NULL, kind, 0), "setvbuf");
    }
}

static void switch_to(struct pair *pair, int what)
{
    if (pair->last && pair->last != what) {
        int a = fseek(pair->theirs, 0, SEEK_CUR), b = tb_fseek(pair->ours, 0, SEEK_CUR);
        CHECK(a == b, "fseek to where it is: %d, glibc %d", b, a);
    }
    pair->last = what;
}

static void write_something(struct pair *pair)
{
    static char text[10000];
    /* Where it is not allowed, nothing is no error to glibc: that much alike we are not. */
    size_t n = some_length() + !pair->writes;
    fill(text, n);
    switch_to(pair, 'w');
    long a, b;
    switch (random_below(4)) {
    case 0:
        a = fputc(text[0], pair->theirs), b = tb_fputc(text[0], pair->ours);
        break;
    case 1:
        a = fputs(text, pair->theirs) == EOF, b = tb_fputs(text, pair->ours) == EOF;
        break;
    case 2:
        a = (long)fwrite(text, 1, n, pair->theirs), b = (long)tb_fwrite(text, 1, n, pair->ours);
        break;
    default:
        a = fprintf(pair->theirs, "%d %s\n", (int)n, "text"), b = tb_fprintf(pair->ours, "%d %s\n", (int)n, "text");
    }
    CHECK(pair->writes ? a == b : (a <= 0) == (b <= 0), "a write: %ld, glibc %ld", b, a);
}

static void read_something(struct pair *pair)
{
    static char x[10000], y[10000];
    size_t n = some_length() + !pair->reads;
    int a, b;
    switch_to(pair, 'r');
    /* Nor does glibc's fscanf note an error of the stream. */
    switch (random_below(pair->reads ? 4 : 3)) {
    case 0:
        a = fgetc(pair->theirs), b = tb_fgetc(pair->ours);
        if (a != EOF && b != EOF && random_below(3) == 0)
            CHECK(ungetc(a, pair->theirs) == tb_ungetc(b, pair->ours), "ungetc");
        break;
    case 1: {
        char *p = fgets(x, (int)n + 1, pair->theirs), *q = tb_fgets(y, (int)n + 1, pair->ours);
        a = p ? (int)strlen(x) : -1;
        b = q ? (int)strlen(y) : -1;
        CHECK(!p || !q || !strcmp(x, y), "fgets: \"%s\", glibc \"%s\"", y, x);
        break;
    }
    case 2:
        a = (int)fread(x, 1, n, pair->theirs), b = (int)tb_fread(y, 1, n, pair->ours);
        CHECK(a != b || !memcmp(x, y, (size_t)a), "fread");
        break;
    default: {
        int i = -1, k = -1;
        char v[40] = "", w[40] = "";
        a = fscanf(pair->theirs, "%d %30s", &i, v), b = tb_fscanf(pair->ours, "%d %30s", &k, w);
        CHECK(i == k && !strcmp(v, w), "fscanf: %d %s, glibc %d %s", k, w, i, v);
    }
    }
    CHECK(a == b, "a read: %d, glibc %d", b, a);
}

static void move(struct pair *pair)
{
    long offset = (long)random_below(200) - 60;
    int whence = (int[]){SEEK_SET, SEEK_CUR, SEEK_END}[random_below(3)];
    switch (random_below(5)) {
    case 0: {
        long a = ftell(pair->theirs), b = tb_ftell(pair->ours);
        CHECK(a == b, "ftell: %ld, glibc %ld", b, a);
        return;
    }
    case 1: {
        fpos_t x, y;
        CHECK(fgetpos(pair->theirs, &x) == tb_fgetpos(pair->ours, &y) &&
              fsetpos(pair->theirs, &x) == tb_fsetpos(pair->ours, &y), "fgetpos and fsetpos");
        break;
    }
    case 2:
        rewind(pair->theirs), tb_rewind(pair->ours);
        break;
    default: {
        errno = OUR_ERRNO = 0;
        int a = fseek(pair->theirs, offset, whence), b = tb_fseek(pair->ours, offset, whence);
        CHECK(a == b && errno == OUR_ERRNO, "fseek %ld %d: %d (%d), glibc %d (%d)", offset, whence, b, OUR_ERRNO, a, errno);
        if (a)
            return;
    }
    }
    pair->last = 0;
}

static void compare_flags(struct pair *pair)
{
    CHECK(!feof(pair->theirs) == !tb_feof(pair->ours), "feof: %d, glibc %d", tb_feof(pair->ours), feof(pair->theirs));
    CHECK(!ferror(pair->theirs) == !tb_ferror(pair->ours), "ferror: %d", tb_ferror(pair->ours));
}

static void compare_files(void)
{
    if (alone)
        fflush(NULL), tb_fflush(NULL);

    static char x[1 << 16], y[1 << 16];
    for (int i = 0; i < NAMES; i++) {
        int a = open(theirs[i], O_RDONLY), b = tb_open(ours[i], O_RDONLY);
        CHECK((a < 0) == (b < 0), "file %d is there", i);
        if (a < 0 || b < 0)
            continue;
        ssize_t n = read(a, x, sizeof x), m = tb_read(b, y, sizeof y);
        CHECK(n == m && !memcmp(x, y, (size_t)n), "file %d has %zd bytes, glibc %zd", i, m, n);
        struct stat p, q;
        CHECK(fstat(a, &p) == tb_fstat(b, &q) && p.st_size == q.st_size && p.st_mode == q.st_mode &&
              p.st_nlink == q.st_nlink, "fstat: mode %o, glibc %o", q.st_mode, p.st_mode);
        close(a), tb_close(b);
    }
}

static void names_change(void)
{
    int i = (int)random_below(NAMES), k = (int)random_below(NAMES);
    errno = OUR_ERRNO = 0;
    int a = random_below(2) ? rename(theirs[i], theirs[k]) : 2, b = a == 2 ? 2 : tb_rename(ours[i], ours[k]);
    if (a == 2)
        a = remove(theirs[i]), b = tb_remove(ours[i]);
    CHECK(a == b && errno == OUR_ERRNO, "rename or remove: %d (%d), glibc %d (%d)", b, OUR_ERRNO, a, errno);
}

static void close_pair(struct pair *pair)
{
    int a = fclose(pair->theirs), b = tb_fclose(pair->ours);
    CHECK(a == b, "fclose: %d, glibc %d", b, a);
    *pair = (struct pair){0};
}

static void random_streams(void)
{
    alone = random_below(2);
    for (int step = 0; step < 60; step++) {
        struct pair *pair = &streams[random_below(STREAMS)];
        if (!pair->theirs || !pair->ours) {
            open_pair(pair);
            continue;
        }
        switch (random_below(12)) {
        case 0:
        case 1:
        case 2:
            write_something(pair);
            break;
        case 3:
        case 4:
        case 5:
            read_something(pair);
            break;
        case 6:
        case 7:
            move(pair);
            break;
        case 8:
            CHECK(fflush(pair->theirs) == tb_fflush(pair->ours), "fflush");
            break;
        case 9:
            alone || random_below(3) ? compare_files() : names_change();
            break;
        case 10:
            if (random_below(2))
                clearerr(pair->theirs), tb_clearerr(pair->ours);
            break;
        default:
            close_pair(pair);
            continue;
        }
        compare_flags(pair);
    }
    for (int i = 0; i < STREAMS; i++)
        if (streams[i].theirs && streams[i].ours)
            close_pair(&streams[i]);
    compare_files();
    for (int i = 0; i < NAMES; i++)
        remove(theirs[i]), tb_remove(ours[i]);
}

/* ---- descriptors ---- */

#define SAME(call, our_call)                                                                                           \
    do {                                                                                                               \
        errno = OUR_ERRNO = 0;                                                                                         \
        long a_ = (long)(call), b_ = (long)(our_call);                                                                 \
        CHECK(a_ == b_ && errno == OUR_ERRNO, #call ": %ld (%d), glibc %ld (%d)", b_, OUR_ERRNO, a_, errno);           \
    } while (0)

static void random_descriptors(void)
{
    static char text[10000], x[10000], y[10000];
    int a[3] = {-1, -1, -1}, b[3] = {-1, -1, -1};
    for (int step = 0; step < 50; step++) {
        int i = (int)random_below(3), name = (int)random_below(NAMES);
        off_t at = (off_t)random_below(300) - 20;
        size_t n = some_length();
        fill(text, n);
        if (a[i] < 0 || b[i] < 0) {
            int flags = (int[]){O_RDONLY, O_WRONLY, O_RDWR}[random_below(3)];
            flags |= (random_below(3) ? O_CREAT : 0) | (random_below(5) ? 0 : O_EXCL) | (random_below(4) ? 0 : O_TRUNC) |
                     (random_below(4) ? 0 : O_APPEND);
            if (!(flags & O_CREAT))
                flags &= ~O_EXCL;
            errno = OUR_ERRNO = 0;
            a[i] = open(theirs[name], flags, 0640), b[i] = tb_open(ours[name], flags, 0640);
            CHECK((a[i] < 0) == (b[i] < 0) && errno == OUR_ERRNO, "open %o: %d, glibc %d", flags, OUR_ERRNO, errno);
            continue;
        }
        switch (random_below(11)) {
        case 0:
        case 1:
            SAME(write(a[i], text, n), tb_write(b[i], text, n));
            break;
        case 2:
        case 3:
            memset(x, 0, sizeof x), memset(y, 0, sizeof y);
            SAME(read(a[i], x, n), tb_read(b[i], y, n));
            CHECK(!memcmp(x, y, n), "the bytes of read");
            break;
        case 4:
            SAME(pwrite(a[i], text, n, at), tb_pwrite(b[i], text, n, at));
            break;
        case 5:
            memset(x, 0, sizeof x), memset(y, 0, sizeof y);
            SAME(pread(a[i], x, n, at), tb_pread(b[i], y, n, at));
            CHECK(!memcmp(x, y, n), "the bytes of pread");
            break;
        case 6: {
            int whence = (int[]){SEEK_SET, SEEK_CUR, SEEK_END, 77}[random_below(4)];
            SAME(lseek(a[i], at, whence), tb_lseek(b[i], at, whence));
            break;
        }
        case 7:
            SAME(ftruncate(a[i], at), tb_ftruncate(b[i], at));
            break;
        case 8: {
            int k = (i + 1) % 3;
            if (a[k] >= 0 && b[k] >= 0)
                SAME(close(a[k]), tb_close(b[k]));
            a[k] = dup(a[i]), b[k] = tb_dup(b[i]);
            break;
        }
        case 9:
            SAME(fcntl(a[i], F_GETFL) & (O_ACCMODE | O_APPEND), tb_fcntl(b[i], F_GETFL) & (O_ACCMODE | O_APPEND));
            break;
        default:
            SAME(close(a[i]), tb_close(b[i]));
            a[i] = b[i] = -1;
        }
    }
    for (int i = 0; i < 3; i++)
        if (a[i] >= 0)
            close(a[i]), tb_close(b[i]);
    compare_files();
    for (int i = 0; i < NAMES; i++)
        remove(theirs[i]), tb_remove(ours[i]);
}

/* ---- what is not random ---- */

static void single_things(void)
{
    char path[128], bytes[64] = "";
    snprintf(path, sizeof path, "%s/host", folder);
    FILE *host = fopen(path, "w");
    fputs("as it is\n", host);
    fclose(host);
    FILE *file = tb_fopen(path, "r+");
    CHECK(file && tb_fgets(bytes, sizeof bytes, file) && !strcmp(bytes, "as it is\n"), "a file of the host");
    tb_rewind(file);
    tb_fputs("changed!", file);
    tb_rewind(file);
    CHECK(tb_fgets(bytes, sizeof bytes, file) && !strcmp(bytes, "changed!\n"), "written: %s", bytes);
    tb_fclose(file);
    CHECK(tb_remove(path) == 0 && !tb_fopen(path, "r") && OUR_ERRNO == ENOENT && access(path, F_OK) == 0, "removed here");
    CHECK(!tb_fopen(folder, "w") && OUR_ERRNO == EISDIR, "a directory cannot be written");
    CHECK(!tb_fopen("/nowhere/file", "w") && OUR_ERRNO == ENOENT, "no directory");
    unlink(path);

    file = tb_tmpfile();
    CHECK(file && tb_fprintf(file, "%d", 7) == 1, "tmpfile");
    tb_rewind(file);
    CHECK(tb_fgetc(file) == '7' && tb_fgetc(file) == EOF && tb_fclose(file) == 0, "tmpfile is read");

    char name[128];
    snprintf(name, sizeof name, "%s/tXXXXXX", folder);
    int fd = tb_mkstemp(name);
    CHECK(fd >= 3 && !strstr(name, "XX") && tb_write(fd, "ab", 2) == 2 && access(name, F_OK), "mkstemp: %s", name);
    FILE *stream = tb_fdopen(fd, "r+");
    CHECK(stream && tb_fileno(stream) == fd && tb_fseek(stream, 0, SEEK_SET) == 0 && tb_fgetc(stream) == 'a', "fdopen");
    tb_fclose(stream);
    CHECK(tb_close(fd) == -1 && OUR_ERRNO == EBADF && tb_unlink(name) == 0, "closed with its stream");
    char wrong[] = "/tmp/aXXXXX";
    CHECK(tb_mkstemp(wrong) == -1 && OUR_ERRNO == EINVAL, "mkstemp of a wrong name");

    fd = tb_open("/dev/null", O_RDWR);
    CHECK(tb_write(fd, "abc", 3) == 3 && tb_read(fd, bytes, 3) == 0 && tb_lseek(fd, 5, SEEK_SET) == 0, "/dev/null");
    tb_close(fd);
    fd = tb_open("/dev/zero", O_RDONLY);
    memset(bytes, 1, sizeof bytes);
    CHECK(tb_read(fd, bytes, 3) == 3 && !bytes[0] && !bytes[2] && bytes[3] == 1, "/dev/zero");
    tb_close(fd);
    char again[8];
    fd = tb_open("/dev/urandom", O_RDONLY);
    CHECK(tb_read(fd, bytes, 8) == 8 && tb_read(fd, again, 8) == 8 && memcmp(bytes, again, 8), "/dev/urandom");
    tb_close(fd);

    CHECK(tb_lseek(1, 0, SEEK_SET) == -1 && OUR_ERRNO == ESPIPE, "standard output has no position");
    struct stat about;
    CHECK(tb_fstat(1, &about) == 0 && S_ISFIFO(about.st_mode) && tb_stat(folder, &about) == 0 && S_ISDIR(about.st_mode), "stat");
    CHECK(tb_stat("/nowhere/file", &about) == -1 && OUR_ERRNO == ENOENT && tb_access(folder, F_OK) == 0, "access");
    CHECK(tb_isatty(77) == 0 && OUR_ERRNO == EBADF, "isatty");
}

/* Standard output becomes a file, and the screen again. */
static void redirection(void)
{
    char bytes[64] = "";
    world_reset();
    int saved = tb_dup(1), fd = tb_open(ours[0], O_RDWR | O_CREAT | O_TRUNC, 0600);
    CHECK(saved >= 3 && tb_dup2(fd, 1) == 1 && tb_printf("to %s", "a file") == 9 && !*world.output, "dup2");
    CHECK(tb_fflush(tb_stdout) == 0 && tb_write(1, "!", 1) == 1 && !*world.output, "written to a file");
    CHECK(tb_pread(fd, bytes, sizeof bytes, 0) == 10 && !strcmp(bytes, "to a file!"), "and there: %s", bytes);
    CHECK(tb_dup2(saved, 1) == 1 && tb_printf("back\n") == 5 && tb_fflush(tb_stdout) == 0, "back");
    CHECK(!strcmp(world.output, "back\n") && world.output_fd == 1, "on the screen: %s", world.output);
    tb_close(saved), tb_close(fd);
    tb_remove(ours[0]);
}

void test_file(void)
{
    strcpy(folder, "/tmp/tb_files_XXXXXX");
    if (!mkdtemp(folder))
        return;
    umask(022);
    name_files();
    single_things();
    for (int i = times(3000); i > 0; i--)
        random_streams();
    for (int i = times(2000); i > 0; i--)
        random_descriptors();
    redirection();
    rmdir(folder);
}

/* Descriptors of files and pipes: positions, copies, lengths, names. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

int main(void)
{
    char name[] = "/tmp/tb_descriptors_XXXXXX", other[64], text[64] = "";
    int fd = mkstemp(name), copy = dup(fd);
    snprintf(other, sizeof other, "%s.other", name);
    printf("%zd %zd\n", write(fd, "hello, world", 12), write(copy, "!", 1));
    printf("%ld %ld\n", (long)lseek(fd, 0, SEEK_CUR), (long)lseek(copy, -6, SEEK_END));
    printf("%zd %s\n", read(fd, text, sizeof text), text);
    printf("%zd %zd\n", pread(fd, text, 5, 0), pwrite(fd, "J", 1, 0));
    struct iovec parts[] = {{"ab", 2}, {"cde", 3}};
    printf("%zd\n", writev(fd, parts, 2));
    printf("%d %d\n", ftruncate(fd, 4), ftruncate(fd, 20));
    struct stat about;
    printf("%d %ld %o\n", fstat(fd, &about), (long)about.st_size, (unsigned)about.st_mode);
    memset(text, 1, sizeof text);
    printf("%zd %.4s %d\n", pread(fd, text, sizeof text, 0), text, text[19]);
    printf("%d %d\n", fcntl(fd, F_GETFL) & O_ACCMODE, fcntl(fd, F_SETFL, O_APPEND));
    lseek(fd, 0, SEEK_SET);
    printf("%zd %ld\n", write(fd, "end", 3), (long)lseek(fd, 0, SEEK_CUR));
    printf("%d %d\n", close(fd), close(fd));
    printf("%d %d %d\n", rename(name, other), access(name, F_OK), stat(other, &about));
    printf("%ld %zd\n", (long)about.st_size, read(copy, text, sizeof text));
    printf("%d %d\n", open(other, O_CREAT | O_EXCL | O_RDWR, 0600), errno == EEXIST);
    fd = open(other, O_WRONLY | O_TRUNC);
    printf("%d %ld\n", read(fd, text, 1) == -1 && errno == EBADF, (long)lseek(copy, 0, SEEK_END));
    printf("%d %d %d\n", close(fd), unlink(other), close(copy));
    printf("%d %d\n", unlink(other), errno == ENOENT);

    int ends[2];
    printf("%d\n", pipe(ends));
    printf("%zd %zd %zd\n", write(ends[1], "through", 7), read(ends[0], text, 4), read(ends[0], text + 4, 40));
    printf("%.7s %d\n", text, lseek(ends[0], 0, SEEK_SET) == -1 && errno == ESPIPE);
    printf("%d %zd\n", close(ends[1]), read(ends[0], text, 4));
    fd = open("/dev/null", O_RDWR);
    printf("%zd %zd\n", write(fd, "gone", 4), read(fd, text, 4));
    return 0;
}

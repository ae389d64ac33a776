/* Loaded in front of the C library: a process whose wall clock goes wrong by as many seconds as a file says.

   The file, which ASKWIRE_WALL_CLOCK names, holds two numbers of 64 bits: by how much, and the last second told.
   Clocks that never go back are left alone, as the kernel leaves them alone when somebody sets the time. */

#define _GNU_SOURCE
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static volatile int64_t *numbers;

__attribute__((constructor)) static void
find_numbers(void)
{
    const char *path = getenv("ASKWIRE_WALL_CLOCK");
    int file = path == NULL ? -1 : open(path, O_RDWR | O_CLOEXEC);
    if (file < 0)
        return;
    void *mapped = mmap(NULL, 2 * sizeof *numbers, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (mapped != MAP_FAILED)
        numbers = mapped;
    close(file);
}

int
clock_gettime(clockid_t clock, struct timespec *told)
{
    int failed = (int)syscall(SYS_clock_gettime, clock, told);
    if (!failed && numbers != NULL && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) {
        told->tv_sec += numbers[0];
        numbers[1] = told->tv_sec;
    }
    return failed;
}

int
gettimeofday(struct timeval *told, void *zone)
{
    struct timespec now;
    (void)zone;
    if (clock_gettime(CLOCK_REALTIME, &now))
        return -1;
    told->tv_sec = now.tv_sec;
    told->tv_usec = now.tv_nsec / 1000;
    return 0;
}

time_t
time(time_t *told)
{
    struct timespec now;
    if (clock_gettime(CLOCK_REALTIME, &now))
        return -1;
    if (told != NULL)
        *told = now.tv_sec;
    return now.tv_sec;
}

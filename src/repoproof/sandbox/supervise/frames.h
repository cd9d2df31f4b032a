/* For a container, whose only ways in and out are its standard input, output and error: everything in one stream each way.
 *
 * Standard input is the filter of `guard`, then the input of each `in` script, then the command's own input. A script's input comes in
 * pieces, each preceded by its length (a 32-bit integer); length 0 ends it.
 *
 * Standard output is the records, and frames among them. A frame is a record of kind and length, and that many bytes. Kinds:
 *
 *   'o' 'e'   what the command and its descendants wrote to their standard output and error
 *   't'       what an `out` script wrote
 *   'm'       content of a file named by `read`
 *
 * An empty frame ends each 't' and each 'm', a failing or unreadable one as well. */

enum { SIGTERM = 15, SIGKILL = 9, SIG_BLOCK = 0, SIG_SETMASK = 2, WNOHANG = 1, POLLIN = 1, AT_FDCWD = -100, GUARD_MAX = 65536 };

#define WATCHED (1ul << (SIGCHLD - 1) | 1ul << (SIGTERM - 1))

struct polled { int fd; short events, revents; };

static int write_all(int to, const char *data, long length)
{
    while (length > 0) {
        long written = call(WRITE, to, (long)data, length, 0, 0);
        if (written > 0)
            data += written, length -= written;
        else if (written != -EINTR)
            return 0;
    }
    return 1;
}

static void read_all(void *data, long length)
{
    for (long have = 0, got; have < length; have += got)
        if ((got = call(READ, 0, (long)data + have, length - have, 0, 0)) <= 0)
            quit(1);
}

static void take_whole(int to)
{
    static char piece[65536];
    int length, taken = 1;
    for (read_all(&length, sizeof length); length > 0; read_all(&length, sizeof length)) {
        if (length > (int)sizeof piece)
            quit(1);
        read_all(piece, length);
        /* A script that has stopped reading will say why; the rest of its input must not become somebody else's. */
        taken = taken && write_all(to, piece, length);
    }
}

/* Pass on what can be read now; whether there was anything. */
static int forward(int kind, int from)
{
    static struct { int kind, length; char data[65536 - 8]; } frame;
    long length;
    while ((length = call(READ, from, (long)frame.data, sizeof frame.data, 0, 0)) == -EINTR)
        ;
    if (length <= 0)
        return 0;
    frame.kind = kind, frame.length = length;
    if (!write_all(1, (const char *)&frame, 8 + length))
        quit(1);
    return 1;
}

static void forward_whole(int kind, int from)
{
    while (forward(kind, from))
        ;
    report(1, kind, 0);
}

static void mask_signals(int how, unsigned long signals)
{
    call(SIGPROCMASK, how, (long)&signals, 0, sizeof signals, 0);
}

/* Pass on the two streams until nothing is left of the command or its descendants; the command's wait status.
 * SIGTERM from outside the process namespace (where the sender's number is unknown here) ends them all. */
static int ended_forwarding(long pid, int out, int err)
{
    unsigned long signals = WATCHED;
    struct polled polled[3] = {{out, POLLIN, 0}, {err, POLLIN, 0}, {call(SIGNALFD, -1, (long)&signals, sizeof signals, 0, 0), POLLIN, 0}};
    long now[2] = {0, 0}, *timeout = 0;
    int outcome = 0, status;
    for (;;) {
        long ready = call(PPOLL, (long)polled, 3, (long)timeout, 0, 0);
        if (ready == 0)
            return outcome;
        for (int i = 0; i < 2; i++)
            if (polled[i].revents && !forward(i ? 'e' : 'o', polled[i].fd))
                polled[i].fd = -1;
        if (polled[2].revents) {
            struct { int number, error, code, sender, rest[28]; } signal;
            call(READ, polled[2].fd, (long)&signal, sizeof signal, 0, 0);
            if (signal.number == SIGTERM && signal.sender == 0)
                call(KILL, -1, SIGKILL, 0, 0, 0);
            long who;
            while ((who = call(WAIT4, -1, (long)&status, WNOHANG, 0, 0)) > 0)
                if (who == pid)
                    report(1, 'E', outcome = status);
            if (who == -ECHILD)
                /* Only what is still in the pipes: their other ends may have been sent, over a socket, to another sandbox. */
                timeout = now;
        }
    }
}

/* A filter of system calls for this process and all that it starts. */
static void guard(long length)
{
    static struct { unsigned short code; unsigned char yes, no; unsigned int constant; } filter[GUARD_MAX / 8];
    struct { unsigned short count; void *filter; } program = {length / 8, filter};
    if (length > GUARD_MAX)
        quit(1);
    read_all(filter, length);
    if (call(PRCTL, SET_SECCOMP, 2, (long)&program, 0, 0) != 0)
        quit(1);
}

/* The first process of a sandbox: runs a command, tells how it ended, and lives until nothing of it is left.
 *
 *   supervise REPORT_FD [in FD SCRIPT]... [out FD SCRIPT]... -- COMMAND [ARGUMENT]...
 *   supervise frames [unset 0 NAME=]... [guard 0 LENGTH] [in 0 SCRIPT]... [cd 0 PLACE] [out 1 SCRIPT]... [read 1 FILE]... -- COMMAND [ARGUMENT]...
 *
 *   in FD SCRIPT    before the command: run by /bin/sh with FD as its standard input; failing ends everything
 *   out FD SCRIPT   after the last process, if the command exited with 0: run by /bin/sh with FD as its standard output
 *   guard 0 LENGTH  first: refuse system calls by the filter (struct sock_filter) that the next LENGTH bytes of standard input are
 *   unset 0 NAME=   leave a variable out, which an engine put in
 *   cd 0 PLACE      after the trees are in, go there: an engine would make a directory that is not there
 *   read 1 FILE     just before the command begins, and again once nothing of it is left: send the content of FILE
 *
 * With `frames`, descriptors other than standard input and output are not needed: see frames.h.
 *
 * Records of two 32-bit integers (kind, value) go to REPORT_FD; value is a wait status as wait(2) defines it. Kinds:
 *
 *   'F'   an `in` or `out` script failed
 *   'B'   the command is about to begin (value 0)
 *   'E'   the command has ended
 *   'Z'   nothing of it is left (value: the command's again): from now on only `out` scripts run
 *
 * It is a static program without a C library because it must start in any image and in a fraction of a millisecond, and it is
 * not a shell script because a shell cannot tell `exit 137` from SIGKILL, nor keep its descriptors from a process of the same
 * user. What makes that safe: it is not dumpable, so its /proc/PID/fd and /proc/PID/mem are closed to the command; as process 1
 * of its namespace no signal from inside ends it; and the command starts with descriptors 0, 1 and 2 only. */

#if defined(__x86_64__)
enum { WRITE = 1, EXIT = 231, CLONE = 56, EXECVE = 59, WAIT4 = 61, PRCTL = 157, DUP3 = 292, CLOSE_RANGE = 436 };
enum { READ = 0, CLOSE = 3, CHDIR = 80, SIGPROCMASK = 14, KILL = 62, OPENAT = 257, PPOLL = 271, SIGNALFD = 289, PIPE2 = 293 };
#elif defined(__aarch64__)
enum { WRITE = 64, EXIT = 94, CLONE = 220, EXECVE = 221, WAIT4 = 260, PRCTL = 167, DUP3 = 24, CLOSE_RANGE = 436 };
enum { READ = 63, CLOSE = 57, CHDIR = 49, SIGPROCMASK = 135, KILL = 129, OPENAT = 56, PPOLL = 73, SIGNALFD = 74, PIPE2 = 59 };
#else
#error "no system call numbers for this processor"
#endif
enum { EINTR = 4, ENOENT = 2, ECHILD = 10, ENOTDIR = 20, SIGCHLD = 17, SET_DUMPABLE = 4, SET_NO_NEW_PRIVS = 38, SET_SECCOMP = 22, PATH_MAX = 4096 };

static long call(long number, long a, long b, long c, long d, long e)
{
#if defined(__x86_64__)
    register long r10 __asm__("r10") = d, r8 __asm__("r8") = e;
    long answer;
    __asm__ volatile("syscall" : "=a"(answer) : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8) : "rcx", "r11", "memory");
    return answer;
#else
    register long x8 __asm__("x8") = number, x0 __asm__("x0") = a, x1 __asm__("x1") = b, x2 __asm__("x2") = c,
                  x3 __asm__("x3") = d, x4 __asm__("x4") = e;
    __asm__ volatile("svc 0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4) : "memory");
    return x0;
#endif
}

static void quit(int code)
{
    for (;;)
        call(EXIT, code, 0, 0, 0, 0);
}

static int same(const char *a, const char *b)
{
    while (*a && *a == *b)
        a++, b++;
    return *a == *b;
}

static int number(const char *text)
{
    int value = 0;
    for (; *text >= '0' && *text <= '9'; text++)
        value = value * 10 + (*text - '0');
    return value;
}

static void complain(const char *text)
{
    long length = 0;
    while (text[length])
        length++;
    call(WRITE, 2, (long)text, length, 0, 0);
}

static void report(int fd, int kind, int value)
{
    int record[2] = {kind, value};
    while (call(WRITE, fd, (long)record, sizeof record, 0, 0) == -EINTR)
        ;
}

static void only_standard_descriptors(void)
{
    if (call(CLOSE_RANGE, 3, ~0u, 0, 0, 0) == 0)
        return;
    /* Linux before 5.9: all that the harness may have handed down are below this. */
    for (int fd = 3; fd < 65536; fd++)
        call(CLOSE, fd, 0, 0, 0, 0);
}

/* Replace this process, looking along PATH as execvp(3) does. */
static void execute(char **argv, char **envp)
{
    static char file[PATH_MAX];
    const char *path = "/usr/bin:/bin", *name = argv[0];
    long error = -ENOENT;
    for (const char *c = name; *c; c++)
        if (*c == '/')
            path = "";
    if (*path)
        for (char **variable = envp; *variable; variable++)
            if ((*variable)[0] == 'P' && (*variable)[1] == 'A' && (*variable)[2] == 'T' && (*variable)[3] == 'H' && (*variable)[4] == '=')
                path = *variable + 5;
    for (;;) {
        int length = 0;
        while (*path && *path != ':' && length < PATH_MAX - 2)
            file[length++] = *path++;
        if (length)
            file[length++] = '/';
        for (const char *c = name; *c && length < PATH_MAX - 1; c++)
            file[length++] = *c;
        file[length] = 0;
        long answer = call(EXECVE, (long)file, (long)argv, (long)envp, 0, 0);
        if (answer != -ENOENT && answer != -ENOTDIR)
            error = answer;
        if (*path != ':')
            break;
        path++;
    }
    complain("cannot run ");
    complain(name);
    complain(error == -ENOENT ? ": no such program\n" : ": not executable\n");
    quit(error == -ENOENT ? 127 : 126);
}

/* Take NAME= out of an environment: bwrap puts PWD into one that is to be exactly what was asked for. */
static void without(const char *name, char **envp)
{
    char **kept = envp;
    for (; *envp; envp++) {
        int n = 0;
        while (name[n] && (*envp)[n] == name[n])
            n++;
        if (name[n])
            *kept++ = *envp;
    }
    *kept = 0;
}

static long fork(void)
{
    return call(CLONE, SIGCHLD, 0, 0, 0, 0);
}

/* Wait until `pid` (or, for -1, every child) has ended; its wait status. Adopted orphans are reaped on the way. */
static int ended(long pid)
{
    int status = 0;
    for (;;) {
        long who = call(WAIT4, -1, (long)&status, 0, 0, 0);
        if (who == pid)
            return status;
        if (who == -ECHILD)
            return 0;
    }
}

/* Scripts are ours, but the command's environment need not be: its PATH may lead to programs of the command's making. */
static long run_script(char *text, int fd, int as)
{
    char *argv[] = {"/bin/sh", "-c", text, 0}, *envp[] = {"PATH=/usr/bin:/bin", 0};
    long pid = fork();
    if (pid == 0) {
        if (as == 0)
            call(DUP3, 2, 1, 0, 0, 0);
        call(DUP3, fd, as, 0, 0, 0);
        only_standard_descriptors();
        execute(argv, envp);
    }
    return pid;
}

#include "frames.h"

static int run_script_out_of_frames(char *text)
{
    int pipe[2];
    call(PIPE2, (long)pipe, 0, 0, 0, 0);
    long pid = run_script(text, pipe[0], 0);
    call(CLOSE, pipe[0], 0, 0, 0, 0);
    take_whole(pipe[1]);
    call(CLOSE, pipe[1], 0, 0, 0, 0);
    return ended(pid);
}

static int run_script_into_frames(char *text)
{
    int pipe[2];
    call(PIPE2, (long)pipe, 0, 0, 0, 0);
    long pid = run_script(text, pipe[1], 1);
    call(CLOSE, pipe[1], 0, 0, 0, 0);
    forward_whole('t', pipe[0]);
    call(CLOSE, pipe[0], 0, 0, 0, 0);
    return ended(pid);
}

static void send_files(char **step)
{
    for (; !same(*step, "--"); step += 3)
        if (same(*step, "read")) {
            int file = call(OPENAT, AT_FDCWD, (long)step[2], 0, 0, 0);
            forward_whole('m', file);
            call(CLOSE, file, 0, 0, 0, 0);
        }
}

/* Start the command, see it and its descendants to their end; its wait status. */
static int run_command(char **argv, char **envp, int to, int framed)
{
    int out[2], err[2], outcome;
    if (framed) {
        call(PIPE2, (long)out, 0, 0, 0, 0);
        call(PIPE2, (long)err, 0, 0, 0, 0);
        mask_signals(SIG_BLOCK, WATCHED);
    }
    long pid = fork();
    if (pid < 0) {
        report(to, 'F', 0);
        quit(1);
    }
    if (pid == 0) {
        if (framed) {
            mask_signals(SIG_SETMASK, 0);
            call(DUP3, out[1], 1, 0, 0, 0);
            call(DUP3, err[1], 2, 0, 0, 0);
        }
        only_standard_descriptors();
        execute(argv, envp);
    }
    if (framed) {
        call(CLOSE, out[1], 0, 0, 0, 0);
        call(CLOSE, err[1], 0, 0, 0, 0);
        return ended_forwarding(pid, out[0], err[0]);
    }
    outcome = ended(pid);
    report(to, 'E', outcome);
    ended(-1);
    return outcome;
}

__attribute__((used)) static void run(long *stack)
{
    char **argv = (char **)(stack + 1), **envp = argv + stack[0] + 1, **steps = argv + 2, **step;
    int framed = same(argv[1], "frames"), to = framed ? 1 : number(argv[1]), status, outcome;

    call(PRCTL, SET_DUMPABLE, 0, 0, 0, 0);
    call(PRCTL, SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    without("PWD=", envp);

    for (step = steps; !same(*step, "--"); step += 3) {
        if (same(*step, "guard"))
            guard(number(step[2]));
        if (same(*step, "unset"))
            without(step[2], envp);
        if (same(*step, "cd") && call(CHDIR, (long)step[2], 0, 0, 0, 0) != 0) {
            complain("no directory ");
            complain(step[2]);
            report(to, 'F', 0);
            quit(1);
        }
        if (!same(*step, "in"))
            continue;
        status = framed ? run_script_out_of_frames(step[2]) : ended(run_script(step[2], number(step[1]), 0));
        if (status != 0) {
            report(to, 'F', status);
            quit(1);
        }
    }

    send_files(steps);
    report(to, 'B', 0);
    outcome = run_command(step + 1, envp, to, framed);
    report(to, 'Z', outcome);
    send_files(steps);

    for (step = steps; !same(*step, "--"); step += 3) {
        if (outcome != 0 || !same(*step, "out"))
            continue;
        status = framed ? run_script_into_frames(step[2]) : ended(run_script(step[2], number(step[1]), 1));
        if (status != 0)
            report(to, 'F', status);
    }
    quit(0);
}

#if defined(__x86_64__)
__asm__(".globl _start\n_start:\n mov %rsp, %rdi\n and $-16, %rsp\n call run\n");
#else
__asm__(".globl _start\n_start:\n mov x0, sp\n bl run\n");
#endif

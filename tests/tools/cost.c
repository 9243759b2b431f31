/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Measures a command over its whole life, together with every process that it starts, also those that
 * go into the background.
 *
 * usage: cost FILE COMMAND...
 *        cost so-far PID
 *
 * The first form returns when all those processes have ended, with the exit status of the command, and
 * writes to FILE: their CPU seconds, and in MB the peak of the largest process and of the sum of all, which
 * counts memory that they share for each of them. The second form prints, for the processes that descend from
 * PID, which is a cost, their own CPU seconds and those of the children that they have waited for.
 */
#include <dirent.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* How often the memory is looked at, in ms. */
#define LOOK_MS 100

/* More processes than any recorder has. */
#define MAX_PROCESSES 1024

struct process {
	int pid, parent;
	double children; /* CPU seconds of children that it has waited for */
	double mb;
};

static int read_process(int pid, struct process *process)
{
	const double second = (double)sysconf(_SC_CLK_TCK), mb = 1 << 20;
	unsigned long user, sys;
	long pages;
	char path[40], line[1024];
	const char *rest;
	size_t n;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	f = fopen(path, "re");
	n = f ? fread(line, 1, sizeof(line) - 1, f) : 0;
	if (f)
		fclose(f);
	line[n] = '\0';
	/* The name may contain anything. */
	rest = strrchr(line, ')');
	process->pid = pid;
	if (!rest || sscanf(rest,
			    ") %*c %d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %lu %lu %*d %*d"
			    " %*d %*d %*u %*u %ld",
			    &process->parent, &user, &sys, &pages) != 4)
		return -1;
	process->children = (double)(user + sys) / second;
	process->mb = (double)pages * (double)sysconf(_SC_PAGESIZE) / mb;
	return 0;
}

static int read_all(struct process *list)
{
	DIR *dir = opendir("/proc");
	const struct dirent *entry;
	int n = 0;

	while (dir && n < MAX_PROCESSES && (entry = readdir(dir))) {
		int pid = atoi(entry->d_name);

		if (pid > 0 && !read_process(pid, &list[n]))
			n++;
	}
	if (dir)
		closedir(dir);
	return n;
}

/* Moves those that descend from a process to the front. Returns how many. */
static int find_descendants(struct process *list, int n, int root)
{
	int found = 0, last;

	do {
		last = found;
		for (int i = found; i < n; i++) {
			const struct process it = list[i];
			int known = it.parent == root;

			for (int j = 0; j < found && !known; j++)
				known = it.parent == list[j].pid;
			if (known) {
				list[i] = list[found];
				list[found++] = it;
			}
		}
	} while (found > last);
	return found;
}

static double cpu_of(int pid)
{
	struct timespec used = { 0 };
	clockid_t clock;

	if (clock_getcpuclockid(pid, &clock) || clock_gettime(clock, &used))
		return 0;
	return (double)used.tv_sec + (double)used.tv_nsec / 1e9;
}

static int print_so_far(int root)
{
	static struct process list[MAX_PROCESSES];
	int n = find_descendants(list, read_all(list), root);
	double own = 0, children = 0;

	for (int i = 0; i < n; i++) {
		own += cpu_of(list[i].pid);
		children += list[i].children;
	}
	printf("%.3f %.3f\n", own, children);
	return !n;
}

static double sum_memory(void)
{
	static struct process list[MAX_PROCESSES];
	int n = find_descendants(list, read_all(list), getpid());
	double mb = 0;

	for (int i = 0; i < n; i++)
		mb += list[i].mb;
	return mb;
}

/* Waits for all processes. Returns the exit status of the first. */
static int wait_for_all(int first, double *sum)
{
	int status, result = 1;

	for (;;) {
		int pid = waitpid(-1, &status, WNOHANG);

		if (pid < 0 && errno == ECHILD)
			return result;
		if (pid == first)
			result = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
		if (pid <= 0) {
			double now = sum_memory();

			*sum = now > *sum ? now : *sum;
			poll(NULL, 0, LOOK_MS);
		}
	}
}

int main(int argc, char **argv)
{
	struct rusage used;
	double sum = 0;
	int pid, result;
	FILE *f;

	if (argc == 3 && !strcmp(argv[1], "so-far"))
		return print_so_far(atoi(argv[2]));
	if (argc < 3) {
		fprintf(stderr, "usage: cost FILE COMMAND...\n       cost so-far PID\n");
		return 2;
	}
	/* Processes in the background become children of this one when their parents exit. */
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	pid = fork();
	if (!pid) {
		execvp(argv[2], argv + 2);
		perror(argv[2]);
		_exit(127);
	}
	/* Signals are for the command. */
	signal(SIGINT, SIG_IGN);
	result = wait_for_all(pid, &sum);
	getrusage(RUSAGE_CHILDREN, &used);
	f = fopen(argv[1], "we");
	if (!f ||
	    fprintf(f, "%.3f %.1f %.1f\n",
		    (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
			    (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec) / 1e6,
		    (double)used.ru_maxrss / 1024, sum) < 0 ||
	    fclose(f)) {
		perror(argv[1]);
		return 1;
	}
	return result;
}

// Holds a pod's sandbox open and reaps what is reparented to it.
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

static void leave(int signal) {
  (void)signal;
  _exit(0);
}

static void reap(int signal) {
  (void)signal;
  while (waitpid(-1, 0, WNOHANG) > 0) {
  }
}

int main(void) {
  signal(SIGTERM, leave);
  signal(SIGINT, leave);
  signal(SIGCHLD, reap);
  for (;;) pause();
}

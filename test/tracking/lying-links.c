/*
 * Preloaded into a program, this makes every hard link a lie: success is reported and nothing is done, as on file systems
 * whose locks do not hold.
 *
 * gcc -shared -fPIC -O1 -o lying-links.so lying-links.c
 */
int link(const char *from, const char *to) {
  (void)from;
  (void)to;
  return 0;
}

int linkat(int a, const char *from, int b, const char *to, int flags) {
  (void)a;
  (void)from;
  (void)b;
  (void)to;
  (void)flags;
  return 0;
}

/* overlook.h — what the leak checker is to overlook in tests that draw. */
#ifndef TESTS_OVERLOOK_H
#define TESTS_OVERLOOK_H

/* Fontconfig keeps its tables until the process ends; the leak checker asks here. */
__attribute__((visibility("default"))) const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
    return "leak:libfontconfig.so";
}

#endif

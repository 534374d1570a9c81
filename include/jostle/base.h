/* jostle/base.h — version, status codes, errors.
 *
 * The library never prints and never exits. A function that can fail returns a
 * jo_status and, when given a jo_error, fills it with a sentence for a person. */
#ifndef JOSTLE_BASE_H
#define JOSTLE_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define JO_VERSION_MAJOR  0
#define JO_VERSION_MINOR  1
#define JO_VERSION_PATCH  0
#define JO_VERSION_STRING "0.1.0"

#if defined(JO_BUILDING) && defined(__GNUC__)
#define JO_API __attribute__((visibility("default")))
#else
#define JO_API
#endif

#if defined(__GNUC__)
#define JO_PRINTF(fmt, args) __attribute__((format(printf, fmt, args)))
#else
#define JO_PRINTF(fmt, args)
#endif

/* What went wrong, coarsely: whom to ask. The sentence is in jo_error.text. */
typedef enum jo_status {
    JO_OK = 0,
    JO_ERR_ARGUMENT,    /* the call: an unknown method, an option out of bounds, a missing array */
    JO_ERR_DATA,        /* the data: a NaN, a negative radius, a malformed file */
    JO_ERR_IO,          /* the environment: a file that cannot be opened, read or written */
    JO_ERR_MEMORY,      /* an allocation failed; everything the caller had is intact */
    JO_ERR_LIMIT,       /* beyond what jostle can hold, e.g. more than JO_BODIES_MAX bodies */
    JO_ERR_UNSUPPORTED, /* this build lacks the part (pictures need cairo) */
    JO_ERR_CANCELLED,   /* a progress callback asked to stop */
    JO_ERR_PHYSICS,     /* the simulation went wrong: a blow-up, a NaN */
    JO_ERR_SPACE        /* no room to write: a full disk, a quota, a limit on the size of files */
} jo_status;

/* No function uses more threads than this. */
#define JO_THREADS_MAX 256

#define JO_ERROR_TEXT 512

/* Filled by the function that fails; untouched when it succeeds. */
typedef struct jo_error {
    jo_status status;
    char text[JO_ERROR_TEXT]; /* one sentence, no newline, always terminated */
} jo_error;

/* The library's version as "major.minor.patch". Thread-safe; static string. */
JO_API const char *jo_version(void);

/* A status in words, e.g. "bad data". Thread-safe; static string. */
JO_API const char *jo_status_name(jo_status status);

/* Fills *error (if not NULL) with the sentence for a file that could not be written because of
 * errno `number`: "PATH: cannot be WHAT: REASON", and what to do where there is no room. Of a long
 * path the end is shown. Returns JO_ERR_SPACE for lack of room, JO_ERR_IO else. Thread-safe. */
JO_API jo_status jo_error_file(jo_error *error, const char *path, const char *what, int number);

/* The name that a person who wrote `wrong` most likely meant, among count names (name k is the char
 * pointer at names + k * stride bytes); NULL where none is close. Thread-safe. */
JO_API const char *jo_suggest(const char *wrong, const void *names, size_t count, size_t stride);

/* Called by long work now and then with the fraction done, 0 to 1, always from the calling thread.
 * Return false to stop: the function then returns JO_ERR_CANCELLED. */
typedef bool (*jo_progress)(void *context, double fraction);

#ifdef __cplusplus
}
#endif
#endif

/* suggest.c — the name that was meant.
 *
 * The edit distance that counts insertions, deletions, changes and swaps of neighbours (Damerau,
 * restricted), in O(length²); a name is worth suggesting when at most a third of it is wrong, or
 * when one is the beginning of the other. */
#include <string.h>
#include <strings.h>

#include "jostle/base.h"

enum { WORD_MAX = 40 };

static int edit_distance(const char *a, const char *b)
{
    const int la = (int)strnlen(a, WORD_MAX), lb = (int)strnlen(b, WORD_MAX);
    int d[WORD_MAX + 1][WORD_MAX + 1];
    for (int i = 0; i <= la; i++)
        d[i][0] = i;
    for (int j = 0; j <= lb; j++)
        d[0][j] = j;
    for (int i = 1; i <= la; i++)
        for (int j = 1; j <= lb; j++) {
            int least = d[i - 1][j - 1] + (a[i - 1] != b[j - 1]);
            if (d[i - 1][j] + 1 < least) least = d[i - 1][j] + 1;
            if (d[i][j - 1] + 1 < least) least = d[i][j - 1] + 1;
            const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
            if (swapped && d[i - 2][j - 2] + 1 < least) least = d[i - 2][j - 2] + 1;
            d[i][j] = least;
        }
    return d[la][lb];
}

JO_API const char *jo_suggest(const char *wrong, const void *names, size_t count, size_t stride)
{
    const char *best = NULL;
    int best_distance = WORD_MAX;
    const size_t length = strlen(wrong);
    if (length == 0 || length > WORD_MAX) return NULL;
    for (size_t k = 0; k < count; k++) {
        const char *name;
        memcpy(&name, (const char *)names + k * stride, sizeof name);
        const size_t other = strlen(name), shorter = length < other ? length : other;
        if (strcasecmp(wrong, name) == 0) return name;
        int distance = edit_distance(wrong, name);
        if (shorter >= 3 && strncasecmp(wrong, name, shorter) == 0) distance = 1;
        const size_t longer = length > other ? length : other;
        const int limit =
            longer < 3 ? 0 : (int)(longer + 2) / 3; /* any two short words are close */
        if (distance <= limit && distance < best_distance) {
            best = name;
            best_distance = distance;
        }
    }
    return best;
}

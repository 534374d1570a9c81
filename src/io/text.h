/* text.h — words of a line, and lines of numbers; see text.c. */
#ifndef JO_IO_TEXT_H
#define JO_IO_TEXT_H

#include "io/gather.h"
#include "io/input.h"

static inline bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f';
}

static inline size_t text_length(text t)
{
    return (size_t)(t.end - t.at);
}

/* Takes the next value of a line off *rest: separated by ',' or ';' with blanks around it ignored,
 * or, for ' ', by runs of blanks. "Quoted" values keep what is inside. False when none is left. An
 * empty value between two separators, or behind the last, is a value. */
bool jo_text_value(text *rest, char separator, text *value);

/* How many values a line has. */
size_t jo_text_count(text line, char separator);

/* ';' if the line has one, else ',' if it has one, else ' '. */
char jo_text_separator(text line);

bool jo_text_is(text t, const char *word);          /* equal */
bool jo_text_is_any_case(text t, const char *word); /* equal but for case; word in lower case */
bool jo_text_starts(text t, const char *word);

/* All of t as a number, or as an integer without sign, point or exponent. */
bool jo_text_number(text t, double *value);
bool jo_text_integer(text t, uint64_t *value);

#define JO_QUOTED 48
/* A piece of text made fit for a message: quotes around it, shortened, bytes that are not printable
 * ASCII as '?', so that no file can send control sequences to a terminal. */
const char *jo_text_quote(text t, char buffer_of[JO_QUOTED]);

/* What the columns of a file's rows mean. */
#define JO_COLUMNS_MAX 256
typedef struct table {
    size_t columns;
    unsigned char roles[JO_COLUMNS_MAX]; /* of type role */
    char separator;                      /* as for jo_text_value */
    int dim;
    bool diameters;     /* the radius is half the column of role ROLE_D */
    bool ids;           /* a column has the role ROLE_ID */
    bool turned;        /* four columns have the roles of a quaternion */
    bool shaped;        /* and one that of a shape */
    bool comments;      /* # makes a comment; for messages */
    bool extra_allowed; /* more values than columns may follow and are not read */
    double radius;      /* where no column has the role ROLE_R or ROLE_D */
    uint64_t rows_at;   /* offset of the first row, for guessing their number */
} table;

/* Gives the columns of a table their meaning: looks which roles are there, takes the dimension from
 * the options or else from whether there is a z, and the radius from the options if there is none.
 * Columns not wanted become ROLE_NONE. Fails if something is missing or there twice; `where` begins
 * the sentence, e.g. "the header"; `remedy` is what would give radii, e.g. "a column r". */
jo_status jo_table_settle(table *t, const input *in, const char *where, const char *remedy,
                          jo_error *error);

/* Reads one row, checks its values, and appends it. `limit`: at most this many rows come; 0:
 * unknown. */
jo_status jo_table_row(const table *t, const input *in, text line, size_t limit, gather *g,
                       jo_error *error);

#endif

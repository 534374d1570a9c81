/* search.h — the options of a search, shared by the commands that run one. */
#ifndef CLI_SEARCH_H
#define CLI_SEARCH_H

#include "args.h"

/* Options of jo_broad_def as an argp child; its input is a jo_broad_def. */
extern const struct argp search_argp;

/* Says on standard error which of the options given the method does not read. */
void search_note_unread(const jo_broad_def *def);

#endif

/* rows_plain.c — the search of rows.h for any processor. */
#define ROWS_SEARCH jo_rows_search_plain
#include "broad/rows_search.h"

/* events_plain.c — events.h for any processor. */
#define JO_HARD_RUN         jo_hard_run_plain
#define JO_HARD_FORESEE_ALL jo_hard_foresee_all_plain
#define JO_HARD_TURNED      jo_hard_turned_plain
#include "hard/events.h"

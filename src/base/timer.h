/* timer.h — wall-clock seconds. */
#ifndef JO_BASE_TIMER_H
#define JO_BASE_TIMER_H

/* Seconds since some fixed moment; never goes backwards. */
double jo_seconds(void);

#endif

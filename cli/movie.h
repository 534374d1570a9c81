/* movie.h — frames into a video file, through ffmpeg. */
#ifndef CLI_MOVIE_H
#define CLI_MOVIE_H

#include <sys/types.h>

#include "cli.h"

typedef struct movie {
    int pipe; /* to ffmpeg; -1: not open */
    pid_t child;
    size_t frame_bytes;
    char path[1024], temporary[1100];
} movie;

/* Whether there is an ffmpeg to run. */
bool movie_possible(void);

/* Starts a video of width x height (even numbers). Frames are 3 bytes per pixel. */
jo_status movie_open(movie *m, const char *path, int width, int height, double fps,
                     jo_error *error);
jo_status movie_frame(movie *m, const uint8_t *rgb, jo_error *error);
/* Waits for ffmpeg and puts the file in its place; keep false: throws it away, and fails only where
 * ffmpeg had no room. */
jo_status movie_close(movie *m, bool keep, jo_error *error);

#endif

/* viewer_assets.h — the page's files, made part of the program when it is built (web/). */
#ifndef CLI_VIEWER_ASSETS_H
#define CLI_VIEWER_ASSETS_H

#include <stddef.h>

typedef struct viewer_asset {
    const char *path, *type;
    const unsigned char *data;
    size_t size;
} viewer_asset;

/* The last one has no path. */
extern const viewer_asset viewer_assets[];

#endif

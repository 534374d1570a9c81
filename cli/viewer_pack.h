/* viewer_pack.h — a frame of many bodies made half as large, for clients that only draw it. */
#ifndef CLI_VIEWER_PACK_H
#define CLI_VIEWER_PACK_H

#include "viewer.h"

/* A frame message as made by viewer_message.c, with positions as whole numbers of 16 bits within
 * the box around them and quantities as half-precision numbers: 8 bytes a body with one quantity
 * instead of 16. NULL where steps of positions would be larger than exact->grain (a body is far
 * from the others), or there is no memory: the exact one is sent then. The caller holds the new
 * one. */
blob *frame_pack(const blob *exact);

#endif

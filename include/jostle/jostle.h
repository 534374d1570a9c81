/* jostle.h — everything. Include this, or the header of the stage you need. */
#ifndef JOSTLE_H
#define JOSTLE_H

#include "jostle/base.h"       /* version, status, errors */
#include "jostle/scene.h"      /* bodies and the domain */
#include "jostle/broad.h"      /* which bodies touch */
#include "jostle/io.h"         /* files in and out */
#include "jostle/picture.h"    /* pictures and plots */
#include "jostle/model.h"      /* a simulation described */
#include "jostle/scenefile.h"  /* the same from a file */
#include "jostle/surfaces.h"   /* its walls, for placing bodies */
#include "jostle/soft.h"       /* the time-stepped engine */
#include "jostle/hard.h"       /* the event-driven engine */
#include "jostle/kinetic.h"    /* hard polygons, event by event */
#include "jostle/polygons.h"   /* the same from a scene */
#include "jostle/trajectory.h" /* what a run writes */
#include "jostle/polyhedron.h" /* convex bodies with corners */
#include "jostle/features.h"   /* how far two of them are apart */
#include "jostle/outline.h"    /* simple polygons, grains at random */
#include "jostle/paper4.h"     /* balls in a cube as paper 4 does it: the reference */

#endif

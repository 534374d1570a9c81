/* poly_facts.h — what the polyhedra of a scene are like, for `jostle check`. */
#ifndef CLI_POLY_FACTS_H
#define CLI_POLY_FACTS_H

#include "jostle/model.h"
#include "json.h"

/* `placed`: the bodies of the scene, or NULL where they are not known. Nothing is printed for
 * scenes without polyhedra. */
void poly_facts_print(const jo_scene *scene, const jo_population *placed);
/* "polyhedra": an array with an object for each group of them. */
void poly_facts_json(json *j, const jo_scene *scene, const jo_population *placed);

#endif

/* broad.c — the search as callers see it: options, calls, lists, events, statistics.
 *
 * It surveys the input, hands it to the method, sorts what comes back if asked to, and compares it
 * with the list before. Methods know nothing of each other or of this. */
#include "jostle/broad.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/mix.h"
#include "base/threads.h"
#include "base/timer.h"
#include "broad/method.h"

struct jo_broad {
    jo_broad_def def;
    const method *method;
    void *state;
    pairlist contacts, before, begun, ended;
    pairparts parts;    /* for threads */
    buffer scratch;     /* for sorting */
    bool ready;         /* the state is that of a successful call on bodies like `last` */
    jo_bodies last;     /* shape, dim and n of the last call; its pointers are not used */
    bool before_counts; /* `contacts` is a valid list to compare the next update with */
    jo_broad_stats stats;
};

jo_broad_def jo_broad_def_default(void)
{
    return (jo_broad_def){.method = "auto", .ordered = true, .skin = -1.0};
}

/* A sentence is appended to the error, so that all mistakes are reported at once. */
static void complain(jo_error *error, jo_status status, const char *sentence)
{
    const size_t used = error->status == JO_OK ? 0 : strlen(error->text);
    if (error->status == JO_OK) error->status = status;
    snprintf(error->text + used, sizeof error->text - used, "%s%.400s", used > 0 ? "; " : "",
             sentence);
}

static void list_methods(char *text, size_t size)
{
    size_t used = 0;
    for (size_t k = 0; jo_methods[k] != NULL && used < size; k++)
        used += (size_t)snprintf(text + used, size - used, "%s%s", k > 0 ? ", " : "",
                                 jo_methods[k]->info.name);
}

static void check_options(const jo_broad_def *def, jo_error *found)
{
    char text[400], names[200];
    if (def->method == NULL || jo_method_by_name(def->method) == NULL) {
        list_methods(names, sizeof names);
        snprintf(text, sizeof text, "there is no method '%.40s'; the methods are %s",
                 def->method != NULL ? def->method : "(NULL)", names);
        complain(found, JO_ERR_ARGUMENT, text);
    }
    if (def->threads < 0 || def->threads > JO_THREADS_MAX) {
        snprintf(text, sizeof text, "threads is %d; it must be 0 (all) to %d", def->threads,
                 JO_THREADS_MAX);
        complain(found, JO_ERR_ARGUMENT, text);
    }
    if (isnan(def->skin) || def->skin > JO_COORDINATE_MAX)
        complain(found, JO_ERR_ARGUMENT, "skin must be a length, or negative to have it tuned");
    if (!(def->cell >= 0.0 && def->cell <= JO_COORDINATE_MAX))
        complain(found, JO_ERR_ARGUMENT, "cell must be a length, or 0 to have it chosen");
    if (!(def->per_cell >= 0.0 && def->per_cell <= 1e15))
        complain(found, JO_ERR_ARGUMENT,
                 "per_cell must be a number above 0, or 0 to have it chosen");
    if (def->cell > 0.0 && def->per_cell > 0.0)
        complain(found, JO_ERR_ARGUMENT, "cell and per_cell are both set; set one of them");
    for (int a = 0; a < 3; a++)
        if (def->origin_set && !(fabs(def->origin[a]) <= JO_COORDINATE_MAX)) {
            complain(found, JO_ERR_ARGUMENT, "origin must be finite");
            break;
        }
}

jo_status jo_broad_def_check(const jo_broad_def *def, jo_error *error)
{
    if (def == NULL) return jo_fail(error, JO_ERR_ARGUMENT, "the definition is NULL");
    jo_error found = {0}, domain = {0};
    check_options(def, &found);
    const jo_bodies none = {.dim = 3};
    if (jo_bodies_check(&none, &def->domain, &domain) != JO_OK)
        complain(&found, domain.status, domain.text);
    if (found.status != JO_OK && error != NULL) *error = found;
    return found.status;
}

jo_status jo_broad_create(const jo_broad_def *def, jo_broad **search, jo_error *error)
{
    const jo_broad_def standard = jo_broad_def_default();
    if (search == NULL) return jo_fail(error, JO_ERR_ARGUMENT, "search is NULL");
    *search = NULL;
    if (def == NULL) def = &standard;
    const jo_status status = jo_broad_def_check(def, error);
    if (status != JO_OK) return status;

    jo_broad *b = calloc(1, sizeof *b);
    const method *m = jo_method_by_name(def->method);
    void *state = calloc(1, m->state_size > 0 ? m->state_size : 1);
    if (b == NULL || state == NULL) {
        free(b);
        free(state);
        return jo_fail_memory(error, sizeof *b + m->state_size, "a search");
    }
    b->def = *def;
    b->def.method = m->info.name; /* ours lives as long as the program */
    b->method = m;
    b->state = state;
    b->stats.method = m->info.name;
    *search = b;
    return JO_OK;
}

void jo_broad_destroy(jo_broad *search)
{
    if (search == NULL) return;
    if (search->method->release != NULL) search->method->release(search->state);
    free(search->state);
    jo_pairlist_free(&search->contacts);
    jo_pairlist_free(&search->before);
    jo_pairlist_free(&search->begun);
    jo_pairlist_free(&search->ended);
    jo_pairparts_free(&search->parts);
    jo_buffer_free(&search->scratch);
    free(search);
}

static bool alike(const jo_bodies *a, const jo_bodies *b)
{
    return a->shape == b->shape && a->dim == b->dim && a->n == b->n;
}

static jo_status sort_contacts(jo_broad *s, pairlist *list, size_t n, jo_error *error)
{
    const double start = jo_seconds();
    if (!jo_pairlist_sort(list, n, &s->scratch, jo_threads(s->def.threads)))
        return jo_fail_memory(error, list->count * sizeof(jo_pair), "sorting the contacts");
    s->stats.seconds[JO_STAGE_ORDER] += jo_seconds() - start;
    return JO_OK;
}

/* Runs the method and leaves its pairs in contacts. */
static jo_status search_once(jo_broad *s, const jo_bodies *bodies, bool coherent, jo_error *error)
{
    const double start = jo_seconds();
    const bool remember = coherent && s->ready && s->method->update != NULL;
    const bool leave_survey = remember && s->method->update_surveys;
    survey measured;
    jo_status status = leave_survey ? jo_check_view(bodies, &s->def.domain, error)
                                    : jo_survey(bodies, &s->def.domain, &measured, error);
    if (status != JO_OK) return status;
    s->stats.seconds[JO_STAGE_SURVEY] += jo_seconds() - start;

    const query q = {.bodies = bodies,
                     .domain = &s->def.domain,
                     .survey = leave_survey ? NULL : &measured,
                     .def = &s->def,
                     .threads = jo_threads(s->def.threads),
                     .parts = &s->parts};
    pairlist_clear(&s->contacts);
    s->stats.searches++;
    s->stats.cells = 0;
    s->stats.skin = 0.0;
    s->stats.method = s->method->info.name;
    status = (remember ? s->method->update : s->method->find)(s->state, &q, &s->contacts, &s->stats,
                                                              error);
    if (status != JO_OK) return status;
    s->stats.contacts = s->contacts.count;
    s->ready = true;
    s->last = *bodies;
    return JO_OK;
}

/* After a failure nothing half-made may be seen or built upon. */
static jo_status forget(jo_broad *s, jo_status status)
{
    pairlist_clear(&s->contacts);
    pairlist_clear(&s->begun);
    pairlist_clear(&s->ended);
    s->ready = s->before_counts = false;
    s->stats.contacts = 0;
    return status;
}

jo_status jo_broad_find(jo_broad *search, const jo_bodies *bodies, jo_error *error)
{
    if (search == NULL || bodies == NULL)
        return jo_fail(error, JO_ERR_ARGUMENT, "%s is NULL", search == NULL ? "search" : "bodies");
    search->ready = false;
    pairlist_clear(&search->begun);
    pairlist_clear(&search->ended);
    jo_status status = search_once(search, bodies, false, error);
    if (status == JO_OK && search->def.ordered)
        status = sort_contacts(search, &search->contacts, bodies->n, error);
    if (status != JO_OK) return forget(search, status);
    search->before_counts = true;
    return JO_OK;
}

jo_status jo_broad_update(jo_broad *search, const jo_bodies *bodies, jo_error *error)
{
    if (search == NULL || bodies == NULL)
        return jo_fail(error, JO_ERR_ARGUMENT, "%s is NULL", search == NULL ? "search" : "bodies");
    jo_broad *s = search;
    if (!s->ready || !alike(bodies, &s->last)) s->ready = false;

    const pairlist old = s->before; /* the two lists change places */
    const size_t last_n = s->last.n;
    s->before = s->contacts;
    s->contacts = old;
    if (!s->before_counts) pairlist_clear(&s->before);

    jo_status status = search_once(s, bodies, true, error);
    if (status == JO_OK) status = sort_contacts(s, &s->contacts, bodies->n, error);
    if (status == JO_OK) status = sort_contacts(s, &s->before, last_n, error);
    if (status != JO_OK) return forget(s, status);

    const double start = jo_seconds();
    if (!jo_pairlist_difference(&s->before, &s->contacts, &s->begun, &s->ended))
        return forget(s, jo_fail_memory(error, s->contacts.count * sizeof(jo_pair), "events"));
    s->stats.seconds[JO_STAGE_EVENTS] += jo_seconds() - start;
    s->before_counts = true;
    return JO_OK;
}

static jo_pairs view(const pairlist *list)
{
    return (jo_pairs){.pairs = pairlist_data(list), .count = list->count};
}

jo_pairs jo_broad_contacts(const jo_broad *search)
{
    return view(&search->contacts);
}

jo_pairs jo_broad_begun(const jo_broad *search)
{
    return view(&search->begun);
}

jo_pairs jo_broad_ended(const jo_broad *search)
{
    return view(&search->ended);
}

const char *jo_broad_stage_name(jo_broad_stage stage)
{
    static const char *const names[JO_STAGE_COUNT] = {"survey", "build", "search", "order",
                                                      "events"};
    return (unsigned)stage < JO_STAGE_COUNT ? names[stage] : "unknown";
}

jo_broad_stats jo_broad_statistics(const jo_broad *search)
{
    jo_broad_stats stats = search->stats;
    stats.bytes = search->method->state_size;
    if (search->method->bytes != NULL) stats.bytes += search->method->bytes(search->state);
    stats.bytes_lists = search->contacts.memory.size + search->before.memory.size +
                        search->begun.memory.size + search->ended.memory.size +
                        jo_pairparts_bytes(&search->parts) + search->scratch.size;
    return stats;
}

void jo_broad_statistics_reset(jo_broad *search)
{
    const jo_broad_stats now = search->stats;
    search->stats = (jo_broad_stats){
        .method = now.method, .contacts = now.contacts, .cells = now.cells, .skin = now.skin};
}

const char *jo_broad_why(const jo_broad *search)
{
    if (search->method->why != NULL) return search->method->why(search->state);
    return "named by the caller";
}

uint64_t jo_pairs_hash(jo_pairs pairs)
{
    uint64_t hash = 0;
    for (size_t k = 0; k < pairs.count; k++)
        hash += jo_mix64((uint64_t)pairs.pairs[k].i << 32 | pairs.pairs[k].j);
    return hash;
}

/* fuzz_number.c — decimal text to a double: the same bits as strtod, on every text that is a number
 * to both. Goes through csv, the shortest public way to a number. */
#include "fuzz_reader.h"

/* Whether strtod and jostle agree on the syntax: digits, a point, an exponent with e. */
static bool plain_decimal(const char *text)
{
    static const char allowed[] = "+-.0123456789eE";
    return text[strspn(text, allowed)] == 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char decimal[512], row[600];
    if (size == 0 || size >= sizeof decimal) return 0;
    memcpy(decimal, data, size);
    decimal[size] = 0;
    char *stop;
    const double expected = strtod(decimal, &stop);
    if (strlen(decimal) != size || !plain_decimal(decimal) || *stop != 0) return 0;
    if (!(fabs(expected) <= JO_COORDINATE_MAX)) return 0;

    jo_particles p;
    jo_error error = {JO_OK, ""};
    const int length = snprintf(row, sizeof row, "x,y,r\n%s,0,1\n", decimal);
    fuzz_demand(jo_particles_parse(row, (size_t)length, "row.csv", NULL, &p, &error) == JO_OK,
                "what strtod reads is a number", &error);
    fuzz_demand(memcmp(&p.x[0], &expected, sizeof expected) == 0, "the same bits as strtod",
                &error);
    jo_particles_free(&p);
    return 0;
}

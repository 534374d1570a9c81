/* binary.h — little-endian numbers in and out, for the array formats; see binary.c. */
#ifndef JO_IO_BINARY_H
#define JO_IO_BINARY_H

#include <string.h>

#include "io/gather.h"
#include "io/output.h"

/* Little-endian bytes as numbers, on any machine; compilers make one load or store of each. */
static inline uint32_t load_u32(const void *bytes)
{
    const unsigned char *b = bytes;
    return (uint32_t)b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

static inline void store_u32(uint32_t value, void *bytes)
{
    unsigned char *b = bytes;
    for (int i = 0; i < 4; i++)
        b[i] = (unsigned char)(value >> 8 * i);
}

static inline double load_f64(const void *bytes)
{
    const char *b = bytes;
    const uint64_t bits = load_u32(b) | (uint64_t)load_u32(b + 4) << 32;
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static inline double load_f32(const void *bytes)
{
    const uint32_t bits = load_u32(bytes);
    float value;
    memcpy(&value, &bits, sizeof value);
    return (double)value;
}

static inline void store_f64(double value, void *bytes)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    store_u32((uint32_t)bits, bytes);
    store_u32((uint32_t)(bits >> 32), (char *)bytes + 4);
}

/* Records of a binary file: `columns` numbers of 4 or 8 bytes each. */
typedef struct records {
    size_t columns;
    unsigned char roles[4]; /* of type role */
    size_t item;            /* bytes of a number */
    int dim;
    double radius; /* where no column is one */
} records;

/* What `columns` numbers without names are: x y r, x y z r, or, with a radius for all and as the
 * dimension wants it, x y or x y z. Unwanted ones are ROLE_NONE. False if they cannot be any. */
bool jo_records_by_count(records *r, size_t columns, const jo_read_options *options);

/* Appends up to `rows` records; *read says how many there were before the input ended. Fails with
 * "NAME: byte N: ..." on a value that no particle can have. */
jo_status jo_records_read(const records *r, input *in, size_t rows, gather *g, size_t *read,
                          jo_error *error);

/* Fails about particle `index` if its values are bad; `byte` is where it is in the file. */
jo_status jo_records_check(const records *r, const input *in, const gather *g, size_t index,
                           uint64_t byte, jo_error *error);

/* Writes particles as records of doubles. */
void jo_records_write(output *out, const jo_particles *particles);

/* Writes the header of a NumPy array of shape (rows, columns) in C order. */
void jo_npy_header(output *out, const char *type, size_t rows, size_t columns);

#endif

/* fmt/format.h — a stand-in for the header that LAMMPS' installed headers include but Debian does
 * not ship (LAMMPS keeps its own copy of {fmt}). They only name these types in functions that the
 * benchmark never calls. */
#ifndef BENCH_FMT_FORMAT_H
#define BENCH_FMT_FORMAT_H

#include <string>

namespace fmt {
struct string_view {
    string_view(const char *) {}
    string_view(const std::string &) {}
};
struct format_args {};
template <typename... Args> format_args make_args_checked(string_view, Args &&...);
} // namespace fmt
#endif

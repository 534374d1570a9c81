/* html.h — a report as one self-contained page. */
#ifndef CLI_HTML_H
#define CLI_HTML_H

#include "report.h"

/* Writes FOLDER/index.html; the plots are read back from FOLDER/NAME.svg and put into the page. */
jo_status html_write(const report *r, const char *folder, jo_error *error);

#endif

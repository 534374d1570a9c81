/* html.c — a report as one self-contained page: no script, no font, no picture from elsewhere.
 *
 * The plots are SVG files written a moment ago, pictures PNG files; each goes into the page as a
 * data URI, so that the page can be mailed around as a single file. */
#include <math.h>
#include <string.h>
#include <time.h>

#include "html.h"
#include "output.h"

static const char *const style =
    "body{font:16px/1.5 system-ui,sans-serif;max-width:72rem;margin:2rem auto;padding:0 1rem;"
    "color:#1b1f24;background:#fff}"
    "h1{font-size:1.6rem}h2{font-size:1.2rem;margin-top:2.2rem;border-bottom:1px solid #d0d7de}"
    "table{border-collapse:collapse;width:100%;font-size:.9rem}"
    "th{text-align:left;border-bottom:2px solid #8c959f;padding:.3rem .6rem}"
    "td{border-bottom:1px solid #eaeef2;padding:.25rem .6rem;vertical-align:top}"
    "td.n,th.n{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}"
    "td.note{color:#57606a}li{margin:.5rem 0}"
    ".plots{display:grid;grid-template-columns:repeat(auto-fit,minmax(26rem,1fr));gap:1rem;"
    "margin:2rem 0}"
    "figure{margin:0 0 1rem}figure img{width:100%;border:1px solid #eaeef2}"
    "figcaption{font-size:.85rem;color:#57606a}"
    "footer{margin:3rem 0 1rem;color:#57606a;font-size:.85rem}"
    "@media(prefers-color-scheme:dark){body{background:#fff;color:#1b1f24}}";

static void escape(FILE *out, const char *text, size_t length)
{
    for (size_t k = 0; k < length; k++) {
        if (text[k] == '<')
            fputs("&lt;", out);
        else if (text[k] == '>')
            fputs("&gt;", out);
        else if (text[k] == '&')
            fputs("&amp;", out);
        else if (text[k] == '"')
            fputs("&quot;", out);
        else
            fputc(text[k], out);
    }
}

static void escape_all(FILE *out, const char *text)
{
    escape(out, text, strlen(text));
}

static void number(FILE *out, double value)
{
    if (isnan(value))
        fputs("<td class=n>–</td>", out);
    else if (value == rint(value) && fabs(value) < 1e15)
        fprintf(out, "<td class=n>%.0f</td>", value);
    else
        fprintf(out, "<td class=n>%.4g</td>", value);
}

static void rows(FILE *out, const report *r)
{
    const char *section = NULL;
    for (size_t k = 0; k < r->n_rows; k++) {
        const report_row *row = &r->rows[k];
        if (section == NULL || strcmp(section, row->section) != 0) {
            if (section != NULL) fputs("</table>\n", out);
            section = row->section;
            fputs("<h2>", out);
            escape_all(out, section);
            fputs("</h2>\n<table><tr><th>what<th class=n>paper<th class=n>ours<th>unit<th>note"
                  "</tr>\n",
                  out);
        }
        fputs("<tr><td>", out);
        escape_all(out, row->name);
        fputs("</td>", out);
        number(out, row->paper);
        number(out, row->ours);
        fputs("<td>", out);
        escape_all(out, row->unit);
        fputs("</td><td class=note>", out);
        escape_all(out, row->note);
        fputs("</td></tr>\n", out);
    }
    if (section != NULL) fputs("</table>\n", out);
}

/* Copies a file into the page as base64. */
static bool embed(FILE *out, const char *path)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    unsigned char bytes[3];
    size_t got;
    FILE *in = fopen(path, "rb");
    if (in == NULL) return false;
    while ((got = fread(bytes, 1, 3, in)) > 0) {
        for (size_t k = got; k < 3; k++)
            bytes[k] = 0;
        const unsigned value = (unsigned)bytes[0] << 16 | (unsigned)bytes[1] << 8 | bytes[2];
        for (size_t k = 0; k < 4; k++)
            fputc(k <= got ? digits[value >> (18 - 6 * k) & 63] : '=', out);
    }
    const bool good = !ferror(in);
    fclose(in);
    return good;
}

static void plots(FILE *out, const report *r, const char *folder)
{
    char path[1400];
    fputs("<div class=plots>\n", out);
    for (size_t k = 0; k < r->n_plots; k++) {
        const report_plot *p = &r->plots[k];
        snprintf(path, sizeof path, "%.1000s/%s.svg", folder, p->file);
        fputs("<figure><img alt=\"", out);
        escape_all(out, p->title);
        fputs("\" src=\"data:image/svg+xml;base64,", out);
        embed(out, path);
        fprintf(out, "\"><figcaption>Data: <code>%s.csv</code></figcaption></figure>\n", p->file);
    }
    for (size_t k = 0; k < r->n_pictures; k++) {
        const report_picture *p = &r->pictures[k];
        snprintf(path, sizeof path, "%.1000s/%s.png", folder, p->file);
        fputs("<figure><img alt=\"", out);
        escape_all(out, p->title);
        fputs("\" src=\"data:image/png;base64,", out);
        embed(out, path);
        fprintf(out, "\"><figcaption><code>%s.png</code></figcaption></figure>\n", p->file);
    }
    fputs("</div>\n", out);
}

static void findings(FILE *out, const report *r)
{
    if (r->findings == NULL) return;
    fputs("<h2>Findings</h2>\n<ul>\n", out);
    for (const char *line = r->findings; *line != '\0';) {
        const size_t length = strcspn(line, "\n");
        fputs("<li>", out);
        escape(out, line, length);
        fputs("</li>\n", out);
        line += length + 1;
    }
    fputs("</ul>\n", out);
}

jo_status html_write(const report *r, const char *folder, jo_error *error)
{
    char path[1400], day[64] = "";
    output o;
    snprintf(path, sizeof path, "%.1000s/index.html", folder);
    if (output_open(&o, path, error) != JO_OK) return error->status;
    const time_t now = time(NULL);
    struct tm parts;
    if (gmtime_r(&now, &parts) != NULL) strftime(day, sizeof day, "%Y-%m-%d", &parts);
    fprintf(
        o.file,
        "<!doctype html>\n<html lang=en><meta charset=utf-8><meta name=viewport "
        "content=\"width=device-width\">\n<title>Paper %d reproduced</title>\n<style>%s</style>\n"
        "<h1>Paper %d, reproduced</h1>\n<p>",
        r->paper, style, r->paper);
    escape_all(o.file, r->title);
    fputs("</p>\n", o.file);
    findings(o.file, r);
    if (jo_pictures_available()) plots(o.file, r, folder);
    rows(o.file, r);
    fprintf(
        o.file,
        "<footer>jostle %s, %s. Made by <code>jostle reproduce %d</code>. One thread; times are "
        "processor time of the machine it ran on.</footer>\n</html>\n",
        jo_version(), day, r->paper);
    return output_close(&o, error);
}

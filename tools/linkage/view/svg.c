/* SPDX-License-Identifier: Apache-2.0 */
/* A picture as SVG. Text is not escaped, because names of a model contain no special characters of
 * XML. */
#include "commands.h"
#include "view.h"

static int byte_of(double part)
{
    return (int)(255 * part + 0.5);
}

static void put_color(const struct mark *m, const char *what, FILE *to)
{
    fprintf(to, " %s=\"#%02x%02x%02x\"", what, byte_of(m->color[0]), byte_of(m->color[1]),
            byte_of(m->color[2]));
    if (m->color[3] < 1)
        fprintf(to, " %s-opacity=\"%.2f\"", what, m->color[3]);
}

static void put_face(const struct mark *m, FILE *to)
{
    fputs("<path d=\"", to);
    for (int i = 0; i < m->n; i++)
        fprintf(to, "%c%.1f %.1f", i == 0 ? 'M' : 'L', m->at[i][0], m->at[i][1]);
    fputs("z\"", to);
    put_color(m, "fill", to);
    if (m->color[3] == 1) /* an opaque outline closes the seams between faces */
        put_color(m, "stroke", to);
    fputs("/>\n", to);
}

static bool write_svg(const struct picture *p, FILE *to)
{
    fprintf(to,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d "
            "%d\" stroke-width=\"0.6\" stroke-linecap=\"round\" stroke-linejoin=\"round\" "
            "font-family=\"sans-serif\" font-size=\"13\">\n<rect width=\"100%%\" height=\"100%%\" "
            "fill=\"white\"/>\n",
            p->width, p->height, p->width, p->height);
    for (int i = 0; i < p->n; i++) {
        const struct mark *m = &p->mark[i];

        if (m->kind == MARK_FACE) {
            put_face(m, to);
        } else if (m->kind == MARK_LINE) {
            fprintf(to, "<path d=\"M%.1f %.1fL%.1f %.1f\" stroke-width=\"%.1f\"", m->at[0][0],
                    m->at[0][1], m->at[1][0], m->at[1][1], m->width);
            put_color(m, "stroke", to);
            fputs("/>\n", to);
        } else {
            fprintf(to, "<text x=\"%.1f\" y=\"%.1f\"", m->at[0][0], m->at[0][1]);
            put_color(m, "fill", to);
            fprintf(to, ">%s</text>\n", m->text);
        }
    }
    fputs("</svg>\n", to);
    return ferror(to) == 0;
}

bool save_svg(const char *path, const struct picture *p)
{
    struct output *to = NULL;
    int fault = output_open(path, OUTPUT_MARK_SVG, &to);

    if (fault == 0)
        fault = output_close(to, write_svg(p, output_file(to)));
    return told_output(path, fault) == EXIT_DONE;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* A picture as PNG, drawn with cairo. */
#include "view.h"

#ifdef HAVE_CAIRO
#include <cairo.h>

static void draw_mark(cairo_t *cairo, const struct mark *m)
{
    const double *c = m->color;

    cairo_set_source_rgba(cairo, c[0], c[1], c[2], c[3]);
    cairo_move_to(cairo, m->at[0][0], m->at[0][1]);
    if (m->kind == MARK_NOTE) {
        cairo_show_text(cairo, m->text);
        cairo_new_path(cairo);
        return;
    }
    for (int i = 1; i < m->n; i++)
        cairo_line_to(cairo, m->at[i][0], m->at[i][1]);
    if (m->kind == MARK_LINE) {
        cairo_set_line_width(cairo, m->width);
        cairo_stroke(cairo);
        return;
    }
    cairo_close_path(cairo);
    cairo_set_line_width(cairo, 0.6);
    cairo_fill_preserve(cairo);
    if (c[3] == 1) /* an opaque outline closes the seams between faces */
        cairo_stroke(cairo);
    cairo_new_path(cairo);
}

static cairo_status_t put_bytes(void *to, const unsigned char *bytes, unsigned int size)
{
    return fwrite(bytes, 1, size, to) == size ? CAIRO_STATUS_SUCCESS : CAIRO_STATUS_WRITE_ERROR;
}

const char *write_png(const struct picture *p, FILE *to)
{
    cairo_surface_t *surface = cairo_image_surface_create(CAIRO_FORMAT_RGB24, p->width, p->height);
    cairo_t *cairo = cairo_create(surface);
    cairo_status_t status;

    cairo_set_source_rgb(cairo, 1, 1, 1);
    cairo_paint(cairo);
    cairo_set_line_cap(cairo, CAIRO_LINE_CAP_ROUND);
    cairo_set_line_join(cairo, CAIRO_LINE_JOIN_ROUND);
    cairo_select_font_face(cairo, "sans-serif", CAIRO_FONT_SLANT_NORMAL, CAIRO_FONT_WEIGHT_NORMAL);
    cairo_set_font_size(cairo, 13);
    for (int i = 0; i < p->n; i++)
        draw_mark(cairo, &p->mark[i]);
    status = cairo_status(cairo);
    if (status == CAIRO_STATUS_SUCCESS)
        status = cairo_surface_write_to_png_stream(surface, put_bytes, to);
    cairo_destroy(cairo);
    cairo_surface_destroy(surface);
    return status == CAIRO_STATUS_SUCCESS ? NULL : cairo_status_to_string(status);
}

#else

const char *write_png(const struct picture *p, FILE *to)
{
    (void)p;
    (void)to;
    return "this program was built without cairo (libcairo2-dev); --svg needs no library";
}

#endif

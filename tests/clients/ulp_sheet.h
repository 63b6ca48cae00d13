/* A sheet of plots of the error over the range, one panel a function, as SVG. */
#ifndef PUMICE_CLIENT_ULP_SHEET_H
#define PUMICE_CLIENT_ULP_SHEET_H
#include "ulp.h"
#include <stdio.h>

/* Two columns share one unit of a panel's width. */
enum { PANEL_WIDTH = COLUMNS / 2, PANEL_HEIGHT = 80, GAP = 44, PER_ROW = 4 };

static inline void draw_panel(FILE *to, const function *f, int w, const finding *found)
{
    double limit = f->limit[w], most = 0;
    for (int c = 0; c < COLUMNS; c++)
        if (found->columns[c] > most && !isinf(found->columns[c]))
            most = found->columns[c];
    /* A limit far above the error would press the plot flat. */
    int show_limit = limit > 0 && limit < 8 * most;
    double top = show_limit && limit > most ? limit * 1.1 : most > 0 ? most * 1.1 : 1;
    if (isinf(limit))
        fprintf(to, "<text y='-6'>%s: %.3g, no limit</text>", f->name, found->worst);
    else
        fprintf(to, "<text y='-6'>%s: %.3g of %g ULP</text>", f->name, found->worst, limit);
    fprintf(to, "<rect class='frame' width='%d' height='%d'/>", PANEL_WIDTH, PANEL_HEIGHT);
    static const struct {
        int at;
        const char *label;
    } marks[] = {{PANEL_WIDTH / 4, "-1"}, {PANEL_WIDTH / 2, "0"}, {PANEL_WIDTH * 3 / 4, "1"}};
    for (int i = 0; i < 3; i++)
        fprintf(to, "<path class='mark' d='M%d 0V%d'/><text class='tick' x='%d' y='%d'>%s</text>", marks[i].at, PANEL_HEIGHT,
                marks[i].at, PANEL_HEIGHT + 11, marks[i].label);
    fprintf(to, "<text class='side' x='-3' y='8'>%.2g</text>", top);
    /* An area; runs of equal height are one line. */
    fprintf(to, "<path class='error' d='M0 %d", PANEL_HEIGHT);
    int last = PANEL_HEIGHT, run = 0;
    for (int c = 0; c < COLUMNS; c += 2) {
        double error = fmax(found->columns[c], found->columns[c + 1]);
        int y = PANEL_HEIGHT - (int)(fmin(error / top, 1) * PANEL_HEIGHT + 0.5);
        if (y != last) {
            if (run > 0)
                fprintf(to, "h%d", run);
            fprintf(to, "v%d", y - last);
            last = y;
            run = 0;
        }
        run++;
    }
    fprintf(to, "h%dV%dz'/>", run, PANEL_HEIGHT);
    if (show_limit) {
        int y = PANEL_HEIGHT - (int)(limit / top * PANEL_HEIGHT + 0.5);
        fprintf(to, "<path class='limit' d='M0 %dh%d'/>", y, PANEL_WIDTH);
    }
}

/* An exact function has nothing to draw. */
static inline int drawn(const finding *found)
{
    return found != NULL && found->tested && found->worst > 0;
}

/* Draws the functions of a width that were tested and are not exact. Returns 0 where the file cannot be written. */
static inline int draw_sheet(const char *path, int w, const char *caption, const finding *found[FUNCTIONS])
{
    int panels = 0;
    for (int i = 0; i < FUNCTIONS; i++)
        panels += drawn(found[i]);
    FILE *to = fopen(path, "w");
    if (to == NULL)
        return 0;
    int rows = (panels + PER_ROW - 1) / PER_ROW;
    int wide = GAP + PER_ROW * (PANEL_WIDTH + GAP), high = GAP + rows * (PANEL_HEIGHT + GAP);
    fprintf(to,
            "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 %d %d' font-family='sans-serif' font-size='12'>\n"
            "<style>.frame{fill:#fff;stroke:#999}.mark{stroke:#ddd}.tick{font-size:9px;text-anchor:middle;fill:#666}"
            ".side{font-size:9px;text-anchor:end;fill:#666}.error{fill:#4878a8}.limit{stroke:#c33;stroke-dasharray:4 3}</style>\n"
            "<rect width='%d' height='%d' fill='#fff'/><text x='%d' y='16'>Errors for %s: %s</text>\n",
            wide, high, wide, high, GAP, width[w].name, caption);
    int panel = 0;
    for (int i = 0; i < FUNCTIONS; i++) {
        if (!drawn(found[i]))
            continue;
        fprintf(to, "<g transform='translate(%d %d)'>", GAP + panel % PER_ROW * (PANEL_WIDTH + GAP),
                GAP + panel / PER_ROW * (PANEL_HEIGHT + GAP));
        draw_panel(to, &functions[i], w, found[i]);
        fprintf(to, "</g>\n");
        panel++;
    }
    fprintf(to, "</svg>\n");
    return fclose(to) == 0;
}
#endif

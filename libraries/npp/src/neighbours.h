/* SPDX-License-Identifier: MIT */
/* The pixels around a pixel, row by row: all eight, or the four that share an edge. */
#ifndef NPP_NEIGHBOURS_H
#define NPP_NEIGHBOURS_H

struct npp_neighbour {
    signed char x, y;
};

static const struct npp_neighbour npp_neighbours_8[8] = {
    {-1, -1}, {0, -1}, {1, -1}, {-1, 0}, {1, 0}, {-1, 1}, {0, 1}, {1, 1},
};

static const struct npp_neighbour npp_neighbours_4[4] = {{0, -1}, {-1, 0}, {1, 0}, {0, 1}};

#endif

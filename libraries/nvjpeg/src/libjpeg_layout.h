/* SPDX-License-Identifier: MIT */
/* libjpeg's objects as one version of its interface lays them out, LIBJPEG_VERSION: 62 is that of
 * most systems, 80 of others. LIBJPEG() makes the names. */

struct LIBJPEG(component) {
    int id, index;
    int horizontal, vertical; /* sampling factors */
    int quantization, dc_table, ac_table;
    unsigned blocks_across, blocks_down;
#if LIBJPEG_VERSION >= 70
    int scaled_size, scaled_height; /* of a block */
#else
    int scaled_size;
#endif
    unsigned width, height; /* in samples, of a decoded plane */
    int is_needed;
    int mcu_width, mcu_height, mcu_blocks, mcu_sample_width, last_column_width, last_row_height;
    struct libjpeg_quantization *table;
    void *dct_table;
};

struct LIBJPEG(compress) {
    struct libjpeg_errors *errors;
    void *memory, *progress, *client_data;
    int is_decompressor, state;
    struct libjpeg_destination *destination;
    unsigned image_width, image_height;
    int input_components, input_colors;
    double gamma;
#if LIBJPEG_VERSION >= 70
    unsigned scale_numerator, scale_denominator, jpeg_width, jpeg_height;
#endif
    int precision, components, colors;
    struct LIBJPEG(component) * component;
    struct libjpeg_quantization *quantization[LIBJPEG_TABLES];
#if LIBJPEG_VERSION >= 70
    int quality_factor[LIBJPEG_TABLES];
#endif
    struct libjpeg_huffman *dc_tables[LIBJPEG_TABLES], *ac_tables[LIBJPEG_TABLES];
    unsigned char arithmetic_conditioning[3][16];
    int scans;
    const void *scan_info;
    int has_raw_data, has_arithmetic_code, optimizes, has_ccir601_sampling;
#if LIBJPEG_VERSION >= 70
    int downsamples_smoothly;
#endif
    int smoothing, dct_method;
    unsigned restart_interval;
    int restart_rows;
    int writes_jfif;
    unsigned char jfif_major, jfif_minor, density_unit;
    unsigned short density_x, density_y;
    int writes_adobe;
    unsigned next_scanline;
    int is_progressive, most_horizontal, most_vertical;
#if LIBJPEG_VERSION >= 70
    int least_scaled_width, least_scaled_height;
#endif
    unsigned mcu_rows;
    int scan_components;
    struct LIBJPEG(component) * scan_component[LIBJPEG_SCAN_COMPONENTS];
    unsigned mcus_in_row, mcu_rows_in_scan;
    int blocks_in_mcu, mcu_membership[10];
    int spectral_start, spectral_end, bit_high, bit_low;
#if LIBJPEG_VERSION >= 80
    int block_size;
    const int *natural_order;
    int spectral_limit;
#endif
    void *modules[9];
    void *scan_space;
    int scan_space_size;
};

/* The part of a module that is called; it chooses how components are transformed. */
struct LIBJPEG(inverse_dct) {
    void (*start_pass)(void *object);
};

struct LIBJPEG(decompress) {
    struct libjpeg_errors *errors;
    void *memory, *progress, *client_data;
    int is_decompressor, state;
    void *source;
    unsigned image_width, image_height;
    int components, colors, output_colors;
    unsigned scale_numerator, scale_denominator;
    double gamma;
    int has_buffered_image, has_raw_data, dct_method, upsamples_smoothly, smooths_blocks;
    int quantizes_colors, dither_mode, quantizes_in_two_passes, desired_colors;
    int has_one_pass, has_external_map, has_two_passes;
    unsigned output_width, output_height;
    int output_color_components, output_components, buffer_height, actual_colors;
    void *color_map;
    unsigned output_scanline;
    int input_scan;
    unsigned input_row;
    int output_scan;
    unsigned output_row;
    void *coefficient_bits;
    struct libjpeg_quantization *quantization[LIBJPEG_TABLES];
    struct libjpeg_huffman *dc_tables[LIBJPEG_TABLES], *ac_tables[LIBJPEG_TABLES];
    int precision;
    struct LIBJPEG(component) * component;
#if LIBJPEG_VERSION >= 80
    int is_baseline;
#endif
    int is_progressive, has_arithmetic_code;
    unsigned char arithmetic_conditioning[3][16];
    unsigned restart_interval;
    int saw_jfif;
    unsigned char jfif_major, jfif_minor, density_unit;
    unsigned short density_x, density_y;
    int saw_adobe;
    unsigned char adobe_transform;
    int has_ccir601_sampling;
    void *markers;
    int most_horizontal, most_vertical;
#if LIBJPEG_VERSION >= 70
    int least_scaled_size, least_scaled_height;
#else
    int least_scaled_size;
#endif
    unsigned mcu_rows;
    void *range_limit;
    int scan_components;
    struct LIBJPEG(component) * scan_component[LIBJPEG_SCAN_COMPONENTS];
    unsigned mcus_in_row, mcu_rows_in_scan;
    int blocks_in_mcu, mcu_membership[10];
    int spectral_start, spectral_end, bit_high, bit_low;
#if LIBJPEG_VERSION >= 80
    int block_size;
    const int *natural_order;
    int spectral_limit;
#endif
    int unread_marker;
    void *modules[7];
    struct LIBJPEG(inverse_dct) * inverse_dct;
    void *more_modules[3];
};

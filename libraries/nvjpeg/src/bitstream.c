/* SPDX-License-Identifier: MIT */
/* Reads the segments of a JPEG file (ITU-T T.81, annex B) up to the first scan. */
#include "bitstream.h"

#include <string.h>

enum {
    SOI = 0xd8,
    EOI = 0xd9,
    SOS = 0xda,
    DQT = 0xdb,
    DHT = 0xc4,
    DAC = 0xcc,
    APP1 = 0xe1,
    SOF_FIRST = 0xc0,
    SOF_LAST = 0xcf,
    JPG = 0xc8,
    EXIF_ORIENTATION = 0x112,
};

struct reader {
    const unsigned char *at, *end;
};

static unsigned take16(struct reader *reader)
{
    unsigned value = (unsigned)reader->at[0] << 8 | reader->at[1];

    reader->at += 2;
    return value;
}

static size_t left(const struct reader *reader)
{
    return (size_t)(reader->end - reader->at);
}

static nvjpegChromaSubsampling_t classify(const struct jpeg_info *info)
{
    static const struct {
        unsigned char horizontal, vertical;
        nvjpegChromaSubsampling_t subsampling;
    } known[] = {{1, 1, NVJPEG_CSS_444}, {2, 1, NVJPEG_CSS_422}, {2, 2, NVJPEG_CSS_420},
                 {1, 2, NVJPEG_CSS_440}, {4, 1, NVJPEG_CSS_411}, {4, 2, NVJPEG_CSS_410},
                 {2, 4, NVJPEG_CSS_410V}};
    const struct jpeg_component *luma = &info->component[0], *chroma = &info->component[1];

    if (info->components == 1)
        return NVJPEG_CSS_GRAY;
    if (info->components == 2)
        return NVJPEG_CSS_UNKNOWN;
    if (chroma->horizontal != info->component[2].horizontal ||
        chroma->vertical != info->component[2].vertical || luma->horizontal % chroma->horizontal ||
        luma->vertical % chroma->vertical)
        return NVJPEG_CSS_UNKNOWN;
    for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++) {
        if (luma->horizontal / chroma->horizontal == known[i].horizontal &&
            luma->vertical / chroma->vertical == known[i].vertical)
            return known[i].subsampling;
    }
    return NVJPEG_CSS_UNKNOWN;
}

static unsigned scaled(unsigned size, unsigned factor, unsigned most)
{
    return (size * factor + most - 1) / most;
}

static nvjpegStatus_t read_frame(struct reader segment, unsigned marker, struct jpeg_info *info)
{
    unsigned most_horizontal = 1, most_vertical = 1;

    if (left(&segment) < 6)
        return NVJPEG_STATUS_BAD_JPEG;
    info->encoding = (nvjpegJpegEncoding_t)marker;
    info->precision = *segment.at++;
    info->height = take16(&segment);
    info->width = take16(&segment);
    info->components = *segment.at++;
    if (!info->width || !info->height || !info->components || left(&segment) < 3 * info->components)
        return NVJPEG_STATUS_BAD_JPEG;
    if (info->components > NVJPEG_MAX_COMPONENT)
        return NVJPEG_STATUS_JPEG_NOT_SUPPORTED;
    for (unsigned i = 0; i < info->components; i++, segment.at += 3) {
        struct jpeg_component *component = &info->component[i];

        component->id = segment.at[0];
        component->horizontal = segment.at[1] >> 4;
        component->vertical = segment.at[1] & 15;
        component->table = segment.at[2] & 3;
        if (component->horizontal - 1 > 3 || component->vertical - 1 > 3)
            return NVJPEG_STATUS_BAD_JPEG;
        if (component->horizontal > most_horizontal)
            most_horizontal = component->horizontal;
        if (component->vertical > most_vertical)
            most_vertical = component->vertical;
    }
    for (unsigned i = 0; i < info->components; i++) {
        struct jpeg_component *component = &info->component[i];

        component->width = scaled(info->width, component->horizontal, most_horizontal);
        component->height = scaled(info->height, component->vertical, most_vertical);
    }
    info->subsampling = classify(info);
    return NVJPEG_STATUS_SUCCESS;
}

static nvjpegStatus_t read_quantization(struct reader segment, struct jpeg_info *info)
{
    while (left(&segment)) {
        unsigned head = *segment.at++, wide = head >> 4;

        if (wide > 1 || (head & 15) > 3 || left(&segment) < 64 * (1 + wide))
            return NVJPEG_STATUS_BAD_JPEG;
        for (int i = 0; i < 64; i++)
            info->quantization[head & 15].values[i] =
                (unsigned short)(wide ? take16(&segment) : *segment.at++);
    }
    return NVJPEG_STATUS_SUCCESS;
}

static nvjpegStatus_t read_huffman(struct reader segment, struct jpeg_info *info)
{
    while (left(&segment)) {
        unsigned head = *segment.at++, count = 0;
        struct jpeg_huffman *table;

        if (head >> 4 > 1 || (head & 15) > 3 || left(&segment) < 16)
            return NVJPEG_STATUS_BAD_JPEG;
        table = &info->huffman[head >> 4][head & 15];
        for (unsigned i = 1; i <= 16; i++)
            count += table->counts[i] = *segment.at++;
        if (count > sizeof(table->values) || left(&segment) < count)
            return NVJPEG_STATUS_BAD_JPEG;
        memset(table->values, 0, sizeof(table->values));
        memcpy(table->values, segment.at, count);
        segment.at += count;
        table->is_defined = true;
    }
    return NVJPEG_STATUS_SUCCESS;
}

/* Which codes the components of the first scan have. */
static void read_scan(struct reader segment, struct jpeg_info *info)
{
    unsigned count = left(&segment) ? *segment.at++ : 0;

    for (; count && left(&segment) >= 2; count--, segment.at += 2) {
        for (unsigned i = 0; i < info->components; i++) {
            if (info->component[i].id != segment.at[0])
                continue;
            info->component[i].codes[0] = segment.at[1] >> 4 & 3;
            info->component[i].codes[1] = segment.at[1] & 3;
        }
    }
}

static unsigned exif16(const unsigned char *at, bool little)
{
    return little ? at[0] | (unsigned)at[1] << 8 : (unsigned)at[0] << 8 | at[1];
}

static unsigned exif32(const unsigned char *at, bool little)
{
    unsigned first = exif16(at, little), second = exif16(at + 2, little);

    return little ? first | second << 16 : first << 16 | second;
}

/* The orientation stands in the first directory of the TIFF file within the segment. */
static void read_exif(struct reader segment, struct jpeg_info *info)
{
    const unsigned char *tiff = segment.at + 6;
    size_t bytes = left(&segment);
    unsigned directory, count;
    bool little;

    if (bytes < 20 || memcmp(segment.at, "Exif\0\0", 6) != 0)
        return;
    bytes -= 6;
    little = tiff[0] == 'I';
    directory = exif32(tiff + 4, little);
    if (directory > bytes - 2)
        return;
    count = exif16(tiff + directory, little);
    for (unsigned i = 0; i < count && directory + 2 + 12 * (i + 1) <= bytes; i++) {
        const unsigned char *entry = tiff + directory + 2 + 12 * i;
        unsigned value = exif16(entry + 8, little);

        if (exif16(entry, little) == EXIF_ORIENTATION && value >= 1 && value <= 8)
            info->orientation = (nvjpegExifOrientation_t)value;
    }
}

static nvjpegStatus_t read_segment(unsigned marker, struct reader segment, struct jpeg_info *info)
{
    if (marker == DQT)
        return read_quantization(segment, info);
    if (marker == DHT)
        return read_huffman(segment, info);
    if (marker >= SOF_FIRST && marker <= SOF_LAST && marker != DHT && marker != JPG &&
        marker != DAC)
        return read_frame(segment, marker, info);
    if (marker == APP1)
        read_exif(segment, info);
    return NVJPEG_STATUS_SUCCESS;
}

static nvjpegStatus_t read_segments(struct reader *reader, struct jpeg_info *info)
{
    while (left(reader) >= 2) {
        unsigned marker, length;
        nvjpegStatus_t status;

        if (*reader->at++ != 0xff)
            return NVJPEG_STATUS_BAD_JPEG;
        while (left(reader) && *reader->at == 0xff)
            reader->at++;
        if (!left(reader))
            return NVJPEG_STATUS_INCOMPLETE_BITSTREAM;
        marker = *reader->at++;
        if (marker == EOI)
            return NVJPEG_STATUS_SUCCESS;
        if (marker == SOS) {
            read_scan(
                (struct reader){reader->at + (left(reader) < 2 ? left(reader) : 2), reader->end},
                info);
            return NVJPEG_STATUS_SUCCESS;
        }
        if (left(reader) < 2)
            return NVJPEG_STATUS_INCOMPLETE_BITSTREAM;
        length = take16(reader);
        if (length < 2)
            return NVJPEG_STATUS_BAD_JPEG;
        if (left(reader) < length - 2)
            return NVJPEG_STATUS_INCOMPLETE_BITSTREAM;
        status = read_segment(marker, (struct reader){reader->at, reader->at + length - 2}, info);
        if (status != NVJPEG_STATUS_SUCCESS)
            return status;
        reader->at += length - 2;
    }
    return NVJPEG_STATUS_INCOMPLETE_BITSTREAM;
}

nvjpegStatus_t jpeg_parse(const unsigned char *data, size_t bytes, bool whole,
                          struct jpeg_info *info)
{
    struct reader reader = {data, data + bytes};
    nvjpegStatus_t status;

    info->components = 0;
    info->orientation = NVJPEG_ORIENTATION_UNKNOWN;
    info->subsampling = NVJPEG_CSS_UNKNOWN;
    if (bytes < 2)
        return NVJPEG_STATUS_INCOMPLETE_BITSTREAM;
    if (data[0] != 0xff || data[1] != SOI)
        return NVJPEG_STATUS_BAD_JPEG;
    reader.at += 2;
    status = read_segments(&reader, info);
    if (status == NVJPEG_STATUS_SUCCESS && whole && !info->components)
        return NVJPEG_STATUS_BAD_JPEG;
    return status;
}

/*
 * Raw deflate streams (RFC 1951) of at most 64 KiB, in and out: the blocks of BGZF. Compiled to WebAssembly by
 * scripts/inflate.ts; docs/dev/adr/0014 says why it exists.
 *
 * The caller puts the deflated bytes at `input()` and finds the inflated ones at `output()`. Every read stays in `in` and
 * every write in `out`: the last bytes of both (MARGIN) are there for wide loads and stores that reach past the limits,
 * which are compared once per turn of the loop.
 */
#include <stdint.h>

#define LARGEST 0x10000
/* A turn of the loop writes at most three pairs of literals, or two and a match of 258; the last store may be 40 bytes too wide. */
#define MARGIN 320

static uint8_t in[LARGEST + MARGIN];
static uint8_t out[LARGEST + MARGIN];

#define LENGTH_BITS 12
#define DISTANCE_BITS 8
/*
 * Both hold a first table and, after it, the second tables of codes that are longer than LENGTH_BITS or DISTANCE_BITS. These need at
 * most 2048 entries: there is one for each prefix that such a code begins with, and none is empty.
 */
static uint32_t lengths[(1 << LENGTH_BITS) + 2048];
static uint32_t distances[(1 << DISTANCE_BITS) + 2048];
static uint32_t precodes[1 << 7];
static uint8_t sizes[288 + 32];
static uint32_t symbols[288];

/*
 * An entry of a table:
 *   bits 0-7    how many bits to drop (of a length or distance: with its extra bits)
 *   bits 8-11   bits of the code alone; of an entry that leads to a second table: bits of that
 *   bits 12-15  kind: LITERAL once or twice, a MATCH, or one literal and a match; SPECIAL alone leads to a second table
 *   bits 16-31  first literal and second one, or first literal and length less 3; base of a distance; start of the second table
 */
#define LITERAL 0x1000u
#define MATCH 0x4000u
#define SPECIAL 0x8000u
#define END 0x1000u
#define WRONG 0x2000u

/* Less 3, so that 8 bits hold the longest. */
static const uint8_t lengthBase[31] = {0,  1,  2,  3,  4,  5,  6,  7,   8,   10,  12,  14,  16,  20, 24, 28,
                                       32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 255, 0,  0};
static const uint8_t lengthExtra[31] = {0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2,
                                        3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0, 0, 0};
static const uint16_t distanceBase[30] = {1,   2,   3,   4,   5,   7,    9,    13,   17,   25,   33,   49,   65,    97,    129,
                                          193, 257, 385, 513, 769, 1025, 1537, 2049, 3073, 4097, 6145, 8193, 12289, 16385, 24577};
static const uint8_t distanceExtra[30] = {0, 0, 0, 0, 1, 1, 2, 2,  3,  3,  4,  4,  5,  5,  6,
                                          6, 7, 7, 8, 8, 9, 9, 10, 10, 11, 11, 12, 12, 13, 13};
static const uint8_t precodeOrder[19] = {16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15};

uint8_t *input(void) { return in; }
uint8_t *output(void) { return out; }

static inline uint64_t load64(const uint8_t *at) {
  uint64_t value;
  __builtin_memcpy(&value, at, 8);
  return value;
}

static inline void copy8(uint8_t *to, const uint8_t *from) { __builtin_memcpy(to, from, 8); }

enum alphabet { LENGTHS, DISTANCES, PRECODES };

/* What a symbol decodes to; `size` bits of code, of which `gone` were dropped with the entry of the first table. */
static inline uint32_t entryOf(enum alphabet alphabet, uint32_t symbol, uint32_t size) {
  if (alphabet == PRECODES) return symbol << 16 | size;
  if (alphabet == DISTANCES) {
    if (symbol >= 30) return SPECIAL | WRONG;
    return (uint32_t)distanceBase[symbol] << 16 | size << 8 | (size + distanceExtra[symbol]);
  }
  if (symbol < 256) return symbol << 16 | LITERAL | size << 8 | size;
  if (symbol == 256) return SPECIAL | END | size;
  if (symbol >= 286) return SPECIAL | WRONG;
  return (uint32_t)lengthBase[symbol - 257] << 24 | MATCH | size << 8 | (size + lengthExtra[symbol - 257]);
}

static inline uint32_t reversed(uint32_t code, uint32_t size) {
  uint32_t result = 0;
  for (; size > 0; size--, code >>= 1) result = result << 1 | (code & 1);
  return result;
}

/*
 * Fills a table of `bits` bits, and second tables after it for longer codes. 0 when the sizes are those of no code. Like
 * zlib it takes an incomplete code only when its one symbol has one bit, or when there is no symbol.
 */
static int fill(uint32_t *table, uint32_t bits, uint32_t room, const uint8_t *size, uint32_t count, enum alphabet alphabet) {
  uint32_t counts[16] = {0}, next[16], longest = 0, used = 0;
  for (uint32_t i = 0; i < count; i++) counts[size[i]]++;
  counts[0] = 0;
  uint32_t code = 0;
  int32_t left = 1;
  for (uint32_t i = 1; i < 16; i++) {
    code = (code + counts[i - 1]) << 1;
    next[i] = code;
    left = (left << 1) - (int32_t)counts[i];
    if (left < 0) return 0;
    used += counts[i];
    if (counts[i] > 0) longest = i;
  }
  if (left > 0 && (alphabet == PRECODES || longest > 1)) return 0;
  for (uint32_t i = 0; left > 0 && i < 1u << bits; i++) table[i] = SPECIAL | WRONG;

  /* Symbols by length of their codes: then codes with the same prefix follow each other. */
  uint32_t offsets[16], sum = 0;
  for (uint32_t i = 1; i < 16; i++) {
    offsets[i] = sum;
    sum += counts[i];
  }
  for (uint32_t i = 0; i < count; i++) {
    if (size[i] > 0) symbols[offsets[size[i]]++] = i;
  }
  uint32_t end = 1u << bits, start = 0, prefix = 0xffffffff, second = 0;
  for (uint32_t i = 0; i < used; i++) {
    const uint32_t symbol = symbols[i], length = size[symbol];
    const uint32_t place = reversed(next[length]++, length);
    if (length <= bits) {
      const uint32_t entry = entryOf(alphabet, symbol, length);
      for (uint32_t at = place; at < 1u << bits; at += 1u << length) table[at] = entry;
      continue;
    }
    const uint32_t low = place & ((1u << bits) - 1);
    if (low != prefix) {
      prefix = low;
      /* The shortest table that holds all codes with this prefix. */
      second = length - bits;
      int32_t free = 1 << second;
      uint32_t inLength = offsets[length] - i;
      for (;;) {
        free -= (int32_t)inLength;
        if (free <= 0 || second + bits >= longest) break;
        second++;
        free <<= 1;
        inLength = counts[second + bits];
      }
      start = end;
      end += 1u << second;
      if (end > room) return 0;
      table[low] = start << 16 | SPECIAL | second << 8 | bits;
    }
    const uint32_t entry = entryOf(alphabet, symbol, length - bits);
    for (uint32_t at = place >> bits; at < 1u << second; at += 1u << (length - bits)) table[start + at] = entry;
  }
  return 1;
}

/*
 * A short literal and the literal or length after it become one entry, where the codes of both fit into LENGTH_BITS: no
 * processor can predict whether a literal or a length comes next.
 */
static void join(void) {
  for (uint32_t i = 1u << LENGTH_BITS; i-- > 0;) {
    const uint32_t first = lengths[i];
    if (first & (MATCH | SPECIAL)) continue;
    const uint32_t size = first & 0xff;
    /* `i >> size` is below `i`, or both are 0: it is not joined yet. */
    const uint32_t then = lengths[i >> size];
    if (then & SPECIAL || size + ((then >> 8) & 0xf) > LENGTH_BITS) continue;
    lengths[i] = first + (then & 0xffff) + ((then << 8 | then) & 0xff000000);
  }
}

#define REFILL()                                                                                                       \
  do {                                                                                                                 \
    buffer |= load64(at) << have;                                                                                      \
    at += (63 - have) >> 3;                                                                                            \
    have |= 56;                                                                                                        \
  } while (0)
#define DROP(n)                                                                                                        \
  do {                                                                                                                 \
    buffer >>= (n);                                                                                                    \
    have -= (n);                                                                                                       \
  } while (0)
#define LITERALS()                                                                                                     \
  do {                                                                                                                 \
    DROP(entry & 0xff);                                                                                                \
    to[0] = entry >> 16;                                                                                               \
    to[1] = entry >> 24;                                                                                               \
    to += (entry >> 12) & 3;                                                                                           \
  } while (0)
#define BITS(n) ((uint32_t)buffer & ((1u << (n)) - 1))

/* The inflated size, or -1 when the stream is damaged, unfinished or longer than `most`. */
int32_t inflate(uint32_t length, uint32_t most) {
  if (length > LARGEST || most > LARGEST) return -1;
  for (uint32_t i = 0; i < 16; i++) in[length + i] = 0;
  const uint8_t *at = in, *const stop = in + length + 8;
  uint8_t *to = out, *const limit = out + most;
  uint64_t buffer = 0;
  uint32_t have = 0, last;
  do {
    REFILL();
    last = BITS(1);
    const uint32_t type = (uint32_t)(buffer >> 1) & 3;
    DROP(3);
    if (type == 0) {
      /* Stored: give back the whole bytes in the buffer. */
      at -= (have >> 3);
      buffer = 0;
      have = 0;
      if (at + 4 > in + length) return -1;
      const uint32_t size = at[0] | at[1] << 8;
      if (size != (0xffffu ^ (at[2] | at[3] << 8))) return -1;
      at += 4;
      if (size > (uint32_t)(in + length - at) || size > (uint32_t)(limit - to)) return -1;
      __builtin_memcpy(to, at, size);
      to += size;
      at += size;
      continue;
    }
    if (type == 3) return -1;
    if (type == 1) {
      for (uint32_t i = 0; i < 288; i++) sizes[i] = i < 144 ? 8 : i < 256 ? 9 : i < 280 ? 7 : 8;
      for (uint32_t i = 0; i < 32; i++) sizes[288 + i] = 5;
      if (!fill(lengths, LENGTH_BITS, sizeof lengths / 4, sizes, 288, LENGTHS)) return -1;
      if (!fill(distances, DISTANCE_BITS, sizeof distances / 4, sizes + 288, 32, DISTANCES)) return -1;
    } else {
      const uint32_t literals = BITS(5) + 257, distance = ((uint32_t)(buffer >> 5) & 31) + 1;
      const uint32_t codes = ((uint32_t)(buffer >> 10) & 15) + 4;
      if (literals > 286 || distance > 30) return -1;
      DROP(14);
      uint8_t few[19] = {0};
      for (uint32_t i = 0; i < codes; i++) {
        if (have < 3) REFILL();
        few[precodeOrder[i]] = BITS(3);
        DROP(3);
      }
      if (!fill(precodes, 7, sizeof precodes / 4, few, 19, PRECODES)) return -1;
      for (uint32_t i = 0; i < literals + distance;) {
        REFILL();
        if (at > stop) return -1;
        const uint32_t entry = precodes[BITS(7)];
        DROP(entry & 0xff);
        const uint32_t symbol = entry >> 16;
        if (symbol < 16) {
          sizes[i++] = symbol;
          continue;
        }
        uint32_t times, value = 0;
        if (symbol == 16) {
          if (i == 0) return -1;
          value = sizes[i - 1];
          times = 3 + BITS(2);
          DROP(2);
        } else if (symbol == 17) {
          times = 3 + BITS(3);
          DROP(3);
        } else {
          times = 11 + BITS(7);
          DROP(7);
        }
        if (times > literals + distance - i) return -1;
        while (times-- > 0) sizes[i++] = value;
      }
      if (sizes[256] == 0) return -1;
      if (!fill(lengths, LENGTH_BITS, sizeof lengths / 4, sizes, literals, LENGTHS)) return -1;
      if (!fill(distances, DISTANCE_BITS, sizeof distances / 4, sizes + literals, distance, DISTANCES)) return -1;
    }
    join();

    REFILL();
    uint32_t entry = lengths[BITS(LENGTH_BITS)];
    for (;;) {
      if (at > stop || to > limit) return -1;
      /* 56 bits: three entries of literals, or two of them and a length. */
      if (!(entry & (MATCH | SPECIAL))) {
        LITERALS();
        entry = lengths[BITS(LENGTH_BITS)];
        if (!(entry & (MATCH | SPECIAL))) {
          LITERALS();
          entry = lengths[BITS(LENGTH_BITS)];
          if (!(entry & (MATCH | SPECIAL))) {
            LITERALS();
            REFILL();
            entry = lengths[BITS(LENGTH_BITS)];
            continue;
          }
        }
      }
      if (entry & SPECIAL) {
        if (!(entry & (END | WRONG))) {
          DROP(LENGTH_BITS);
          entry = lengths[(entry >> 16) + BITS((entry >> 8) & 0xf)];
          if (!(entry & (MATCH | SPECIAL))) {
            LITERALS();
            REFILL();
            entry = lengths[BITS(LENGTH_BITS)];
            continue;
          }
        }
        if (entry & SPECIAL) {
          if (entry & WRONG) return -1;
          DROP(entry & 0xff);
          break;
        }
      }
      to[0] = entry >> 16;
      to += (entry >> 12) & 1;
      const uint32_t size = 3 + (entry >> 24) + (BITS(entry & 0xff) >> ((entry >> 8) & 0xf));
      DROP(entry & 0xff);
      /* A distance takes up to 15 bits of code and 13 more. */
      if (have < 28) REFILL();
      entry = distances[BITS(DISTANCE_BITS)];
      if (entry & SPECIAL) {
        if (entry & WRONG) return -1;
        DROP(DISTANCE_BITS);
        entry = distances[(entry >> 16) + BITS((entry >> 8) & 0xf)];
        if (entry & SPECIAL) return -1;
      }
      const uint32_t back = (entry >> 16) + ((BITS(entry & 0xff)) >> ((entry >> 8) & 0xf));
      DROP(entry & 0xff);
      if (back > (uint32_t)(to - out)) return -1;
      const uint8_t *from = to - back;
      uint8_t *const end = to + size;
      /* Looked up before the copy, so that the processor has it when the copy is done. */
      REFILL();
      entry = lengths[BITS(LENGTH_BITS)];
      if (back >= 8) {
        copy8(to, from);
        copy8(to + 8, from + 8);
        copy8(to + 16, from + 16);
        copy8(to + 24, from + 24);
        copy8(to + 32, from + 32);
        for (to += 40, from += 40; to < end; to += 8, from += 8) copy8(to, from);
      } else if (back == 1) {
        /* Not memset: V8 leaves WebAssembly for it. */
        const uint64_t run = *from * 0x0101010101010101ull;
        do {
          __builtin_memcpy(to, &run, 8);
          to += 8;
        } while (to < end);
      } else {
        /* Of each 8 bytes only the first `back` are there yet; the next turn writes over the others. */
        for (; to < end; to += back, from += back) copy8(to, from);
      }
      to = end;
    }
    if (to > limit) return -1;
  } while (!last);
  /* Bits that were taken but never came. */
  if (at - (have >> 3) > in + length) return -1;
  return (int32_t)(to - out);
}

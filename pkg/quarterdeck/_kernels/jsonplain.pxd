# What stands in a JSON string as it is: no quote, no backslash, no control character. For machines whose words have
# their first byte below, as those that this is built for.

from libc.stdint cimport uint64_t

cdef extern from *:
    """
    #include <stddef.h>
    #include <stdint.h>
    #include <string.h>
    #ifdef __SSE2__
    #include <emmintrin.h>
    #endif

    /* Nonzero if one of eight bytes is a quote, a backslash or a control character. */
    static inline uint64_t qd_special8(uint64_t word)
    {
        const uint64_t ones = 0x0101010101010101ULL, highs = 0x8080808080808080ULL;
        uint64_t quote = word ^ (ones * '"'), backslash = word ^ (ones * '\\\\');
        quote = (quote - ones) & ~quote;
        backslash = (backslash - ones) & ~backslash;
        return (quote | backslash | ((word - ones * 0x20) & ~word)) & highs;
    }

    /* Length of the prefix that needs no escape in a JSON string: no quote, backslash or control character. */
    static inline size_t qd_plain_prefix(const unsigned char *text, size_t size)
    {
        size_t i = 0;
        for (; i + 8 <= size; i += 8) {
            uint64_t word;
            memcpy(&word, text + i, 8);
            if (qd_special8(word))
                break;
        }
        while (i < size && text[i] >= 0x20 && text[i] != '"' && text[i] != '\\\\')
            i++;
        return i;
    }

    /* Copies that prefix to `out`, which has room for `size` bytes; returns its length. Most texts are short: the
       words that cover their ends overlap, so that there is no loop over single bytes. */
    static inline size_t qd_copy_plain(unsigned char *out, const unsigned char *text, size_t size)
    {
        uint64_t first, last;
        uint32_t low, high;
        size_t i = 0;
        if (size >= 8) {
    #ifdef __SSE2__
            const __m128i quote = _mm_set1_epi8('"'), backslash = _mm_set1_epi8('\\\\'), control = _mm_set1_epi8(0x1f);
            for (; i + 16 < size; i += 16) {
                const __m128i bytes = _mm_loadu_si128((const __m128i *)(text + i));
                const __m128i special = _mm_or_si128(
                    _mm_or_si128(_mm_cmpeq_epi8(bytes, quote), _mm_cmpeq_epi8(bytes, backslash)),
                    _mm_cmpeq_epi8(_mm_min_epu8(bytes, control), bytes));
                _mm_storeu_si128((__m128i *)(out + i), bytes);
                if (_mm_movemask_epi8(special))
                    return i + qd_plain_prefix(text + i, 16);
            }
    #endif
            for (; i + 8 < size; i += 8) {
                memcpy(&first, text + i, 8);
                memcpy(out + i, &first, 8);
                if (qd_special8(first))
                    return i + qd_plain_prefix(text + i, 8);
            }
            memcpy(&last, text + size - 8, 8);
            memcpy(out + size - 8, &last, 8);
            return qd_special8(last) ? i + qd_plain_prefix(text + i, size - i) : size;
        }
        if (size >= 4) {
            memcpy(&low, text, 4);
            memcpy(&high, text + size - 4, 4);
            memcpy(out, &low, 4);
            memcpy(out + size - 4, &high, 4);
            return qd_special8((uint64_t)high << 32 | low) ? qd_plain_prefix(text, size) : size;
        }
        while (i < size && text[i] >= 0x20 && text[i] != '"' && text[i] != '\\\\') {
            out[i] = text[i];
            i++;
        }
        return i;
    }

    /* Length of the same prefix, for texts that go on behind it. `seen` is not 0 any more where not all was ASCII, in
       them or shortly behind. */
    static inline size_t qd_plain_length(const unsigned char *text, size_t size, uint64_t *seen)
    {
        size_t i = 0;
    #ifdef __SSE2__
        const __m128i quote = _mm_set1_epi8('"'), backslash = _mm_set1_epi8('\\\\'), control = _mm_set1_epi8(0x1f);
        for (; i + 16 <= size; i += 16) {
            const __m128i bytes = _mm_loadu_si128((const __m128i *)(text + i));
            const __m128i special = _mm_or_si128(
                _mm_or_si128(_mm_cmpeq_epi8(bytes, quote), _mm_cmpeq_epi8(bytes, backslash)),
                _mm_cmpeq_epi8(_mm_min_epu8(bytes, control), bytes));
            const unsigned int found = (unsigned int)_mm_movemask_epi8(special);
            *seen |= (unsigned int)_mm_movemask_epi8(bytes);
            if (found)
                return i + (size_t)__builtin_ctz(found);
        }
    #endif
        for (; i + 8 <= size; i += 8) {
            uint64_t word, special;
            memcpy(&word, text + i, 8);
            *seen |= word & 0x8080808080808080ULL;
            special = qd_special8(word);
            if (special)
                return i + ((size_t)__builtin_ctzll(special) >> 3);
        }
        while (i < size && text[i] >= 0x20 && text[i] != '"' && text[i] != '\\\\')
            *seen |= text[i++] & 0x80u;
        return i;
    }
    """
    size_t qd_plain_length(const unsigned char *text, size_t size, uint64_t *seen) noexcept nogil
    size_t qd_copy_plain(unsigned char *out, const unsigned char *text, size_t size) noexcept nogil

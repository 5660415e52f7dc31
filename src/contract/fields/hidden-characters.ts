/**
 * Invisible characters other than controls: line separators, direction marks, which reorder the displayed text, and
 * characters of zero width. Names that differ only by them look the same. The joiners that emoji and some scripts need
 * are excluded. The constant is the inside of a character class of a regular expression with the flag `u`.
 * Browser-safe.
 */
export const HIDDEN = '\\p{Zl}\\p{Zp}\\p{Bidi_Control}\\u200b\\u2060-\\u206f\\ufeff\\ufff9-\\ufffb'

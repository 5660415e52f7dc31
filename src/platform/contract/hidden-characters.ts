/**
 * Characters besides the controls that do something to text and show nothing: line separators, marks of direction, which reorder what is
 * read, and what takes no room, but for the joiners that emoji and some scripts need: two names that differ by it look the same.
 * As the inside of a character class of a regular expression with the flag `u`. Browser-safe.
 */
export const HIDDEN = '\\p{Zl}\\p{Zp}\\p{Bidi_Control}\\u200b\\u2060-\\u206f\\ufeff\\ufff9-\\ufffb'

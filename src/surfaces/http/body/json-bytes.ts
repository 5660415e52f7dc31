/** The structural bytes of JSON in UTF-8 (RFC 8259 section 2). */
export const QUOTE = 0x22
export const BACKSLASH = 0x5c
export const OPEN_BRACKET = 0x5b
export const CLOSE_BRACKET = 0x5d
export const OPEN_BRACE = 0x7b
export const CLOSE_BRACE = 0x7d
export const COMMA = 0x2c

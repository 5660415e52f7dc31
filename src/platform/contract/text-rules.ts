/**
 * Rules of texts that stand for something: a check, and the pattern that says the same in a JSON schema, in the part of ECMA-262 that
 * other languages share: no classes such as \p{L}, no \d, no flags. Browser-safe.
 */
import { isDomainName, isHostname } from '../../net/dns-name.ts'
import { parseMac } from '../../net/mac.ts'

export type TextRule = {
  readonly holds: (text: string) => boolean
  /** Without anchors. Lengths are beside it, as maxLength. */
  readonly pattern: string
  readonly error: string
}

/** One of these, as a group. */
export const oneOf = (...patterns: readonly string[]): string => `(?:${patterns.join('|')})`
/** The whole text. */
export const whole = (pattern: string): string => `^${pattern}$`

const HEX = '[0-9A-Fa-f]'
const GROUP = `${HEX}{1,4}`
const OCTET = oneOf('25[0-5]', '2[0-4][0-9]', '1[0-9]{2}', '[1-9]?[0-9]')
const IPV4 = `${OCTET}(?:\\.${OCTET}){3}`
/** RFC 4291 section 2.2, the first two forms: by the number of groups before `::`. */
const IPV6_OF_GROUPS = [
  `(?:${GROUP}:){7}${GROUP}`,
  `(?:${GROUP}:){1,7}:`,
  `:(?::${GROUP}){1,7}`,
  '::',
  ...[1, 2, 3, 4, 5, 6].map((before) => `(?:${GROUP}:){${before}}(?::${GROUP}){1,${7 - before}}`),
]
/** The third form: the last two groups are an IPv4 address. */
const IPV6_WITH_IPV4 = `${oneOf(
  `(?:${GROUP}:){6}`,
  `::(?:${GROUP}:){0,5}`,
  ...[1, 2, 3, 4, 5].map((before) => `(?:${GROUP}:){${before}}:(?:${GROUP}:){0,${5 - before}}`),
)}${IPV4}`
const IPV6 = oneOf(...IPV6_OF_GROUPS, IPV6_WITH_IPV4)

export const CIDR_PATTERN = oneOf(`${IPV4}/(?:3[0-2]|[12]?[0-9])`, `${IPV6}/(?:12[0-8]|1[01][0-9]|[1-9]?[0-9])`)
export const IP_PATTERN = oneOf(IPV4, IPV6)

const LETTER = '[A-Za-z0-9]'
const label = (max: number) => `${LETTER}(?:[A-Za-z0-9-]{0,${max - 2}}${LETTER})?`
const DOMAIN_LABEL = oneOf(label(63), `_${label(62)}`)

/** The longest name of the DNS in text, without the root dot (RFC 1035 section 2.3.4). */
export const MAX_DOMAIN_NAME = 253

export const HOST_NAME: TextRule = {
  holds: isHostname,
  pattern: `${label(63)}(?:\\.${label(63)})*`,
  error: 'must be a host name of RFC 1123 labels',
}

export const DOMAIN_NAME: TextRule = {
  holds: isDomainName,
  pattern: `(?:\\*\\.)?${DOMAIN_LABEL}(?:\\.${DOMAIN_LABEL})*`,
  error: 'must be a domain name',
}

export const MAC: TextRule = {
  holds: (text) => parseMac(text) !== undefined,
  pattern: oneOf(
    ...[':', '-'].map((separator) => `${HEX}{2}(?:${separator}${HEX}{2}){5}`),
    `${HEX}{4}(?:\\.${HEX}{4}){2}`,
    `${HEX}{12}`,
  ),
  error: 'must be a MAC address',
}

/** The control characters of Unicode (general category Cc), inside brackets. */
export const CONTROLS = '\\u0000-\\u001f\\u007f-\\u009f'
/** Characters that String.prototype.trim removes, inside brackets. In other languages \s holds other characters. */
export const WHITE_SPACE = '\\t\\n\\v\\f\\r \\u00a0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000\\ufeff'
/** At least one character that is not white space. */
export const NOT_BLANK = `[^${WHITE_SPACE}]`

const NO_AT = `[^${WHITE_SPACE}@${CONTROLS}]+`
export const EMAIL: TextRule = {
  holds: (text) => /^[^\s@\p{Cc}]+@[^\s@\p{Cc}]+$/u.test(text),
  pattern: `${NO_AT}@${NO_AT}`,
  error: 'must be an e-mail address',
}

/** As ssh-keygen prints the fingerprint of a key. */
export const FINGERPRINT: TextRule = {
  holds: (text) => /^SHA256:[A-Za-z0-9+/]{43}=?$/.test(text),
  pattern: 'SHA256:[A-Za-z0-9+/]{43}=?',
  error: 'must be a fingerprint like SHA256:...',
}

/**
 * The subject of a lookup, as the options of a JSON schema. A name that ends in a number behind a dot has to be an address. The server
 * also ignores surrounding white space and the root dot of a name; a schema of those spellings would be far longer.
 */
export const SUBJECT_OPTIONS = [
  { format: 'ipv4' },
  { format: 'ipv6' },
  { pattern: whole(CIDR_PATTERN) },
  { pattern: whole(MAC.pattern) },
  { pattern: whole(oneOf(DOMAIN_LABEL, `(?:${DOMAIN_LABEL}\\.)+(?![0-9]+$)${DOMAIN_LABEL}`)) },
]

/**
 * Rules of texts that stand for something: a check, and the pattern that says the same in a JSON schema, in the part of ECMA-262 that
 * other languages share: no classes such as \p{L}, no \d, no flags. Browser-safe.
 */
import { explainName, isDomainName, isHostname, toAsciiName } from '../../net/dns-name.ts'
import { parseMac } from '../../net/mac.ts'

export type TextRule = {
  readonly holds: (text: string) => boolean
  /** The pattern has no anchors. Lengths are beside it, as maxLength. */
  readonly pattern: string
  readonly error: string
  /** Returns what is wrong with a text for which the rule does not hold, if that says more than `error`. */
  readonly explain?: (text: string) => string | undefined
}

/** Returns the message about a text for which a rule does not hold. */
export const explainText = ({ error, explain }: TextRule, text: string): string => explain?.(text) ?? error

/** One of these, as a group. */
export const buildAlternation = (...patterns: readonly string[]): string => `(?:${patterns.join('|')})`
/** Anchors a pattern, so that it matches the whole text. */
export const matchWhole = (pattern: string): string => `^${pattern}$`

const HEX = '[0-9A-Fa-f]'
const GROUP = `${HEX}{1,4}`
const OCTET = buildAlternation('25[0-5]', '2[0-4][0-9]', '1[0-9]{2}', '[1-9]?[0-9]')
export const IPV4 = `${OCTET}(?:\\.${OCTET}){3}`
/** RFC 4291 section 2.2, the first two forms: by the number of groups before `::`. */
const IPV6_OF_GROUPS = [
  `(?:${GROUP}:){7}${GROUP}`,
  `(?:${GROUP}:){1,7}:`,
  `:(?::${GROUP}){1,7}`,
  '::',
  ...[1, 2, 3, 4, 5, 6].map((before) => `(?:${GROUP}:){${before}}(?::${GROUP}){1,${7 - before}}`),
]
/** The third form: the last two groups are an IPv4 address. */
const IPV6_WITH_IPV4 = `${buildAlternation(
  `(?:${GROUP}:){6}`,
  `::(?:${GROUP}:){0,5}`,
  ...[1, 2, 3, 4, 5].map((before) => `(?:${GROUP}:){${before}}:(?:${GROUP}:){0,${5 - before}}`),
)}${IPV4}`
const IPV6 = buildAlternation(...IPV6_OF_GROUPS, IPV6_WITH_IPV4)

const PREFIX4 = '(?:3[0-2]|[12]?[0-9])'
const PREFIX6 = '(?:12[0-8]|1[01][0-9]|[1-9]?[0-9])'
export const CIDR_PATTERN = buildAlternation(`${IPV4}/${PREFIX4}`, `${IPV6}/${PREFIX6}`)
export const IP_PATTERN = buildAlternation(IPV4, IPV6)

const LETTER = '[A-Za-z0-9]'
const buildLabelPattern = (max: number) => `${LETTER}(?:[A-Za-z0-9-]{0,${max - 2}}${LETTER})?`
const DOMAIN_LABEL = buildAlternation(buildLabelPattern(63), `_${buildLabelPattern(62)}`)

/** The longest name of the DNS in text, without the root dot (RFC 1035 section 2.3.4). */
export const MAX_DOMAIN_NAME = 253

/** @param underscores what is wrong with an underscore */
const createExplain =
  (kind: string, underscores: string) =>
  (text: string): string | undefined => {
    if (toAsciiName(text) !== undefined) return explainName(text, kind)
    return text.includes('_') && text.length <= MAX_DOMAIN_NAME ? `must be ${kind}: ${underscores}` : undefined
  }

export const HOST_NAME: TextRule = {
  holds: isHostname,
  explain: createExplain(
    'a host name',
    'it has no underscores, only letters, digits and hyphens (RFC 1123 section 2.1)',
  ),
  pattern: `${buildLabelPattern(63)}(?:\\.${buildLabelPattern(63)})*`,
  error: 'must be a host name of RFC 1123 labels',
}

const DOMAIN_UNDERSCORES = 'an underscore is only the first character of a label (RFC 8552 section 1.2)'

export const DOMAIN_NAME: TextRule = {
  holds: isDomainName,
  explain: createExplain('a domain name', DOMAIN_UNDERSCORES),
  pattern: `(?:\\*\\.)?${DOMAIN_LABEL}(?:\\.${DOMAIN_LABEL})*`,
  error: 'must be a domain name',
}

/** A name in the DNS without wildcard; a last dot is allowed. */
export const DNS_NAME: TextRule = {
  holds: (text) => !text.startsWith('*') && isDomainName(text.endsWith('.') ? text.slice(0, -1) : text),
  pattern: `${DOMAIN_LABEL}(?:\\.${DOMAIN_LABEL})*\\.?`,
  error: 'must be a domain name without wildcard',
  explain: createExplain('a domain name', DOMAIN_UNDERSCORES),
}

export const MAC: TextRule = {
  holds: (text) => parseMac(text) !== undefined,
  pattern: buildAlternation(
    `${HEX}{1,2}(?::${HEX}{1,2}){5}`,
    ...['-', '\\.', ' '].map((separator) => `${HEX}{2}(?:${separator}${HEX}{2}){5}`),
    ...['-', '\\.'].map((separator) => `${HEX}{4}(?:${separator}${HEX}{4}){2}`),
    `${HEX}{6}[:-]${HEX}{6}`,
    `(?:0[Xx])?${HEX}{12}`,
  ),
  error: 'must be a MAC address',
}

/** The control characters of Unicode (general category Cc), inside brackets. */
export const CONTROLS = '\\u0000-\\u001f\\u007f-\\u009f'
/**
 * Format characters and line and paragraph separators (Cf, Zl and Zp), which are invisible or reorder text, inside brackets. Characters
 * above U+FFFF are missing, because languages differ in how they name them.
 */
export const MARKS =
  '\\u00ad\\u0600-\\u0605\\u061c\\u06dd\\u070f\\u0890\\u0891\\u08e2\\u180e\\u200b-\\u200f' +
  '\\u2028-\\u202e\\u2060-\\u2064\\u2066-\\u206f\\ufeff\\ufff9-\\ufffb'
/** The other invisible characters (Default_Ignorable_Code_Point), such as the Hangul fillers, inside brackets; also up to U+FFFF. */
export const FILLERS =
  '\\u034f\\u115f\\u1160\\u17b4\\u17b5\\u180b-\\u180d\\u180f\\u2065\\u3164\\ufe00-\\ufe0f\\uffa0\\ufff0-\\ufff8'
/** Characters that String.prototype.trim removes, inside brackets. In other languages \s holds other characters. */
export const WHITE_SPACE = '\\t\\n\\v\\f\\r \\u00a0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000\\ufeff'
/** At least one character that is not white space. */
export const NOT_BLANK = `[^${WHITE_SPACE}]`

/** At least one visible character. Characters above U+FFFF count as visible, because languages differ in how they name them. */
export const VISIBLE = `[^${CONTROLS} \\u00a0\\u1680\\u2000-\\u200a\\u202f\\u205f\\u2800\\u3000${MARKS}${FILLERS}]`

const DASH = `[${WHITE_SPACE}]*-[${WHITE_SPACE}]*`
/** An address or a CIDR. */
export const BLOCK_PATTERN = buildAlternation(`${IPV4}(?:/${PREFIX4})?`, `${IPV6}(?:/${PREFIX6})?`)
const ADDRESSES = buildAlternation(`${IPV4}(?:/${PREFIX4}|${DASH}${IPV4})?`, `${IPV6}(?:/${PREFIX6}|${DASH}${IPV6})?`)
/** A comma-separated list of addresses, CIDRs and ranges; no pattern says that a range begins before it ends. */
export const ADDRESS_LIST = `(?:${ADDRESSES}[${WHITE_SPACE}]*(?![^,])|[,${WHITE_SPACE}])*`

/** The characters that `trim` removes, except the marks among them. */
const EDGE = '[\\t\\n\\v\\f\\r \\u00a0\\u1680\\u2000-\\u200a\\u202f\\u205f\\u3000]*'
const UNMARKED = `[^${CONTROLS}${MARKS}]*`
/** Text without marks, that has no control characters once it is trimmed. */
export const PLAIN_TEXT = matchWhole(`${EDGE}${UNMARKED}${EDGE}`)
/** Like `PLAIN_TEXT`, with at least one visible character. */
export const VISIBLE_TEXT = matchWhole(
  `${EDGE}${UNMARKED}[^${CONTROLS}${MARKS}${WHITE_SPACE}${FILLERS}]${UNMARKED}${EDGE}`,
)

const NO_AT = `[^${WHITE_SPACE}@${CONTROLS}]+`
export const EMAIL: TextRule = {
  holds: (text) => /^[^\s@\p{Cc}]+@[^\s@\p{Cc}]+$/u.test(text),
  pattern: `${NO_AT}@${NO_AT}`,
  error: 'must be an e-mail address',
}

/** The form in which ssh-keygen prints the fingerprint of a key. */
export const FINGERPRINT: TextRule = {
  holds: (text) => /^SHA256:[A-Za-z0-9+/]{43}=?$/.test(text),
  pattern: 'SHA256:[A-Za-z0-9+/]{43}=?',
  error: 'must be a fingerprint like SHA256:...',
}

/** The characters of a label in the name of a URL (URL Standard, section 3.4), inside brackets; others are written in ASCII (RFC 5890). */
const URL_LABEL = '!"$&-)+,;=_`{}~A-Za-z0-9-'
/** A name with a number as its last label is an address (URL Standard, section 3.5). */
const NO_NUMBER = '(?!(?:[0-9]+|0[Xx][0-9A-Fa-f]*)\\.?(?:[:/?#]|$))'
/** Builds the pattern of the name of a machine in a URL, with these characters as well. */
export const buildUrlNamePattern = (more = ''): string =>
  `(?:[${more}${URL_LABEL}]*\\.)*${NO_NUMBER}[${more}${URL_LABEL}]+\\.?`
/** The host of a URL. Not every parser reads the third form of IPv6. */
export const URL_HOST = buildAlternation(buildUrlNamePattern('*'), IPV4, `\\[${buildAlternation(...IPV6_OF_GROUPS)}\\]`)
/** The port of a URL, 1 to 65535. */
export const URL_PORT = buildAlternation(
  '[1-9][0-9]{0,3}',
  '[1-5][0-9]{4}',
  '6[0-4][0-9]{3}',
  '65[0-4][0-9]{2}',
  '655[0-2][0-9]',
  '6553[0-5]',
)

/**
 * The subject of a lookup, as the options of a JSON schema. A name that ends in a number behind a dot has to be an address. The server
 * also ignores surrounding white space and the root dot of a name, and reads the host of a URL; a schema of these spellings would be far longer.
 */
export const SUBJECT_OPTIONS = [
  { format: 'ipv4' },
  { format: 'ipv6' },
  { pattern: matchWhole(CIDR_PATTERN) },
  { pattern: matchWhole(MAC.pattern) },
  { pattern: matchWhole(buildAlternation(DOMAIN_LABEL, `(?:${DOMAIN_LABEL}\\.)+(?![0-9]+$)${DOMAIN_LABEL}`)) },
]

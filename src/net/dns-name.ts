// The syntax of DNS names, as text without the root dot. Does not ask whether a name exists, nor knows any TLD.

const NAME_MAX = 253
const LABEL_MAX = 63
const HOST_LABEL = /^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$/i
const DOMAIN_LABEL = /^_?[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$/i

/**
 * True for a host name (RFC 1123 section 2.1): labels of 1 to 63 letters, digits and inner hyphens, at most 253 characters in all. A
 * trailing dot is refused. A name of digits only is allowed, so IPv4 text passes: try `parseIp` first.
 *
 * @example
 * isHostname('web-1.example.com') // true
 * isHostname('web_1.example.com') // false
 * isHostname('example.com.') // false
 */
export function isHostname(text: string): boolean {
  return hasLabels(text, HOST_LABEL)
}

/**
 * True for a name that a DNS record may have: a host name, with `*.` allowed in front (RFC 4592 section 2.1.1) and
 * labels allowed to start with one underscore (RFC 8552 section 1.2).
 *
 * @example
 * isDomainName('_sip._tcp.example.com') // true
 * isDomainName('*.example.com') // true
 * isDomainName('www.*.com') // false
 */
export function isDomainName(text: string): boolean {
  if (text.length > NAME_MAX) return false
  return hasLabels(text.startsWith('*.') ? text.slice(2) : text, DOMAIN_LABEL)
}

/**
 * Returns the ASCII form of a name with other letters (RFC 5891 section 4.4); undefined for any other text.
 *
 * @example
 * toAsciiName('bücher.example') // 'xn--bcher-kva.example'
 */
export function toAsciiName(text: string): string | undefined {
  if (/^[\0-\x7f]*$/.test(text)) return undefined
  const url = /^[^\s/?#@:[\]\\%]{1,253}$/.test(text) ? URL.parse(`http://${text}`) : null
  return url && isDomainName(url.hostname) ? url.hostname : undefined
}

/**
 * Returns the message about a text that is no name, with the ASCII form if it has one.
 *
 * @param kind what the text must be
 * @example
 * explainName('bücher.example', 'a host name') // 'must be a host name in ASCII: write xn--bcher-kva.example'
 */
export function explainName(text: string, kind: string): string {
  const ascii = toAsciiName(text)
  return ascii === undefined ? `must be ${kind}` : `must be ${kind} in ASCII: write ${ascii}`
}

function hasLabels(text: string, label: RegExp): boolean {
  // The length goes first: hostile text of a megabyte is answered without looking at it.
  if (text.length > NAME_MAX) return false
  return text.split('.').every((part) => part.length <= LABEL_MAX && label.test(part))
}

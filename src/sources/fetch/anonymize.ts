/**
 * Replaces names and addresses of a recorded case. Networks keep their lengths, an address stays in its network, and one name has one
 * replacement everywhere. Words that an API itself uses as names stay.
 */
import { parseCidr } from '../../net/cidr.ts'
import { formatIp, parseIp } from '../../net/ip.ts'
import { computeReach } from '../../net/reach.ts'
import type { RecordedCase } from './record.ts'

/** Members and elements of answers that hold names. */
const NAME_FIELD =
  /^(display|full|host|machine|node|dns|private_?dns|public_?dns|guest|vm|cluster|user|short)?_?(name|names|domain|fqdn|host|node)$/i
/** Names that an API gives itself: of networks, interfaces and ports, of parts of the product, and of states. */
const VOCABULARY = new RegExp(
  `^(${[
    'bridge|host|none|default|podman|docker|local|kubernetes|kube-[\\w-]+|lo|eth\\d+|ens?\\d+\\w*|vmbr\\d+|net\\d+|vmnic\\d+|vmk\\d+',
    'https?|tcp|udp|dns|ssh|metrics|web|tls',
    'Podman Engine|Engine|containerd|runc|docker-init|Conmon|OCI Runtime.*|VMware.*|linux/\\w+.*',
    'pending|running|stopped|stopping|terminated|shutting-down|available|active|online|offline|enabled|disabled|true|false',
    'system|root|admin|name|localhost',
  ].join('|')})$`,
  'i',
)
const MIN_NAME = 3

const MAC = /\b[0-9a-f]{2}(?::[0-9a-f]{2}){5}\b/gi
const IPV4 = /(?<![\w.])(\d{1,3}\.\d{1,3})(\.\d{1,3}\.\d{1,3})(?:\/(\d{1,2}))?(?![\w.])/g
const IPV6 = /(?<![\w:])(?=[0-9a-f:]*:[0-9a-f]*:)[0-9a-f:]{2,39}(?![\w:])/gi
const IPV6_SITE_BITS = 80n
const IPV6_DOCUMENTATION = 0x20010db8n << 96n

/** Numbers the distinct keys in the order in which they come. */
class Numbers {
  readonly #numbers = new Map<string, number>()

  take(key: string): number {
    const known = this.#numbers.get(key)
    if (known !== undefined) return known
    const next = this.#numbers.size + 1
    this.#numbers.set(key, next)
    return next
  }
}

/** Special addresses say nothing of anybody. */
const isSpecial = (text: string): boolean => {
  const ip = parseIp(text)
  return !ip || computeReach(ip) === 'blocked'
}

const createAddressReplacer = () => {
  const [networks, sites, macs] = [new Numbers(), new Numbers(), new Numbers()]
  const replaceV4 = (all: string, network: string, rest: string, prefix?: string): string => {
    if (isSpecial(network + rest)) return all
    // A network that is shorter than the part that is replaced is all of it.
    if (prefix !== undefined && Number(prefix) < 16) return parseCidr(all) ? '10.0.0.0/8' : all
    const number = networks.take(network)
    return `${10 + (number >> 8)}.${number & 255}${rest}${prefix === undefined ? '' : `/${prefix}`}`
  }
  const replaceV6 = (all: string): string => {
    const ip = parseIp(all)
    if (ip?.family !== 6 || isSpecial(all)) return all
    const site = BigInt(sites.take(String(ip.value >> IPV6_SITE_BITS)))
    const host = ip.value & ((1n << IPV6_SITE_BITS) - 1n)
    return formatIp({ family: 6, value: IPV6_DOCUMENTATION | (site << IPV6_SITE_BITS) | host })
  }
  const replaceMac = (all: string): string => {
    const tail = macs.take(all.toLowerCase()).toString(16).padStart(6, '0')
    return `${all.slice(0, 8)}:${tail.slice(0, 2)}:${tail.slice(2, 4)}:${tail.slice(4)}`
  }
  return (text: string): string => text.replace(MAC, replaceMac).replace(IPV4, replaceV4).replace(IPV6, replaceV6)
}

const addNames = (value: unknown, names: Set<string>, isNamed = false): void => {
  if (typeof value === 'string') {
    const name = value.replace(/^\//, '')
    const isName = name.length >= MIN_NAME && /[A-Za-z0-9]/.test(name) && !VOCABULARY.test(name) && !parseIp(name)
    if (isNamed && isName) names.add(name)
  } else if (Array.isArray(value)) for (const one of value) addNames(one, names, isNamed)
  else if (typeof value === 'object' && value !== null)
    for (const [key, one] of Object.entries(value)) addNames(one, names, NAME_FIELD.test(key))
}

/** An element with a name; the name of a property, which stands before its value, is one of the API. */
const NAMED_ELEMENT = /<(?:\w+:)?(\w+)[^<>]*>([^<>]+)<\/(?:\w+:)?\1>(?!\s*<(?:\w+:)?val(?:ue)?[\s>])/g
/** Values of properties such as `guest.hostName` (vSphere), and of the tag `Name` (EC2). */
const NAME_VALUE = /<(?:name|key)>(?:[\w.]*\.)?(?:Name|hostName)<\/(?:name|key)>\s*<val(?:ue)?(?:\s[^<>]*)?>([^<>]+)</gi

const addXmlNames = (text: string, names: Set<string>): void => {
  for (const [, field = '', value = ''] of text.matchAll(NAMED_ELEMENT))
    if (NAME_FIELD.test(field)) addNames(value, names, true)
  for (const [, value = ''] of text.matchAll(NAME_VALUE)) addNames(value, names, true)
}

const createNameReplacer = (names: ReadonlySet<string>) => {
  const numbers = new Numbers()
  // The longest first: one name may be a part of another one.
  const all = [...names].sort((a, b) => b.length - a.length).map((name) => RegExp.escape(name))
  if (all.length === 0) return (text: string) => text
  // Behind a dot it may be a part of the name of a property, as in `config.network`.
  const pattern = new RegExp(`(?<![A-Za-z0-9.])(?:${all.join('|')})(?![A-Za-z0-9])`, 'g')
  return (text: string): string => text.replace(pattern, (name) => `name-${numbers.take(name)}`)
}

/** Replaces every text in a value, also the names of its members. */
const replaceTexts = (value: unknown, replace: (text: string) => string): unknown => {
  if (typeof value === 'string') return replace(value)
  if (Array.isArray(value)) return value.map((one) => replaceTexts(one, replace))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [replace(key), replaceTexts(one, replace)]))
}

export const anonymizeCase = (recorded: RecordedCase): RecordedCase => {
  const names = new Set<string>()
  for (const answer of recorded.answers)
    if ('json' in answer) addNames(answer.json, names)
    else if ('text' in answer) addXmlNames(answer.text, names)
  const replaceNames = createNameReplacer(names)
  const replaceAddresses = createAddressReplacer()
  const replace = (text: string) => replaceAddresses(replaceNames(text))
  const { url, answers } = recorded
  // Texts are replaced by texts, and everything else stays: its type is the same.
  const changed = answers.map(({ method, status, request, ...answer }) => {
    const { path, ...rest } = replaceTexts(answer, replace) as typeof answer
    // A body has the words of the API, of which a name may be one.
    const body = request === undefined ? {} : { request: replaceAddresses(request) }
    return { method, path, ...body, status, ...rest } as (typeof answers)[number]
  })
  return { ...recorded, url: replace(url), answers: changed }
}

/** Converts a zone file (RFC 1035, section 5; `$TTL` of RFC 2308, `$GENERATE` of BIND). */

import { invalidField } from '../../contract/errors.ts'
import { parseIp } from '../../net/ip.ts'
import { type Converter, createFileError } from '../converter.ts'
import { Findings } from './found.ts'
import { createLineError, decodeText } from './text.ts'

type ZoneRecord = {
  readonly owner: string
  readonly type: string
  readonly data: readonly string[]
  readonly line: number
}

const CLASSES = new Set(['IN', 'CH', 'HS'])
/** A TTL: seconds, or numbers with units. */
const TTL = /^(?:\d+|(?:\d+[wdhms])+)$/i
const TYPE = /^(?:[A-Z][A-Z0-9-]*|TYPE\d+)$/i
const MAX_RECORDS = 2_000_000
/** The records of one `$GENERATE`: a /16. */
const MAX_GENERATED = 65_536
/** The records of all of a file, and the characters of their words: one line of the file gives many. */
const MAX_GENERATED_RECORDS = 262_144
const MAX_GENERATED_LENGTH = 2 ** 24
/** The largest number of a range in BIND. */
const MAX_NUMBER = 2 ** 31 - 1
/** RFC 1035, section 2.3.4, in octets. A name counts the length octets of its labels and of the root. */
const MAX_LABEL = 63
const MAX_NAME = 255

type Word = { readonly text: string; readonly isFirst: boolean }
/** The words of an entry, which parentheses continue over lines. */
type Entry = { readonly words: readonly string[]; readonly line: number; readonly hasOwner: boolean }

/** A quoted string, a comment, a mark, white space without a line end, a line end, or a word. */
const TOKEN = /"((?:[^"\\]|\\[\s\S])*)"|(;[^\n]*)|([()])|([^\S\n]+)|(\n)|((?:[^\s;()"\\]|\\[\s\S])+)/y

function* parseEntries(text: string): Generator<Entry> {
  let line = 1
  let depth = 0
  let words: Word[] = []
  let start = 1
  let isFirst = true
  const entry = (): Entry => ({
    words: words.map((word) => word.text),
    line: start,
    hasOwner: words[0]?.isFirst === true,
  })
  TOKEN.lastIndex = 0
  while (TOKEN.lastIndex < text.length) {
    const match = TOKEN.exec(text)
    if (!match) throw createLineError(line, 'has a text without its end')
    const [whole, string, , mark, , end, word] = match
    const value = string ?? word
    if (mark === '(') depth++
    else if (mark === ')' && --depth < 0) throw createLineError(line, 'closes a parenthesis that is not open')
    if (value !== undefined) {
      if (words.length === 0) start = line
      words.push({ text: value, isFirst })
    }
    isFirst = false
    if (end !== undefined && depth === 0) {
      if (words.length > 0) yield entry()
      words = []
      isFirst = true
    }
    for (let at = whole.indexOf('\n'); at >= 0; at = whole.indexOf('\n', at + 1)) line++
  }
  if (depth > 0) throw createLineError(start, 'the file ends within parentheses')
  if (words.length > 0) yield entry()
}

/** An octet of a name: a dot between labels, an escaped one (RFC 1035, section 5.1), or a character. */
const OCTET = /\.|\\\d{3}|\\?[\s\S]/g

/** Returns the name. @throws AppError for a label or a name that is too long */
const checkLength = (name: string, line: number): string => {
  // Shorter names have no label that is too long.
  if (name.length <= MAX_LABEL) return name
  let label = 0
  let octets = 1
  for (const [octet] of name.matchAll(OCTET)) {
    label = octet === '.' ? 0 : label + 1
    if (label === 1) octets++
    if (label > 0) octets++
    if (label > MAX_LABEL) throw createLineError(line, `has a name with a label of more than ${MAX_LABEL} octets`)
    if (octets > MAX_NAME) throw createLineError(line, `has a name of more than ${MAX_NAME} octets`)
  }
  return name
}

/** Returns the absolute name, in lower case, without its final dot. */
const toAbsolute = (name: string, origin: string | undefined, line: number): string => {
  if (name.endsWith('.') && !name.endsWith('\\.')) return checkLength(name.slice(0, -1), line).toLowerCase()
  if (origin === undefined) throw createLineError(line, 'has a name without an origin: give origin')
  if (name === '@') return origin
  return checkLength(origin === '' ? name : `${name}.${origin}`, line).toLowerCase()
}

/** Replaces `$`, `${offset,width,base}` and `\$` of a template. */
const expandTemplate = (template: string, n: number, line: number): string =>
  template.replace(
    /\\\$|\$(?:\{(-?\d+)(?:,(\d+)(?:,([doxX]))?)?\})?/g,
    (whole, offset = '0', width = '0', base = 'd') => {
      if (whole === '\\$') return '$'
      const value = n + Number(offset)
      if (value < 0 || Number(width) > 63) throw createLineError(line, 'generates a name that is none')
      const text = value.toString(base === 'd' ? 10 : base === 'o' ? 8 : 16).padStart(Number(width), '0')
      return base === 'X' ? text.toUpperCase() : text
    },
  )

class Zone {
  readonly records: ZoneRecord[] = []
  #origin: string | undefined
  #owner: string | undefined
  /** The rest that `$GENERATE` may still create. */
  #leftRecords = MAX_GENERATED_RECORDS
  #leftLength = MAX_GENERATED_LENGTH

  constructor(origin: string | undefined) {
    this.#origin = origin?.replace(/\.$/, '').toLowerCase()
  }

  read(text: string): void {
    for (const entry of parseEntries(text)) {
      const [first = ''] = entry.words
      if (entry.hasOwner && first.startsWith('$')) this.#directive(entry, first.toUpperCase())
      else this.#record(entry)
    }
  }

  #directive({ words, line }: Entry, name: string): void {
    const [, value, template, ...rest] = words
    if (value === undefined) throw createLineError(line, `${name} has no value`)
    if (name === '$INCLUDE')
      throw createLineError(line, 'includes another file, which is not read: put them together first')
    if (name === '$ORIGIN') this.#origin = toAbsolute(value, this.#origin, line)
    else if (name === '$GENERATE') this.#generate({ range: value, template, rest, line })
    else if (name !== '$TTL') throw createLineError(line, `has the unknown directive ${name}`)
  }

  #generate(given: { range: string; template: string | undefined; rest: readonly string[]; line: number }): void {
    const { range, template, rest, line } = given
    const [, first = '', last = '', step = '1'] = /^(\d+)-(\d+)(?:\/(\d+))?$/.exec(range) ?? []
    if (first === '' || Number(step) < 1 || template === undefined)
      throw createLineError(line, 'has a $GENERATE of another form')
    if (Number(last) > MAX_NUMBER) throw createLineError(line, `has a $GENERATE beyond ${MAX_NUMBER}`)
    if ((Number(last) - Number(first)) / Number(step) >= MAX_GENERATED)
      throw createLineError(line, `generates more than ${MAX_GENERATED} records`)
    for (let n = Number(first); n <= Number(last); n += Number(step)) {
      const words = [template, ...rest].map((word) => expandTemplate(word, n, line))
      this.#spend(words, line)
      this.#record({ words, line, hasOwner: true })
    }
  }

  #spend(words: readonly string[], line: number): void {
    this.#leftRecords--
    for (const word of words) this.#leftLength -= word.length
    if (this.#leftRecords < 0)
      throw createLineError(
        line,
        `has a $GENERATE with which the file makes more than ${MAX_GENERATED_RECORDS} records`,
      )
    if (this.#leftLength < 0)
      throw createLineError(
        line,
        `has a $GENERATE with which the file makes more than ${MAX_GENERATED_LENGTH} characters`,
      )
  }

  #record({ words, line, hasOwner }: Entry): void {
    const left = [...words]
    if (hasOwner) this.#owner = toAbsolute(left.shift() ?? '', this.#origin, line)
    const owner = this.#owner
    if (owner === undefined) throw createLineError(line, 'has no name, and no record is before it')
    // TTL and class stand in either order.
    while (left[0] !== undefined && (TTL.test(left[0]) || CLASSES.has(left[0].toUpperCase()))) left.shift()
    const type = left.shift()?.toUpperCase()
    if (type === undefined || !TYPE.test(type) || left.length === 0) throw createLineError(line, 'is no record')
    const isRelative = type === 'CNAME' || type === 'PTR'
    const data = isRelative ? left.map((name) => toAbsolute(name, this.#origin, line)) : left
    if (this.records.push({ owner, type, data, line }) > MAX_RECORDS)
      throw createFileError('the file', `has more than ${MAX_RECORDS} records`)
  }
}

/** Returns the address of a name in in-addr.arpa or ip6.arpa (RFC 1035, section 3.5; RFC 3596, section 2.5). */
const parseReverseName = (owner: string): string | undefined => {
  const v4 = /^((?:\d{1,3}\.){4})in-addr\.arpa$/.exec(owner)
  const labels = (text: string) => text.split('.').filter(Boolean).reverse()
  if (v4) return labels(v4[1] ?? '').join('.')
  const v6 = /^((?:[0-9a-f]\.){32})ip6\.arpa$/.exec(owner)
  return v6
    ? labels(v6[1] ?? '')
        .join('')
        .replace(/.{4}(?=.)/g, '$&:')
    : undefined
}

/** Follows the aliases to the name that has addresses; undefined for a circle or a long chain. */
const followAliases = (name: string, aliases: ReadonlyMap<string, string>): string | undefined => {
  let at: string | undefined = name
  for (let steps = 0; at !== undefined && steps < 16; steps++) {
    const next = aliases.get(at)
    if (next === undefined) return at
    at = next
  }
  return undefined
}

const addTo = (lists: Map<string, string[]>, key: string, value: string): void => {
  const list = lists.get(key)
  if (list) list.push(value)
  else lists.set(key, [value])
}

export const convertZone: Converter = (bytes, { origin }) => {
  if (origin !== undefined && !/^[^\s]{1,255}$/.test(origin)) throw invalidField('origin', 'must be a domain name')
  const zone = new Zone(origin)
  zone.read(decodeText(bytes))
  if (zone.records.length === 0) throw createFileError('line 1', 'has no record of a zone')
  const findings = new Findings('record')
  const { report } = findings
  const aliases = new Map(
    zone.records.flatMap(({ owner, type, data: [target = ''] }) =>
      type === 'CNAME' ? [[owner, target] as const] : [],
    ),
  )
  const owners = new Set(zone.records.filter(({ type }) => type === 'A' || type === 'AAAA').map(({ owner }) => owner))
  const namesOf = new Map<string, string[]>()
  for (const alias of aliases.keys()) {
    const target = followAliases(alias, aliases)
    if (target !== undefined && owners.has(target)) addTo(namesOf, target, alias)
  }
  for (const { owner, type, data, line } of zone.records) {
    const [first = ''] = data
    const leave = (why: string) => findings.leave(why, { owner, data, line }, type)
    if (type === 'A' || type === 'AAAA') {
      const family = parseIp(first)?.family
      if (family !== (type === 'A' ? 4 : 6))
        throw createLineError(line, `${JSON.stringify(first.slice(0, 64))} is no address of ${type}`)
      if (owner.startsWith('*.')) leave('is a wildcard')
      else {
        findings.add({ ip: first, hostname: owner, domains: [owner, ...(namesOf.get(owner) ?? [])] })
        // The device of all addresses has them from the first.
        namesOf.delete(owner)
      }
    } else if (type === 'PTR') {
      const ip = parseReverseName(owner)
      if (ip === undefined || !parseIp(ip)) leave('is of no whole address')
      else findings.add({ ip, hostname: first, domains: [first] })
    } else if (type === 'CNAME') {
      const target = followAliases(owner, aliases)
      if (target !== undefined && owners.has(target)) report.read('record')
      else leave('has no target with an address in the zone')
    } else leave('has no place in Plat')
  }
  return findings.conversion('zone')
}

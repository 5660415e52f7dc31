/** Reads the leases of ISC dhcpd, of IPv4 (`lease`) and IPv6 (`iaaddr`). See dhcpd.leases(5). */
import { parseIp } from '../ip.ts'
import { formatNoAddress, IS_PREFIX, type LeaseEntry, NO_TIME } from './lease.ts'

type Token = {
  readonly text: string
  readonly line: number
  readonly isString: boolean
  /** True for the first word of its line that no white space precedes. */
  readonly isFirst: boolean
}

/** A string, a mark, a comment, white space, or a word. dhcpd writes no line break into a string. */
const TOKEN = /"((?:[^"\\\n]|\\[^\n])*)"|([{};])|(#[^\n]*)|(\s+)|([^\s{};#"]+)/y
/** The beginning of a block that is in no other. */
const OUTER = /^(?:lease|ia-na|ia-ta|ia-pd)$/
const NEXT_OUTER = /\n(?=(?:lease|ia-na|ia-ta|ia-pd)\s)/g
const MAX_DEPTH = 20

/** A statement of a file, or the beginning of a lease. */
export const ISC_LINE =
  /^\s*(?:(?:lease|iaaddr|iaprefix)\s+[0-9a-f.:/]+\s*\{|ia-(?:na|ta|pd)\s|(?:authoring-byte-order|server-duid|failover)\s)/

class Tokens {
  readonly #text: string
  #at = 0
  #line = 1

  constructor(text: string) {
    this.#text = text
  }

  /** Returns the next token; undefined at the end, and the line of a string without its end. */
  next(): Token | { readonly unended: number } | undefined {
    while (this.#at < this.#text.length) {
      TOKEN.lastIndex = this.#at
      const match = TOKEN.exec(this.#text)
      if (!match) return { unended: this.#line }
      const [whole, string, mark, , , word] = match
      const text = string ?? mark ?? word
      const isFirst = this.#at === 0 || this.#text[this.#at - 1] === '\n'
      const token = { text: text ?? '', line: this.#line, isString: string !== undefined, isFirst }
      this.#move(this.#at + whole.length)
      if (text !== undefined) return token
    }
    return undefined
  }

  /** Goes to the next line with the beginning of a lease. */
  skip(): void {
    NEXT_OUTER.lastIndex = this.#at
    const match = NEXT_OUTER.exec(this.#text)
    this.#move(match ? match.index + 1 : this.#text.length)
  }

  #move(to: number): void {
    const passed = this.#text.slice(this.#at, to)
    for (let at = passed.indexOf('\n'); at >= 0; at = passed.indexOf('\n', at + 1)) this.#line++
    this.#at = to
  }
}

/** The statements of a block, by their first words. */
type Block = { readonly head: readonly string[]; readonly line: number; readonly statements: string[][] }

const parseTime = ([, first = '', date = '', time = '']: readonly string[]): number | undefined => {
  if (first === 'never') return undefined
  if (first === 'epoch') return Number(date) * 1000
  // UTC, after the number of the weekday.
  return Date.parse(`${date.replaceAll('/', '-')}T${time}Z`)
}

/** Returns the entry of a delegated prefix, such as `2001:db8:5::/56`. */
const toPrefixEntry = ({ head: [, prefix = ''], line }: Block): LeaseEntry => {
  const [ip = '', length] = prefix.split('/')
  if (!parseIp(ip)) return { line, error: formatNoAddress(ip) }
  return { line, lease: { ip, ...(length !== undefined && { prefix_length: Number(length) }), over: IS_PREFIX } }
}

const toEntry = ({ head: [, ip = ''], line, statements }: Block): LeaseEntry => {
  if (!parseIp(ip)) return { line, error: formatNoAddress(ip) }
  const find = (...words: readonly string[]) => statements.find((one) => words.every((word, i) => one[i] === word))
  const state = find('binding', 'state')?.[2] ?? (find('abandoned') ? 'abandoned' : 'active')
  const ends = find('ends')
  const endsMs = ends ? parseTime(ends) : undefined
  if (endsMs !== undefined && Number.isNaN(endsMs)) return { line, error: NO_TIME }
  const mac = find('hardware', 'ethernet')?.[2]
  const hostname = find('client-hostname')?.[1]
  return {
    line,
    lease: {
      ip,
      ...(mac !== undefined && { mac_address: mac }),
      ...(hostname !== undefined && { hostname }),
      ...(endsMs !== undefined && { endsMs }),
      ...(state !== 'active' && { over: `is ${state}` }),
    },
  }
}

/** Reads tokens into blocks. After an error it continues with the next lease. */
class Reader {
  readonly #tokens: Tokens
  #open: Block[] = []
  #words: string[] = []
  /** The line of the first of the words, and of the last token. */
  #begins = 1
  #last = 1

  constructor(text: string) {
    this.#tokens = new Tokens(text)
  }

  *entries(): Generator<LeaseEntry> {
    for (let token = this.#tokens.next(); token; token = this.#tokens.next()) {
      const entry = 'unended' in token ? this.#failed(token.unended, 'has a text without its end') : this.#take(token)
      if (entry) yield entry
    }
    if (this.#isWithin) yield { line: this.#last, error: 'the file ends within a lease' }
  }

  get #isWithin(): boolean {
    return this.#open.length > 0 || this.#words.length > 0
  }

  #failed(line: number, error: string): LeaseEntry {
    this.#tokens.skip()
    return this.#dropped(line, error)
  }

  #dropped(line: number, error: string): LeaseEntry {
    this.#open = []
    this.#words = []
    return { line, error }
  }

  #take({ text, line, isString, isFirst }: Token): LeaseEntry | undefined {
    this.#last = line
    if (isString || !/^[{};]$/.test(text))
      return this.#word(text, { line, isOuter: isFirst && !isString && OUTER.test(text) })
    const words = this.#words
    this.#words = []
    if (text === '{') {
      if (this.#open.length === MAX_DEPTH) return this.#failed(line, `is nested deeper than ${MAX_DEPTH}`)
      this.#open.push({ head: words, line, statements: [] })
      return undefined
    }
    if (text === ';') {
      this.#open.at(-1)?.statements.push(words)
      const isMark = this.#open.length === 0 && /^(authoring-byte-order|server-duid|failover)/.test(words[0] ?? '')
      return isMark ? { line } : undefined
    }
    const block = this.#open.pop()
    if (!block || words.length > 0) return this.#failed(line, 'closes what is not open')
    if (block.head[0] === 'iaprefix') return toPrefixEntry(block)
    return block.head[0] === 'lease' || block.head[0] === 'iaaddr' ? toEntry(block) : undefined
  }

  #word(text: string, { line, isOuter }: { line: number; isOuter: boolean }): LeaseEntry | undefined {
    const begins = this.#open[0]?.line ?? this.#begins
    const entry = isOuter && this.#isWithin ? this.#dropped(begins, 'does not end before the next lease') : undefined
    if (this.#words.length === 0) this.#begins = line
    this.#words.push(text)
    return entry
  }
}

export const parseIscLeases = (text: string): Generator<LeaseEntry> => new Reader(text).entries()

/** Reads the records of a zone file (RFC 1035, section 5; `$TTL` of RFC 2308, `$GENERATE` of BIND). */
import { createFileError } from '../converter.ts'
import { TextWindow } from '../text-window.ts'
import { createLineError } from './text.ts'

export type ZoneRecord = {
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

function* parseEntries(window: TextWindow): Generator<Entry> {
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
  let at = 0
  const advance = (): boolean => {
    at = 0
    return window.next()
  }
  while (at < window.text.length || advance()) {
    TOKEN.lastIndex = at
    const match = TOKEN.exec(window.text)
    // A text in quotes, or a word with an escaped line end, may go on behind the window.
    if (!window.isLast && (!match || (TOKEN.lastIndex === window.text.length && match[5] === undefined))) {
      window.grow(at)
      at = 0
      continue
    }
    if (!match) throw createLineError(line, 'has a text without its end')
    at += match[0].length
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
    for (let lf = whole.indexOf('\n'); lf >= 0; lf = whole.indexOf('\n', lf + 1)) line++
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

type Generation = {
  readonly range: string
  readonly template: string | undefined
  readonly rest: readonly string[]
  readonly line: number
}

/** Types of which a record may have no data: a list of address prefixes (RFC 3123) may be empty. */
const MAY_BE_EMPTY = new Set(['APL'])

class Zone {
  #records = 0
  #origin: string | undefined
  #owner: string | undefined
  /** The rest that `$GENERATE` may still create. */
  #leftRecords = MAX_GENERATED_RECORDS
  #leftLength = MAX_GENERATED_LENGTH

  constructor(origin: string | undefined) {
    this.#origin = origin?.replace(/\.$/, '').toLowerCase()
  }

  *read(window: TextWindow): Generator<ZoneRecord> {
    for (const entry of parseEntries(window)) {
      const [first = ''] = entry.words
      if (entry.hasOwner && first.startsWith('$')) yield* this.#directive(entry, first.toUpperCase())
      else yield this.#record(entry)
    }
  }

  *#directive({ words, line }: Entry, name: string): Generator<ZoneRecord> {
    const [, value, template, ...rest] = words
    if (value === undefined) throw createLineError(line, `${name} has no value`)
    if (name === '$INCLUDE')
      throw createLineError(line, 'includes another file, which is not read: put them together first')
    if (name === '$ORIGIN') this.#origin = toAbsolute(value, this.#origin, line)
    else if (name === '$GENERATE') yield* this.#generate({ range: value, template, rest, line })
    else if (name !== '$TTL') throw createLineError(line, `has the unknown directive ${name}`)
  }

  *#generate(given: Generation): Generator<ZoneRecord> {
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
      yield this.#record({ words, line, hasOwner: true })
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

  #record({ words, line, hasOwner }: Entry): ZoneRecord {
    const left = [...words]
    if (hasOwner) this.#owner = toAbsolute(left.shift() ?? '', this.#origin, line)
    const owner = this.#owner
    if (owner === undefined) throw createLineError(line, 'has no name, and no record is before it')
    // TTL and class stand in either order.
    while (left[0] !== undefined && (TTL.test(left[0]) || CLASSES.has(left[0].toUpperCase()))) left.shift()
    const type = left.shift()?.toUpperCase()
    if (type === undefined || !TYPE.test(type) || (left.length === 0 && !MAY_BE_EMPTY.has(type)))
      throw createLineError(line, 'is no record')
    const isRelative = type === 'CNAME' || type === 'PTR'
    const data = isRelative ? left.map((name) => toAbsolute(name, this.#origin, line)) : left
    if (++this.#records > MAX_RECORDS) throw createFileError('the file', `has more than ${MAX_RECORDS} records`)
    return { owner, type, data, line }
  }
}

/** Yields the records. Comments may be of any encoding. @throws AppError VALIDATION_ERROR on `file` */
export const readZone = (bytes: Uint8Array, origin: string | undefined): Generator<ZoneRecord> =>
  new Zone(origin).read(new TextWindow(bytes, { last: '\n', comment: ';' }))

/** Reads XML from strangers: no entities but the five of XML, no external or internal subset, bounded depth. */

export type Attributes = Readonly<Record<string, string>>
export type XmlEvent =
  | { readonly kind: 'open'; readonly name: string; readonly attributes: Attributes; readonly path: readonly string[] }
  | { readonly kind: 'close'; readonly name: string; readonly path: readonly string[] }
  /** A text that is not blank, of the innermost element, as the file has it. It may come in several parts. */
  | { readonly kind: 'text'; readonly text: string; readonly path: readonly string[] }

/** A text that comes in one piece or in several. */
export type XmlSource = {
  readonly text: string
  /** True if nothing follows the text. */
  readonly isLast: boolean
  /** Replaces the text by the next piece. @returns false at the end */
  readonly next: () => boolean
  /** Drops the text before a position, and appends the next piece. */
  readonly grow: (from: number) => void
}

export class XmlError extends Error {
  override readonly name = 'XmlError'

  constructor(
    /** The position of the character. */
    readonly at: number,
    /** The message without the position. */
    readonly reason: string,
  ) {
    super(`character ${at}: ${reason}`)
  }
}

const MAX_DEPTH = 100
const ENTITIES: ReadonlyMap<string, string> = new Map([
  ['amp', '&'],
  ['lt', '<'],
  ['gt', '>'],
  ['quot', '"'],
  ['apos', "'"],
])

const NAME = '[A-Za-z_:][A-Za-z0-9_:.-]*'
const ATTRIBUTE = new RegExp(`\\s+(${NAME})\\s*=\\s*(?:"([^"<]*)"|'([^'<]*)')`, 'y')
const OPEN = new RegExp(`<(${NAME})`, 'y')
const CLOSE = new RegExp(`</(${NAME})\\s*>`, 'y')
const OPEN_END = /\s*(\/?)>/y

const matchAt = (pattern: RegExp, text: string, at: number): RegExpExecArray | null => {
  pattern.lastIndex = at
  return pattern.exec(text)
}

const decodeEntities = (text: string, at: number): string =>
  text.includes('&')
    ? text.replace(/&(#x[0-9A-Fa-f]{1,6}|#[0-9]{1,7}|[A-Za-z]+)?;?/g, (whole, name: string | undefined) => {
        if (name === undefined || !whole.endsWith(';')) throw new XmlError(at, 'has an & that begins no entity')
        const code = name.startsWith('#x') ? Number.parseInt(name.slice(2), 16) : Number.parseInt(name.slice(1), 10)
        const known = name.startsWith('#')
          ? code <= 0x10ffff
            ? String.fromCodePoint(code)
            : undefined
          : ENTITIES.get(name)
        if (known === undefined) throw new XmlError(at, `has the entity ${whole}, which is not one of XML`)
        return known
      })
    : text

/** Returns the characters that a text stands for. @throws XmlError for an entity that is not one of XML */
export const decodeXmlText = (text: string): string => decodeEntities(text, 0)

const SKIPPED: readonly (readonly [start: string, end: string])[] = [
  ['<!--', '-->'],
  ['<?', '?>'],
  ['<![CDATA[', ']]>'],
]

/** A tag, and the position behind it. `isEmpty` is true for `<name/>`. */
type Tag =
  | { readonly kind: 'open'; readonly name: string; readonly attributes: Attributes; readonly isEmpty: boolean }
  | { readonly kind: 'close'; readonly name: string }
/** A part that the text does not end: `message` is the error, unless more text follows. */
type Cut = { readonly kind: 'cut'; readonly message: string }
type Part = (Tag | { readonly kind: 'skipped' }) & { readonly end: number }

/** Reads the part that begins at a `<`. @param base the position of the text in the file, for errors */
const readPart = (text: string, at: number, base: number): Part | Cut => {
  const skipped = SKIPPED.find(([start]) => text.startsWith(start, at))
  if (skipped) {
    const end = text.indexOf(skipped[1], at + skipped[0].length)
    if (end < 0) return { kind: 'cut', message: `the file ends within ${skipped[0]}` }
    return { kind: 'skipped', end: end + skipped[1].length }
  }
  if (text.startsWith('<!DOCTYPE', at)) {
    const end = text.indexOf('>', at)
    if (end < 0) return { kind: 'cut', message: 'the file ends within its DOCTYPE' }
    if (text.slice(at, end).includes('['))
      throw new XmlError(base + at, 'has a DOCTYPE with declarations, which are not read')
    return { kind: 'skipped', end: end + 1 }
  }
  const close = matchAt(CLOSE, text, at)
  if (close) return { kind: 'close', name: close[1] ?? '', end: CLOSE.lastIndex }
  const open = matchAt(OPEN, text, at)
  if (!open) return { kind: 'cut', message: 'is not XML' }
  const name = open[1] ?? ''
  const attributes: Record<string, string> = Object.create(null) as Record<string, string>
  let end = OPEN.lastIndex
  for (let one = matchAt(ATTRIBUTE, text, end); one; one = matchAt(ATTRIBUTE, text, end)) {
    attributes[one[1] ?? ''] = decodeEntities(one[2] ?? one[3] ?? '', base + end)
    end = ATTRIBUTE.lastIndex
  }
  const last = matchAt(OPEN_END, text, end)
  if (!last) return { kind: 'cut', message: `the element ${name} has no end` }
  return { kind: 'open', name, attributes, isEmpty: last[1] === '/', end: OPEN_END.lastIndex }
}

/** Yields the elements and the texts in order. @throws XmlError for a text that is not well-formed XML */
export function* parseXml(source: XmlSource): Generator<XmlEvent> {
  const path: string[] = []
  let base = 0
  let at = 0
  const advance = (): boolean => {
    base += source.text.length
    at = 0
    return source.next()
  }
  while (at < source.text.length || advance()) {
    const start = source.text.indexOf('<', at)
    const next = start < 0 ? source.text.length : start
    if (next > at && path.length > 0) {
      const text = source.text.slice(at, next)
      if (text.trim() !== '') yield { kind: 'text', text, path }
    }
    at = next
    if (start < 0) continue
    const part = readPart(source.text, at, base)
    if (part.kind === 'cut') {
      if (source.isLast) throw new XmlError(base + at, part.message)
      source.grow(at)
      base += at
      at = 0
      continue
    }
    if (part.kind === 'close') {
      const name = path.pop()
      if (name !== part.name) throw new XmlError(base + at, `closes ${part.name}, which is not open`)
      yield { kind: 'close', name, path }
    } else if (part.kind === 'open') {
      const { name, attributes } = part
      yield { kind: 'open', name, attributes, path }
      if (part.isEmpty) yield { kind: 'close', name, path }
      else if (path.push(name) > MAX_DEPTH) throw new XmlError(base + at, `is nested deeper than ${MAX_DEPTH}`)
    }
    at = part.end
  }
  if (path.length > 0) throw new XmlError(base, `the file ends within ${path.at(-1)}`)
}

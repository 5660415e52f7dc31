/** Reads XML from strangers: no entities but the five of XML, no external or internal subset, bounded depth. */
import { getOwn } from '../../contract/own.ts'
import { createFileError } from '../converter.ts'

export type Attributes = Readonly<Record<string, string>>
export type XmlEvent =
  | { readonly kind: 'open'; readonly name: string; readonly attributes: Attributes; readonly path: readonly string[] }
  | { readonly kind: 'close'; readonly name: string; readonly path: readonly string[] }

const MAX_DEPTH = 100
const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }

const NAME = '[A-Za-z_:][A-Za-z0-9_:.-]*'
const ATTRIBUTE = new RegExp(`\\s+(${NAME})\\s*=\\s*(?:"([^"<]*)"|'([^'<]*)')`, 'y')
const OPEN = new RegExp(`<(${NAME})`, 'y')
const CLOSE = new RegExp(`</(${NAME})\\s*>`, 'y')
const OPEN_END = /\s*(\/?)>/y

const matchAt = (pattern: RegExp, text: string, at: number): RegExpExecArray | null => {
  pattern.lastIndex = at
  return pattern.exec(text)
}

const createXmlError = (at: number, message: string) => createFileError(`character ${at}`, message)

const decodeEntities = (text: string, at: number): string =>
  text.includes('&')
    ? text.replace(/&(#x[0-9A-Fa-f]{1,6}|#[0-9]{1,7}|[A-Za-z]+)?;?/g, (whole, name: string | undefined) => {
        if (name === undefined || !whole.endsWith(';')) throw createXmlError(at, 'has an & that begins no entity')
        const code = name.startsWith('#x') ? Number.parseInt(name.slice(2), 16) : Number.parseInt(name.slice(1), 10)
        const known = name.startsWith('#')
          ? code <= 0x10ffff
            ? String.fromCodePoint(code)
            : undefined
          : getOwn(ENTITIES, name)
        if (known === undefined) throw createXmlError(at, `has the entity ${whole}, which is not one of XML`)
        return known
      })
    : text

/** Skips everything between the elements: text, comments, processing instructions. @returns the next `<` of an element */
const skip = (text: string, from: number): number => {
  let at = from
  for (;;) {
    const next = text.indexOf('<', at)
    if (next < 0) return text.length
    const ends: readonly (readonly [string, string])[] = [
      ['<!--', '-->'],
      ['<?', '?>'],
      ['<![CDATA[', ']]>'],
    ]
    const found = ends.find(([start]) => text.startsWith(start, next))
    if (found) {
      const end = text.indexOf(found[1], next + found[0].length)
      if (end < 0) throw createXmlError(next, `the file ends within ${found[0]}`)
      at = end + found[1].length
    } else if (text.startsWith('<!DOCTYPE', next)) {
      const end = text.indexOf('>', next)
      if (end < 0) throw createXmlError(next, 'the file ends within its DOCTYPE')
      if (text.slice(next, end).includes('['))
        throw createXmlError(next, 'has a DOCTYPE with declarations, which are not read')
      at = end + 1
    } else return next
  }
}

/** Yields the elements in order. @throws AppError VALIDATION_ERROR on `file` for a text that is not well-formed */
export function* parseXml(text: string): Generator<XmlEvent> {
  const path: string[] = []
  for (let at = skip(text, 0); at < text.length; at = skip(text, at)) {
    const close = matchAt(CLOSE, text, at)
    if (close) {
      const name = path.pop()
      if (name !== close[1]) throw createXmlError(at, `closes ${close[1]}, which is not open`)
      yield { kind: 'close', name: close[1] ?? '', path }
      at = CLOSE.lastIndex
      continue
    }
    const open = matchAt(OPEN, text, at)
    if (!open) throw createXmlError(at, 'is not XML')
    const name = open[1] ?? ''
    const attributes: Record<string, string> = Object.create(null) as Record<string, string>
    let end = OPEN.lastIndex
    for (let one = matchAt(ATTRIBUTE, text, end); one; one = matchAt(ATTRIBUTE, text, end)) {
      attributes[one[1] ?? ''] = decodeEntities(one[2] ?? one[3] ?? '', end)
      end = ATTRIBUTE.lastIndex
    }
    const last = matchAt(OPEN_END, text, end)
    if (!last) throw createXmlError(end, `the element ${name} has no end`)
    yield { kind: 'open', name, attributes, path }
    if (last[1] === '/') yield { kind: 'close', name, path }
    else if (path.push(name) > MAX_DEPTH) throw createXmlError(at, `is nested deeper than ${MAX_DEPTH}`)
    at = OPEN_END.lastIndex
  }
  if (path.length > 0) throw createXmlError(text.length, `the file ends within ${path.at(-1)}`)
}

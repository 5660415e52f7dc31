/**
 * Counts how deep a YAML document is nested, from its tokens and before it is parsed: the time of the parser, and the memory of
 * what visits the parsed document, grow with the square of the depth.
 */
import { CST, Lexer } from 'yaml'

/** A collection of the block style that is open: the column at which its entries begin. */
type Level = { readonly column: number; readonly kind: string }

/** Tokens that the lexer adds: no characters of the text. */
const MARKS: ReadonlySet<string> = new Set(['byte-order-mark', 'doc-mode', 'flow-error-end', 'scalar'])
const INDICATORS: ReadonlySet<string> = new Set(['seq-item-ind', 'explicit-key-ind', 'map-value-ind'])

class Depth {
  /** Open collections of the block style, from the outermost to the innermost. */
  readonly #blocks: Level[] = []
  #flows = 0
  #column = 0
  /** The column of the first token of the line that may be a key. */
  #keyColumn: number | undefined

  /** Takes the next token. @returns the depth after it */
  take(source: string): number {
    const type = CST.tokenType(source)
    if (type === 'flow-seq-start' || type === 'flow-map-start') this.#flows++
    else if (type === 'flow-seq-end' || type === 'flow-map-end') this.#flows = Math.max(0, this.#flows - 1)
    else if (this.#flows === 0) this.#takeBlock(type)
    this.#move(source, type)
    return this.#blocks.length + this.#flows
  }

  #takeBlock(type: string | null): void {
    if (type === 'seq-item-ind' || type === 'explicit-key-ind') this.#open(this.#column, type)
    // The value of `? key` stands below its mark, and that of an empty key has no key before it.
    else if (type === 'map-value-ind') this.#open(this.#keyColumn ?? this.#column, 'map-value-ind')
  }

  #open(column: number, kind: string): void {
    let last = this.#blocks.at(-1)
    // A list may stand at the column of the key that it belongs to.
    while (
      last &&
      (last.column > column || (last.column === column && last.kind !== kind && kind !== 'seq-item-ind'))
    ) {
      this.#blocks.pop()
      last = this.#blocks.at(-1)
    }
    if (last?.column !== column || last.kind !== kind) this.#blocks.push({ column, kind })
  }

  #move(source: string, type: string | null): void {
    if (type !== null && MARKS.has(type)) return
    const end = source.lastIndexOf('\n')
    if (end !== -1) {
      this.#column = source.length - end - 1
      this.#keyColumn = undefined
      return
    }
    // Behind a colon another key may begin.
    if (type !== null && INDICATORS.has(type)) this.#keyColumn = undefined
    else if (type !== 'space') this.#keyColumn ??= this.#column
    this.#column += source.length
  }
}

/**
 * The bounds of a document that one pass over its characters finds shallow: flow collections, spaces before a line, and indicators in a
 * line. A column has two levels at most, a key and its list, so there are 9 * 2 + 4 + 8 in all.
 */
const FLAT = { flows: 8, spaces: 8, indicators: 4 }
/** The deepest document that `isFlat` takes. */
const FLAT_DEPTH = (FLAT.spaces + 1) * 2 + FLAT.indicators + FLAT.flows

const isBlank = (text: string | undefined): boolean =>
  text === undefined || text === ' ' || text === '\n' || text === '\r' || text === '\t'

/** Returns true for nearly all documents of the library. The tokens of a document take half as long as the parser. */
const isFlat = (text: string): boolean => {
  let [flows, spaces, indicators, isIndentation] = [0, 0, 0, true]
  for (let at = 0; at < text.length; at++) {
    const character = text[at] ?? ''
    if (character === '\n' || character === '\r') [spaces, indicators, isIndentation] = [0, 0, true]
    else if (isIndentation && character === ' ') spaces++
    else {
      isIndentation = false
      if (character === '\t') return false
      if (character === '[' || character === '{') flows++
      else if ('-?:'.includes(character) && isBlank(text[at + 1])) indicators++
    }
    if (flows > FLAT.flows || spaces > FLAT.spaces || indicators > FLAT.indicators) return false
  }
  return true
}

/** Returns true for a document with more than `most` collections in each other. */
export const isNestedDeeper = (text: string, most: number): boolean => {
  if (most >= FLAT_DEPTH && isFlat(text)) return false
  const depth = new Depth()
  for (const source of new Lexer().lex(text)) if (depth.take(source) > most) return true
  return false
}

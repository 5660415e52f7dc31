/**
 * Reads the YAML of the community library, one document at a time. Its work is bounded, because the text may be hostile: no
 * document is large, aliases are refused, and duplicate keys are found in one pass.
 */
import {
  type Document,
  isScalar,
  type Pair,
  type ParsedNode,
  parseDocument,
  visit,
  type YAMLError,
  type YAMLMap,
} from 'yaml'
import { isNestedDeeper } from '../../base/yaml/yaml-depth.ts'
import { invalidField } from '../../contract/errors.ts'

/** The largest document, in characters. Documents of the library have up to 20,000. */
const MAX_DOCUMENT = 256 * 1024
/** The most collections in each other. Documents of the library have four. */
const MAX_DEPTH = 32

export const fail = (at: string, message: string): never => {
  throw invalidField('yaml', `${at}: ${message}`)
}

/** The lines `---` and `...` end a document, wherever they stand. */
const MARKER = /(?:^|\n)(?:---|\.\.\.)(?=[ \t\r\n]|$)/g

/** Blank lines, comments, directives and markers. */
const NO_CONTENT = /^(?:(?:[ \t]*(?:#.*)?|%.*|---|\.\.\.)(?:\r?\n|$))*$/

/** Yields the documents that have content. */
export function* splitDocuments(yaml: string): Generator<string> {
  let from = 0
  const partTo = (to: number): string => yaml.slice(from, to).replace(/^\n?\.\.\.[^\n]*/, '')
  for (const { index } of yaml.matchAll(MARKER)) {
    const part = partTo(index)
    if (!NO_CONTENT.test(part)) yield part
    from = index
  }
  const last = partTo(yaml.length)
  if (!NO_CONTENT.test(last)) yield last
}

/** The fields that are texts, whatever they look like: a port `08` is not the port 8. */
const TEXTS: ReadonlySet<unknown> = new Set([
  ...['manufacturer', 'model', 'slug', 'part_number', 'description', 'name', 'type', 'front_port', 'rear_port'],
])

/** Gives a text that looks like a number its characters. */
const keepText = ({ key, value }: Pair): void => {
  if (!isScalar(key) || !TEXTS.has(key.value) || !isScalar(value) || value.value === null) return
  if (typeof value.value !== 'string' && value.source !== undefined) value.value = value.source
}

const refuseDuplicates = ({ items }: YAMLMap<unknown, unknown>, at: string): void => {
  const keys = new Set<unknown>()
  for (const { key } of items) {
    const { value } = isScalar(key) ? key : fail(at, 'has a key that is a list or a mapping')
    if (keys.has(value)) fail(at, `has the key "${value}" twice`)
    keys.add(value)
  }
}

type Parsed = Document<ParsedNode>

/** Aliases multiply their anchors, so that a small text could become a large one. */
const check = (document: Parsed, at: string): void =>
  visit(document, {
    Alias: () => fail(at, 'has an alias, which is not read'),
    Map: (_, map) => refuseDuplicates(map, at),
    Pair: (_, pair) => keepText(pair),
  })

const NESTED = `is nested too deep: more than ${MAX_DEPTH} levels`

const getMessage = ({ code, message }: YAMLError): string => (code === 'RESOURCE_EXHAUSTION' ? NESTED : message)

const getLineNumber = (text: string, offset: number): number =>
  text.slice(0, offset).replace(/^\n/, '').split('\n').length

/** @throws AppError VALIDATION_ERROR on `yaml` */
export const readDocument = (text: string, at: string): unknown => {
  if (text.length > MAX_DOCUMENT) return fail(at, `has more than ${MAX_DOCUMENT} characters`)
  if (isNestedDeeper(text, MAX_DEPTH)) return fail(at, NESTED)
  // Messages with a part of the text take long where there are many of them, and so does the search for duplicate keys.
  const document = parseDocument(text, { prettyErrors: false, uniqueKeys: false })
  const [error] = document.errors
  if (error) return fail(`${at}, line ${getLineNumber(text, error.pos[0])}`, getMessage(error))
  try {
    check(document, at)
    return document.toJS()
  } catch (thrown) {
    if (thrown instanceof RangeError) return fail(at, NESTED)
    throw thrown
  }
}

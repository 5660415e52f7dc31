/** Finds the events between features, their emitters and their readers in the sources. */
import { removeComments, type Source } from './names.ts'

export type EventUse = {
  readonly name: string
  /** The paths of the files that emit the event. */
  readonly emitters: readonly string[]
  /** The paths of the files that react to it or look for it after a commit. */
  readonly readers: readonly string[]
}

const NAME = "'([a-z0-9_-]+\\.[a-z0-9_-]+)'"
/** A part of `Events`: it ends with a brace that is indented as its beginning is. */
const DECLARATION = /^( *)(?:export )?interface Events \{\n([\s\S]*?)^\1\}/gm
const DECLARED = new RegExp(`^ +${NAME}: `, 'gm')
/** A call of `emit`, or of a function `emit...` whose first argument is the context. */
const EMITTED = new RegExp(`\\bemit(?:[A-Z]\\w*)?\\(\\s*(?:[a-z]+,\\s*)?${NAME}`, 'g')
/** The key of a reaction, or of a table of events. */
const KEY = new RegExp(`(?:^|[{,])\\s*${NAME}: `, 'gm')
/** The arguments of `hasEvent`. */
const HAS_EVENT = /\bhasEvent\(([^)]*)\)/g

const listMatches = (pattern: RegExp, text: string): string[] =>
  [...text.matchAll(pattern)].map(([, found = '']) => found)

/** Returns the names in the arguments of `hasEvent`, and in the constants that it spreads. */
const listAwaited = (text: string): string[] =>
  listMatches(HAS_EVENT, text).flatMap((passed) => {
    const lists = listMatches(/\.\.\.(\w+)/g, passed).flatMap((list) =>
      listMatches(new RegExp(`^const ${list} = \\[([^\\]]*)\\]`, 'gm'), text),
    )
    return listMatches(new RegExp(NAME, 'g'), [passed, ...lists].join(' '))
  })

/** Returns the declared events in the order of the sources. */
export const findEvents = (sources: readonly Source[]): EventUse[] => {
  const files = sources.map((source) => {
    const text = removeComments(source.text)
    const rest = text.replace(DECLARATION, '')
    return {
      path: source.path,
      declared: [...text.matchAll(DECLARATION)].flatMap(([, , body = '']) => listMatches(DECLARED, body)),
      emitted: new Set(listMatches(EMITTED, rest)),
      read: new Set([...listMatches(KEY, rest), ...listAwaited(rest)]),
    }
  })
  return files
    .flatMap(({ declared }) => declared)
    .map((name) => ({
      name,
      emitters: files.flatMap(({ path, emitted }) => (emitted.has(name) ? path : [])),
      readers: files.flatMap(({ path, read }) => (read.has(name) ? path : [])),
    }))
}

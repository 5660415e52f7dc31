/** Reads the declarations of functions, and imports that rename, out of the sources. */
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

const ROOT = dirname(import.meta.dirname)

export type Source = { readonly path: string; readonly text: string }
export type Declaration = {
  readonly path: string
  readonly line: number
  readonly name: string
  readonly isExported: boolean
}

/** Returns the verbs that count as the beginning of a name. */
export const readVerbs = (): ReadonlySet<string> =>
  new Set(
    readFileSync(join(import.meta.dirname, 'verbs.txt'), 'utf8')
      .trim()
      .split(/\s+/),
  )

/** Returns the sources of the server and of the web UI without tests and migrations. */
export const listSources = (): Source[] =>
  ['src', 'web/src'].flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
      .map((path) => `${folder}/${path}`)
      .filter(
        (path) => /\.tsx?$/.test(path) && !/\.test\.tsx?$|\.d\.ts$|^src\/database\/migrations\/|\/test\//.test(path),
      )
      .map((path) => ({ path, text: readFileSync(join(ROOT, path), 'utf8') })),
  )

/** Replaces comments by blanks. A string that holds the beginning of a comment is rare enough. */
export const removeComments = (text: string): string =>
  text.replace(/\/\*[\s\S]*?\*\/|(?<![:\\'"`])\/\/[^\n]*/g, (comment) => comment.replace(/[^\n]/g, ' '))

const CLOSING: Readonly<Record<string, string>> = { '(': ')', '<': '>' }

/** Returns the index behind the bracket that closes the one at `at`. `=>` closes nothing. */
const skipBrackets = (text: string, at: number): number => {
  const open = text[at] ?? ''
  const close = CLOSING[open]
  let depth = 0
  for (let i = at; i < text.length; i++) {
    if (text[i] === open) depth++
    else if (text[i] === close && text[i - 1] !== '=') {
      depth--
      if (depth === 0) return i + 1
    }
  }
  return text.length
}

const skipSpace = (text: string, at: number): number => {
  const rest = /\S/.exec(text.slice(at, at + 200))
  return rest ? at + rest.index : at
}

/** Returns true if an arrow function begins at `at`, behind `async`. */
const isArrowFunction = (text: string, at: number): boolean => {
  let i = text[at] === '<' ? skipSpace(text, skipBrackets(text, at)) : at
  if (text[i] !== '(') return /^[a-z]\w* =>/i.test(text.slice(i, i + 80))
  i = skipSpace(text, skipBrackets(text, i))
  if (text.startsWith('=>', i)) return true
  // A type of the answer: up to the arrow, in one statement.
  return text[i] === ':' && /^:(?:[^;{]|\{[^}]*\})*?=>/.test(text.slice(i, i + 600).split(/\n(?=\S)/)[0] ?? '')
}

const DECLARATION =
  /(?<exported>export )?(?:(?:async )?function\*? (?<declared>\w+)|(?:const|let) (?<constant>\w+)(?:: [^=\n]+)? =\s+(?<async>async )?)/g

export const findFunctions = ({ path, text }: Source): Declaration[] => {
  const code = removeComments(text)
  return [...code.matchAll(DECLARATION)].flatMap(({ 0: whole, index, groups = {} }) => {
    const { exported, declared, constant = '' } = groups
    const end = index + whole.length
    const isFunction =
      declared !== undefined || /^(?:async )?function\b/.test(code.slice(end)) || isArrowFunction(code, end)
    if (!isFunction) return []
    const line = code.slice(0, index).split('\n').length
    return [{ path, line, name: declared ?? constant, isExported: exported !== undefined }]
  })
}

const IMPORT = /^import (?:type )?\{([^}]*)\} from '(\.[^']*)'/gm

/** Returns the imports `x as y` of own modules, unless the file has another `x`. */
export const findRenamedImports = (sources: readonly Source[]): string[] => {
  const exporters = new Map<string, Set<string>>()
  for (const { path, text } of sources)
    for (const [, name = ''] of text.matchAll(
      /^export (?:async )?(?:function\*?|const|let|type|class|interface) (\w+)/gm,
    ))
      exporters.set(name, (exporters.get(name) ?? new Set()).add(path))
  return sources.flatMap(({ path, text }) =>
    [...text.matchAll(IMPORT)].flatMap(([, names = '']) =>
      [...names.matchAll(/(?:type )?(\w+) as (\w+)/g)].flatMap(([, from = '', to]) =>
        (exporters.get(from)?.size ?? 0) > 1 ? [] : [`${path}: ${from} as ${to}`],
      ),
    ),
  )
}

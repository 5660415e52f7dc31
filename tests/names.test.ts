/**
 * Names of functions begin with a verb, and say one thing. Reads the declarations `function name` and `const name = (...) =>` of `src` and
 * `web/src` without tests and migrations.
 */
import { describe, expect, test } from 'bun:test'
import { type Declaration, findFunctions, findRenamedImports, listSources, readVerbs } from './names.ts'

const VERBS = readVerbs()
/** Functions with names that end in `Of`, and functions with names that begin with a verb, of functions in lower case. */
const MAX_OF = 0.02
const MIN_VERBS = 0.6

const beginsWithVerb = ({ name }: Declaration): boolean => VERBS.has(/^[a-z0-9]+/.exec(name)?.[0] ?? '')
const endsInOf = ({ name }: Declaration): boolean => /Of$/.test(name)

const sources = listSources()
const functions = sources.flatMap(findFunctions)
const lower = functions.filter(({ name }) => /^[a-z]/.test(name))

const formatPlace = ({ path, line, name }: Declaration): string => `${path}:${line}: ${name}`

describe('names of functions', () => {
  test('at most 2 % of the functions end in Of', () => {
    const found = functions.filter(endsInOf)
    const isTooMany = found.length > functions.length * MAX_OF
    expect(isTooMany ? found.map(formatPlace) : []).toEqual([])
  })

  test('at least 60 % of the functions begin with a verb', () => {
    const found = lower.filter(beginsWithVerb)
    expect(found.length / lower.length).toBeGreaterThanOrEqual(MIN_VERBS)
  })

  test('two files of a folder export no two functions of one name', () => {
    const exported = Map.groupBy(
      functions.filter(({ isExported }) => isExported),
      ({ path, name }) => `${path.slice(0, path.lastIndexOf('/'))}/${name}`,
    )
    expect([...exported.values()].filter((some) => some.length > 1).map((some) => some.map(formatPlace))).toEqual([])
  })

  test('an import renames a name only if two modules export it', () => {
    expect(findRenamedImports(sources)).toEqual([])
  })
})

describe('the reader of declarations', () => {
  const read = (text: string) => findFunctions({ path: 'src/a.ts', text }).map(({ name }) => name)

  test.each([
    ['a declaration', 'export function rowOf(a: string): Row {\n  return a\n}', ['rowOf']],
    ['an asynchronous declaration', 'async function load() {}', ['load']],
    ['an arrow function', 'const toRow = (a: string, b = (1 + 2)): Row => ({ a })', ['toRow']],
    ['an arrow function of many lines', 'export const toRow = async <T>(\n  a: T,\n): Promise<T> =>\n  a', ['toRow']],
    ['a function expression', 'const step = function* () {}', ['step']],
    ['no value in parentheses', 'const sum = (a + b) * 2\nconst make = f(() => 1)', []],
    ['no text of a comment', '// const toRow = () => 1\n/* function rowOf() {} */', []],
  ])('finds %s', (_, text, names) => expect(read(text)).toEqual(names))
})

// Runs the examples in the docstrings of src/net, so that the documentation is true. An example is one line,
// `expression // value` or `expression // throws ErrorName`, or two where the second is the comment.

import { describe, expect, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

const files = readdirSync(import.meta.dir, { recursive: true, encoding: 'utf8' }).filter(
  (name) => name.endsWith('.ts') && !name.endsWith('.test.ts'),
)
/** Functions of protocols with values in bytes are shown by their tests. */
const mayLackExamples = (file: string): boolean => file.startsWith('dns/')
const names: Record<string, unknown> = {}
for (const file of files) Object.assign(names, await import(`./${file}`))

/** Every docstring followed by an exported function: its name and the lines under its `@example`. */
function examplesIn(source: string): { name: string; lines: string[] }[] {
  const documented = source.matchAll(/(?:\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\n)?export function (\w+)/g)
  return Array.from(documented, ([, docstring = '', name = '']) => {
    const [, examples = ''] = docstring.replace(/^ *\* ?/gm, '').split('@example\n')
    return {
      name,
      lines: examples
        .trim()
        .replace(/\n\/\/ /g, ' // ')
        .split('\n'),
    }
  })
}

function evaluate(expression: string): unknown {
  return new Function(...Object.keys(names), `return (${expression})`)(...Object.values(names))
}

describe.each(files)('%s', (file) => {
  for (const { name, lines } of examplesIn(readFileSync(`${import.meta.dir}/${file}`, 'utf8'))) {
    if (mayLackExamples(file) && lines.join('') === '') continue
    test(`${name} has an example`, () => {
      expect(lines.join('\n')).toContain(`${name}(`)
    })
    test.each(lines)('%s', (line) => {
      const [expression = '', expected = ''] = line.split(' // ')
      const thrown = /^throws (\w+)$/.exec(expected)
      if (thrown === null) expect(evaluate(expression)).toStrictEqual(evaluate(expected))
      else expect(() => evaluate(expression)).toThrow(expect.objectContaining({ name: thrown[1] }))
    })
  }
})

test('src/net imports nothing but itself, and runs in a browser', () => {
  for (const file of files) {
    const source = readFileSync(`${import.meta.dir}/${file}`, 'utf8')
    const imported = Array.from(source.matchAll(/\b(?:from|import\() ?'([^']+)'/g), ([, path = '']) => path)
    expect(imported.filter((path) => !files.includes(join(dirname(file), path)))).toEqual([])
    expect(source).not.toMatch(/\b(?:Bun|process|Buffer|require)\b[.(]/)
  }
})

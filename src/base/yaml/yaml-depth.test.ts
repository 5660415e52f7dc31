/** The depth of a YAML document, found from its tokens, against the one of the parsed document. */
import { describe, expect, test } from 'bun:test'
import { isCollection, parseDocument, visit } from 'yaml'
import { isNestedDeeper } from './yaml-depth.ts'

const depthOf = (text: string): number => {
  let depth = 0
  while (isNestedDeeper(text, depth)) depth++
  return depth
}

/** Returns the depth of a parsed document. */
const parsedDepthOf = (text: string): number => {
  let most = 0
  visit(parseDocument(text), {
    Collection: (_, __, path) => {
      most = Math.max(most, path.filter(isCollection).length + 1)
    },
  })
  return most
}

describe('the depth of a document', () => {
  test.each([
    'a: 1',
    'a:\n- b: 1\n  c: 2\n- d: 3\nz:\n- x\n',
    '- - - x\n',
    '? ? ? x\n',
    '- ? - ? x\n',
    'a: [1,[2,{c: d}]]\n',
    'a: {b: {c: d}}\ne: {f: g}\n',
    'a:\n  b:\n    c: 1\nd: 2\n',
    '- a: 1\n- b: 2\n',
    'a: |\n  - b\n   - c\n    - d\ne: 1\n',
    'a: "\n  - x: [[[[\n"\nb: 1\n',
    "a: '[[[['\nb: 1\n",
    'a: 1 # [[[[ - - -\nb: 1\n',
    '? - a\n: - b\n',
    '? a: b\n: c: d\n',
    'a:\n- - b\n  - c\n- d: {e: f}\n',
    '- &a - x\n',
    '- !t\n  - x\n',
    'a: &x\n  b: 1\n',
    '&x a: 1\n&y b: 1\n&z c: 1\n',
    'a: x\n  y\n    z\n   - w\nb: 1\n',
    '\ufeffa:\n  b: 1\n',
  ])('of %j is that of the parsed one', (text) => {
    expect(depthOf(text)).toBe(parsedDepthOf(text))
  })

  test('is found for every document of the library without its tokens', () => {
    const text = `manufacturer: A\nmodel: B\ninterfaces:\n${'  - name: Gi0/1\n    type: 10gbase-x-sfpp\n'.repeat(52)}`
    expect([isNestedDeeper(text, 32), depthOf(text)]).toEqual([false, 3])
  })

  const LENGTH = 256 * 1024
  test.each([
    ['flow lists', (n: number) => '['.repeat(n), LENGTH],
    ['flow mappings', (n: number) => '{a: '.repeat(n), LENGTH / 4],
    ['block lists', (n: number) => `${'- '.repeat(n)}x`, LENGTH / 2],
    ['keys', (n: number) => `${'? '.repeat(n)}x`, LENGTH / 2],
    ['lists of keys', (n: number) => `${'- ? '.repeat(n)}x`, LENGTH / 4],
    ['mappings without keys', (n: number) => `a:${' :'.repeat(n)}`, LENGTH / 2],
    ['flow lists in quotes and beyond', (n: number) => `a: "${']'.repeat(n)}"\nb: ${'['.repeat(n)}`, LENGTH / 2],
    ['mappings', (n: number) => Array.from({ length: n }, (_, i) => `${' '.repeat(i)}a:\n`).join(''), 700],
    ['lists in mappings', (n: number) => Array.from({ length: n }, (_, i) => `${' '.repeat(i)}- a:\n`).join(''), 700],
  ])('of as many %s as a document holds is found at once', (_, make, count) => {
    const text = make(count)
    const startedMs = performance.now()
    expect(isNestedDeeper(text, 32)).toBe(true)
    expect(performance.now() - startedMs).toBeLessThan(1000)
  })
})

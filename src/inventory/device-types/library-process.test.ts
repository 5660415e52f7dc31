/** YAML is read in real processes, with bounds below the usual ones where a test waits for them. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { testAll } from '../../../testing/cases.ts'
import { findChildren } from '../../base/child/testing/children.ts'
import { AppError } from '../../contract/errors.ts'
import { GUEST } from '../../kernel/caller.ts'
import { readLibrary } from './library.ts'
import { createLibraryReader } from './library-process.ts'

let dir: string
beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), 'plat-library-'))
})
afterAll(() => rmSync(dir, { recursive: true, force: true }))

const children = () => findChildren('device-types-child')
const from = (signal = new AbortController().signal, userId = 'ann') => ({ caller: { ...GUEST, userId }, signal })
const typeOf = (n: number): string =>
  `---\nmanufacturer: Ä\nmodel: M${n}\nslug: m${n}\ninterfaces:\n${'  - name: p\n    type: x\n'.repeat(50)}`
const LARGE_LIBRARY = Array.from({ length: 600 }, (_, n) => typeOf(n)).join('')

const messageOf = async (promise: Promise<unknown>): Promise<string | undefined> => {
  const error = await promise.catch((thrown: unknown) => thrown)
  if (!(error instanceof AppError)) throw error
  expect([error.status, error.details[0]?.field, children()]).toEqual([400, 'yaml', []])
  return error.details[0]?.message
}

describe('the process that reads a library', () => {
  test('gives the device types that the text has', async () => {
    const text = `${typeOf(1)}---\nmanufacturer: b\nmodel: c\nu_height: 2\nfuture: 1\n`
    const read = await createLibraryReader(dir)(text, from())
    // Fields without a value are absent in JSON.
    expect(read).toEqual(JSON.parse(JSON.stringify(await readLibrary(text))))
    expect(children()).toEqual([])
  })

  testAll('gives many device types in their order', async () => {
    const read = await createLibraryReader(dir)(LARGE_LIBRARY, from())
    expect(read.map(({ draft }) => draft.model)).toEqual(Array.from({ length: 600 }, (_, n) => `M${n}`))
  })

  test('passes on the error of the text', async () => {
    expect(await messageOf(createLibraryReader(dir)('model: x\n', from()))).toMatch(/^document 1: manufacturer: /)
  })

  test.each([
    ['10 KB', '- '.repeat(5000)],
    ['60 KB', '- '.repeat(30_000)],
    ['10 KB of flow lists', `a: ${'['.repeat(10_000)}`],
  ])('refuses %s of nested lists at once', async (_, yaml) => {
    expect(await messageOf(createLibraryReader(dir, { ms: 10_000 })(yaml, from()))).toBe(
      'document 1: is nested too deep: more than 32 levels',
    )
  })

  test('is ended after its time', async () => {
    expect(await messageOf(createLibraryReader(dir, { ms: 200 })(LARGE_LIBRARY, from()))).toBe(
      'takes longer than 0.2 s',
    )
  })

  test('is ended when it needs too much memory', async () => {
    expect(await messageOf(createLibraryReader(dir, { memoryBytes: 60 * 2 ** 20 })(LARGE_LIBRARY, from()))).toBe(
      'needs more than 60 MiB of memory',
    )
  })

  testAll('is ended when it gives too much', async () => {
    expect(await messageOf(createLibraryReader(dir, { outputBytes: 2 ** 20 })(LARGE_LIBRARY, from()))).toBe(
      'gives more than 1 MiB of text',
    )
  })

  test('ends with its request', async () => {
    const gone = new AbortController()
    const reading = createLibraryReader(dir)(LARGE_LIBRARY, from(gone.signal)).catch((error: unknown) => error)
    while (children().length === 0) await Bun.sleep(1)
    gone.abort(new Error('gone'))
    expect(await reading).toEqual(new Error('gone'))
    expect(children()).toEqual([])
  })

  test('serves other users between the requests of one, and refuses one that has too many', async () => {
    const read = createLibraryReader(dir)
    const order: string[] = []
    const reading = (user: string) =>
      read(typeOf(1), from(undefined, user)).then(
        () => order.push(user),
        (error: AppError) => error.code,
      )
    const outcomes = await Promise.all([...Array(10).fill('ann'), 'bob'].map(reading))
    expect(outcomes.filter((one) => one === 'UNAVAILABLE').length).toBe(2)
    expect(order.indexOf('bob')).toBeLessThan(3)
  })
})

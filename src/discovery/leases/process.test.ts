/** Large texts of leases are read in real processes. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { takeOneIn } from '../../../testing/cases.ts'
import { findChildren } from '../../base/child/testing/children.ts'
import { AppError } from '../../contract/errors.ts'
import { GUEST } from '../../kernel/caller.ts'
import { createLeaseReader } from './process.ts'
import { readLeases } from './read.ts'

let dir: string
beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), 'plat-leases-'))
})
afterAll(() => rmSync(dir, { recursive: true, force: true }))

const NOW = '2026-01-01T00:00:00.000Z'
const JOB = { format: 'auto', now: NOW } as const
const children = () => findChildren('leases-child')
const from = (signal = new AbortController().signal) => ({ caller: { ...GUEST, userId: 'ann' }, signal })
const LENGTH = 4 * 2 ** 20

describe('the process that reads leases', () => {
  test('gives what is read without one', async () => {
    const lines = Array.from({ length: 3000 }, (_, i) => `0 52:54:00:00:00:01 10.0.${i >> 8}.${i & 255} h${i} *`)
    const text = `${lines.join('\n')}\n1 52:54:00:00:00:01 10.1.0.1 over *\n0 zz 10.1.0.2 bad *\n`
    const read = await createLeaseReader(dir)(text, JOB, from())
    expect(read).toEqual(await readLeases(text, 'auto', NOW))
    expect([read.active.length, children()]).toEqual([3000, []])
  })

  const LONG = [
    ['statements of a lease', `lease 10.0.0.1 {\n${'a;'.repeat(LENGTH / 2)}}\n`],
    ['objects of Kea', `{"arguments":{"leases":[${'{},'.repeat(LENGTH / 3)}{}]}}`],
    ['blank lines', '\n'.repeat(LENGTH)],
  ] as const
  test.each(takeOneIn(3, LONG))('keeps %s away from other requests', async (_, text) => {
    let last = performance.now()
    let longest = 0
    const timer = setInterval(() => {
      longest = Math.max(longest, performance.now() - last)
      last = performance.now()
    }, 1)
    const startedMs = performance.now()
    await createLeaseReader(dir)(text, JOB, from()).catch((error: AppError) => expect(error.status).toBe(400))
    clearInterval(timer)
    // The work takes longer than any of the stalls of a busy machine.
    expect(longest).toBeLessThan((performance.now() - startedMs) / 2)
  })

  test('is ended when it takes too long', async () => {
    const error = await createLeaseReader(dir, { ms: 100 })('\n'.repeat(LENGTH), JOB, from()).catch(
      (thrown: unknown) => thrown,
    )
    expect(error instanceof AppError && error.details).toEqual([{ field: 'text', message: 'takes longer than 0.1 s' }])
    expect(children()).toEqual([])
  })

  test('ends with its request', async () => {
    const gone = new AbortController()
    const reading = createLeaseReader(dir)('\n'.repeat(LENGTH), JOB, from(gone.signal)).catch((error: unknown) => error)
    while (children().length === 0) await Bun.sleep(1)
    gone.abort(new Error('gone'))
    expect(await reading).toEqual(new Error('gone'))
    expect(children()).toEqual([])
  })
})

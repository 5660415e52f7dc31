// Reading the body of an import, and splitting it into rows, must not block the event loop.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { testAll } from '../../../testing/cases.ts'
import { pause } from '../../base/runtime/pause.ts'
import { type Received, receive } from './received.ts'

const GOAL_MS = 50
const MEGABYTES = 24

let dir: string
beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), 'plat-received-'))
})
afterAll(() => rmSync(dir, { recursive: true, force: true }))

const PIECE_BYTES = 64 * 1024

/** In pieces, like a real body: a single string of this size would take up to 65 ms to encode. */
const repeated = (row: string, bytes = MEGABYTES * 1_000_000): ReadableStream<Uint8Array> => {
  const piece = new TextEncoder().encode(row.repeat(Math.ceil(PIECE_BYTES / row.length)))
  let left = Math.ceil(bytes / piece.length)
  return new ReadableStream({
    pull: (controller) => (left-- > 0 ? controller.enqueue(piece.slice()) : controller.close()),
  })
}
const receiveAll = (body: string | ReadableStream): Promise<Received> =>
  receive({ request: new Request('http://plat.test', { method: 'POST', body }), dir, confirmRights: async () => {} })
const takeAll = async (received: Received): Promise<number> => {
  let rows = 0
  for await (const batch of received.batches()) {
    rows += batch.length
    await pause()
  }
  return rows
}

/**
 * Returns the most processor time of this thread between two turns of the event loop. Processor time does not depend on
 * other load.
 */
const longestStall = async (work: () => Promise<unknown>): Promise<number> => {
  let longestMs = 0
  let isOver = false
  const watch = async () => {
    for (let last = process.threadCpuUsage(); !isOver; last = process.threadCpuUsage()) {
      await pause()
      const { user, system } = process.threadCpuUsage(last)
      longestMs = Math.max(longestMs, (user + system) / 1000)
    }
  }
  const watching = watch()
  await work()
  isOver = true
  await watching
  return longestMs
}

const BODIES = {
  'tiny rows': '{}\n',
  'rows of 1 MB': `{"a":"${'x'.repeat(1_000_000)}"}\n`,
  'nothing but spaces': ' ',
  'nested rows': `{"a":${'['.repeat(60)}${']'.repeat(60)}}\n`,
}

describe.each(Object.entries(BODIES))(`${MEGABYTES} MB of %s`, (_, row) => {
  test('are received without a stall', async () => {
    // Warms up the compiler.
    await (await receiveAll(row.repeat(10))).close()
    const measure = async (): Promise<number> => {
      let received: Received | undefined
      const stall = await longestStall(async () => {
        received = await receiveAll(repeated(row))
      })
      await received?.close()
      return stall
    }
    // Garbage of other tests may be collected during one of them. A stall of the code is in each.
    expect(Math.min(await measure(), await measure())).toBeLessThan(GOAL_MS)
  })

  testAll('are cut into rows without a stall, and all of them', async () => {
    const received = await receiveAll(repeated(row))
    let rows = 0
    const stall = await longestStall(async () => {
      rows = await takeAll(received)
    })
    await received.close()
    expect([stall < GOAL_MS, rows]).toEqual([true, received.total])
  })
})

test('rows are handed on in batches of a bounded size', async () => {
  const received = await receiveAll(repeated(BODIES['rows of 1 MB']))
  const sizes: number[] = []
  for await (const batch of received.batches()) sizes.push(batch.length)
  await received.close()
  expect(Math.max(...sizes)).toBe(1)
})

test('a flaw at the end is found before a row is handed on', async () => {
  const received = await receiveAll('{}\n'.repeat(500).concat('{'))
  await received.close()
  expect(takeAll(received)).rejects.toThrow('row 501: does not end')
})

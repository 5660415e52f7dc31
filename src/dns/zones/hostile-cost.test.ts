/** Measures the cost of transfers of a hostile server, in processes that transfer zones which expand in memory. */
import { afterAll, expect, test } from 'bun:test'
import { join } from 'node:path'
import { type Filler, fillZone, startHostileDns } from '../../../testing/hostile/hostile-dns.ts'
import type { Cost } from '../../../testing/measured-transfer.ts'
import { closeServers } from '../../../testing/servers/dns-answers.ts'
import { testsAll } from '../../../testing/tests-all.ts'

const MAIN = join(import.meta.dirname, '../../../testing/measured-transfer.ts')
const LIMIT_MS = 240_000
const MB = 1_000_000
/** 50 ms on a machine that does nothing else. Caches that other processes use make work slower. */
const MAX_HOLD_MS = 100

afterAll(closeServers)

const measure = async (filler: Filler, bytes: number): Promise<Cost> => {
  const { port } = await startHostileDns(fillZone(filler, bytes))
  const child = Bun.spawn([process.execPath, MAIN, String(port)], { stdout: 'pipe' })
  const text = await child.stdout.text()
  expect(await child.exited).toBe(0)
  // Written by `measured-transfer.ts`.
  return JSON.parse(text) as Cost
}

const LONG = { labels: [63, 63, 63, 40], isUnique: false }

test.if(process.platform === 'linux').each([
  ['owner names', { ...LONG, type: 'A', rdata: [192, 0, 2, 1] }],
  ['names in values', { ...LONG, type: 'MINFO', rdata: [0xc0, 12, 0xc0, 12] }],
])(
  '650 KB of %s that compression expands are refused at the first message',
  async (_, filler) => {
    const cost = await measure(filler, 650_000)
    expect(cost.error).toContain('the message is decoded to more than 2 MiB')
    expect(cost.peakBytes).toBeLessThan(150 * MB)
    expect(cost.longestHoldMs).toBeLessThan(MAX_HOLD_MS)
  },
  LIMIT_MS,
)

test.if(testsAll && process.platform === 'linux').each([
  ['common names', [], 'the zone has more than 500,000 records'],
  ['long names', [63, 63, 38], 'the zone has more than 128,000,000 bytes'],
])(
  '26 MB of records with %s take bounded memory, and leave the event loop its turns',
  async (_, labels, error) => {
    const cost = await measure({ labels, isUnique: true, type: 'A', rdata: [192, 0, 2, 1] }, 26 * MB)
    expect(cost.error).toContain(error)
    expect(cost.peakBytes).toBeLessThan(600 * MB)
    expect(cost.longestHoldMs).toBeLessThan(MAX_HOLD_MS)
  },
  LIMIT_MS,
)

test.if(process.platform === 'linux')(
  'a zone of 28,000 records is transferred as before',
  async () => {
    const cost = await measure({ labels: [], isUnique: true, type: 'A', rdata: [192, 0, 2, 1] }, 650_000)
    expect(cost.error).toBe('')
    expect(cost.rrsets).toBeGreaterThan(20_000)
    expect(cost.longestHoldMs).toBeLessThan(MAX_HOLD_MS)
  },
  LIMIT_MS,
)

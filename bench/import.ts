/**
 * Imports that are made to hurt: `bun bench/import.ts [--only bad] [--megabytes 60] [--seconds 20] [--root another/checkout]`. For how long
 * the event loop stands still beside each, and how much memory the server takes. A case that is not over after `--seconds` is broken off.
 */
import { createWriteStream, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { plain, type Result } from './bench.ts'
import { megabytes, milliseconds } from './numbers.ts'
import { publish } from './report.ts'
import { ROOT, type Server, startPlat } from './servers.ts'
import { peakOf } from './setup.ts'

const GOAL_STALL_MS = 50
/** The most memory that an import of any size may add that writes nothing. */
const GOAL_BYTES = 200_000_000
/** The most memory that the server may take during one that writes: its connection caches up to 128 MB. */
const GOAL_WRITING_BYTES = 600_000_000
/** Every pair of these is a relationship. */
const DEVICES = 1001

const { values } = parseArgs({
  options: {
    only: { type: 'string', default: '' },
    megabytes: { type: 'string', default: '60' },
    seconds: { type: 'string', default: '20' },
    root: { type: 'string', default: ROOT },
  },
})
const bytes = Number(values.megabytes) * 1_000_000
// The data has the schema of the checkout that is measured.
const { createKey } = (await import(join(values.root, 'bench/setup.ts'))) as typeof import('./setup.ts')

type Resource = 'devices' | 'relationships'
type Case = {
  readonly name: string
  readonly resource: Resource
  /** Pieces of the body. */
  readonly body: () => Iterable<string>
  readonly atOnce?: number
  readonly writes?: true
}

function* repeated(row: string): Generator<string> {
  const piece = row.repeat(Math.ceil(100_000 / row.length))
  for (let sent = 0; sent < bytes; sent += piece.length) yield piece
}

function* oneRow(): Generator<string> {
  yield '{"name":"'
  yield* repeated('x')
  yield '"}'
}

function* devices(): Generator<string> {
  for (let i = 0; i < bytes / 600; i++)
    yield `${JSON.stringify({ name: `device-${i}`, description: `a device that is the ${i}th of its kind, `.repeat(12), tags: ['a', 'b'] })}\n`
}

function* devicesOfManyAddresses(): Generator<string> {
  for (let i = 0; i < bytes / 3000; i++) {
    const addresses = Array.from({ length: 50 }, (_, at) => ({ ip: `fd00:${i.toString(16)}:${at.toString(16)}::1` }))
    yield `${JSON.stringify({ name: `device-${i}`, addresses, tags: Array.from({ length: 50 }, (_, at) => `tag-${at}`) })}\n`
  }
}

function* relationships(): Generator<string> {
  for (let parent = 0; parent < DEVICES - 1; parent++)
    for (let child = 0; child < DEVICES; child++)
      if (child !== parent) yield `{"parent_id":"d${parent}","child_id":"d${child}","type":"depends_on"}\n`
}

const MEGABYTES = `${values.megabytes} MB`
const CASES: readonly Case[] = [
  { name: `${MEGABYTES} of {}`, resource: 'devices', body: () => repeated('{}\n') },
  { name: `${MEGABYTES} of {}, four times at once`, resource: 'devices', body: () => repeated('{}\n'), atOnce: 4 },
  { name: `one row of ${MEGABYTES}`, resource: 'devices', body: oneRow },
  { name: `${MEGABYTES} of bad rows`, resource: 'devices', body: () => repeated('{"name":1,"nam":"x"}\n') },
  {
    name: `${MEGABYTES} of bad rows of 1 MB`,
    resource: 'devices',
    body: () => repeated(`{"tags":[${'"x",'.repeat(249_990)}"x"]}\n`),
  },
  {
    name: `${MEGABYTES} of rows with 60 levels`,
    resource: 'devices',
    body: () => repeated(`{"name":${'['.repeat(60)}${']'.repeat(60)}}\n`),
  },
  {
    name: `one row with ${MEGABYTES} of levels`,
    resource: 'devices',
    body: () => ['{"name":', ...repeated('['), '}'],
  },
  { name: `${MEGABYTES} of good devices`, resource: 'devices', body: devices, writes: true },
  {
    name: `${MEGABYTES} of devices with 50 addresses`,
    resource: 'devices',
    body: devicesOfManyAddresses,
    writes: true,
  },
  { name: '1,000,000 relationships', resource: 'relationships', body: relationships, writes: true },
]

const writeBody = async (file: string, pieces: Iterable<string>): Promise<void> => {
  const out = createWriteStream(file)
  for (const piece of pieces) if (!out.write(piece)) await new Promise((resolve) => out.once('drain', resolve))
  await new Promise<void>((resolve) => out.end(() => resolve()))
}

type Target = { readonly server: Server; readonly key: string }

const send = async ({ server, key }: Target, resource: Resource, body: string | Bun.BunFile): Promise<string> => {
  try {
    const response = await fetch(`http://127.0.0.1:${server.port}/api/estate/import?resource=${resource}`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/x-ndjson' },
      body,
      signal: AbortSignal.timeout(Number(values.seconds) * 1000),
    })
    const last = (await response.text()).trimEnd().split('\n').at(-1) ?? ''
    return `${response.status} ${last.slice(0, 60)}`
  } catch (error) {
    return error instanceof Error ? error.name : String(error)
  }
}

const measure = async (work: string, one: Case): Promise<Result[]> => {
  const dataDir = join(work, 'data')
  const file = join(work, 'body')
  const key = await createKey(dataDir)
  await writeBody(file, one.body())
  const server = await startPlat(dataDir, {}, { root: values.root })
  const target = { server, key }
  const first = Array.from({ length: DEVICES }, (_, i) => ({ id: `d${i}`, name: `d${i}` }))
  await send(target, 'devices', JSON.stringify(first))
  const before = await server.memory()
  await server.watchStalls()
  const startedAt = performance.now()
  const answers = await Promise.all(
    Array.from({ length: one.atOnce ?? 1 }, () => send(target, one.resource, Bun.file(file))),
  )
  const ms = performance.now() - startedAt
  const stall = await server.longestStallMs()
  const peak = peakOf(server)
  const [called, taken, goal]: readonly [string, number, number] = one.writes
    ? ['memory of the server, at most', peak, GOAL_WRITING_BYTES]
    : ['memory that it adds', peak - before, GOAL_BYTES]
  await server.stop()
  rmSync(dataDir, { recursive: true })
  process.stderr.write(`${one.name}: ${milliseconds(ms)}; ${answers.join(' | ')}\n`)
  return [
    plain({
      work: `longest stall, ${one.name}`,
      ours: milliseconds(stall),
      goal: `< ${GOAL_STALL_MS} ms`,
      isMet: stall < GOAL_STALL_MS,
      numbers: { ms: stall },
    }),
    plain({
      work: `  ${called}`,
      ours: megabytes(taken),
      goal: `< ${megabytes(goal)}`,
      isMet: taken < goal,
      numbers: { bytes: taken },
    }),
  ]
}

const work = mkdtempSync(join(tmpdir(), 'plat-bench-import-'))
try {
  const results: Result[] = []
  for (const one of CASES) if (one.name.includes(values.only)) results.push(...(await measure(work, one)))
  publish(results)
} finally {
  rmSync(work, { recursive: true, force: true })
}

/**
 * Conversions on a server of 1 GiB: `bun bench/convert-memory.ts [--formats zone,csv] [--largest 64]`. The server and its processes are
 * in a memory cgroup. The file of each format doubles until it is refused, or has `--largest` MiB; the waits for `/healthz` during the
 * largest accepted one, and during the refused one, stand beside the waits of the idle server.
 */
import { parseArgs } from 'node:util'
import type { Format } from '../src/convert/formats.ts'
import type { Result } from './bench.ts'
import { MADE_FORMATS, makeFile } from './convert-files.ts'
import { createMemoryCgroup, type MemoryCgroup } from './memory-cgroup.ts'
import { megabytes, milliseconds } from './numbers.ts'
import { publish } from './report.ts'
import { onServerWithin, type Site } from './site.ts'
import { watch } from './watch.ts'

const MEBIBYTE = 2 ** 20
const LIMIT = 1024 * MEBIBYTE
const FIRST = 4 * MEBIBYTE
const GOAL_MS = 50
const IDLE_MS = 10_000

const { values } = parseArgs({
  options: { formats: { type: 'string', default: MADE_FORMATS.join() }, largest: { type: 'string', default: '256' } },
})
const largest = Number(values.largest) * MEBIBYTE

const percentile = (waits: readonly number[], part: number): number =>
  [...waits].sort((a, b) => a - b)[Math.min(waits.length - 1, Math.floor(waits.length * part))] ?? 0

type Attempt = {
  readonly size: number
  readonly status: number
  /** The message of the answer for a refused file. */
  readonly message: string
  readonly ms: number
  readonly waits: readonly number[]
}

const attempt = async ({ server, headers }: Site, format: Format, bytes: number): Promise<Attempt> => {
  const file = makeFile(format, bytes)
  const watched = watch(server.port)
  const startedMs = performance.now()
  const response = await fetch(`http://127.0.0.1:${server.port}/api/estate/convert?format=${format}&resource=devices`, {
    method: 'POST',
    headers,
    body: new Blob([new Uint8Array(file)]),
    timeout: false,
  } as RequestInit)
  let message = ''
  if (response.status === 200) for await (const _ of response.body ?? []);
  else message = ((await response.json()) as { error: string }).error
  const ms = performance.now() - startedMs
  return { size: file.length, status: response.status, message, ms, waits: await watched.stop() }
}

/** Doubles the file until it is refused. @returns the last one that was accepted, and the refused one */
const findLargest = async (site: Site, format: Format): Promise<{ accepted?: Attempt; refused?: Attempt }> => {
  let accepted: Attempt | undefined
  for (let bytes = FIRST; bytes <= largest; bytes *= 2) {
    const one = await attempt(site, format, bytes)
    console.error(`${format} ${megabytes(one.size)}: ${one.status} in ${milliseconds(one.ms)} ${one.message}`)
    if (one.status !== 200) return { ...(accepted && { accepted }), refused: one }
    accepted = one
  }
  return accepted ? { accepted } : {}
}

const describe = (format: Format, what: string, one: Attempt, idleMs: number): Result => {
  const p99 = percentile(one.waits, 0.99)
  return {
    work: `/healthz p99 during ${format}, ${what} file of ${megabytes(one.size)}, ${milliseconds(one.ms)}`,
    ours: milliseconds(p99),
    baseline: `${milliseconds(idleMs)}, idle`,
    ratio: '',
    goal: `< ${milliseconds(GOAL_MS)}`,
    isMet: p99 < GOAL_MS,
    numbers: { p99_ms: p99, longest_ms: Math.max(...one.waits), idle_ms: idleMs, bytes: one.size, ms: one.ms },
  }
}

const measure = async (site: Site, cgroup: MemoryCgroup): Promise<void> => {
  const idle = watch(site.server.port)
  await Bun.sleep(IDLE_MS)
  const idleMs = percentile(await idle.stop(), 0.99)
  const results: Result[] = []
  for (const format of values.formats.split(',') as Format[]) {
    const { accepted, refused } = await findLargest(site, format)
    if (accepted) results.push(describe(format, 'the largest accepted', accepted, idleMs))
    if (refused) results.push(describe(format, 'a refused', refused, idleMs))
  }
  publish(results)
  console.log(
    `The cgroup held at most ${megabytes(cgroup.peak())}; the system ended ${cgroup.kills()} processes in it.`,
  )
}

const cgroup = createMemoryCgroup(LIMIT)
try {
  await onServerWithin(cgroup.within, {}, [(site) => measure(site, cgroup)])
} finally {
  cgroup.remove()
}

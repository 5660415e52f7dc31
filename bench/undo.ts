/**
 * The undo of an import beside the import: `bun bench/undo.ts [--devices 100000]`. One server on SQLite; another caller reads
 * one device after the other all the time.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { plain, type Result } from './bench.ts'
import { milliseconds, quantile, times } from './numbers.ts'
import { publish } from './report.ts'
import { startPlat } from './servers.ts'
import { createKey } from './setup.ts'

const GOAL_RATIO = 2
const GOAL_READ_MS = 1000

const { values } = parseArgs({ options: { devices: { type: 'string', default: '100000' } } })
const count = Number(values.devices)

const rowsOf = (count: number): string =>
  Array.from({ length: count }, (_, i) =>
    JSON.stringify({
      id: `undo-${i}`,
      name: `device-${i}`,
      hostname: `device-${i}.example.net`,
      os: 'Debian 12',
      tags: ['rack', `row-${i % 40}`],
      addresses: [{ ip: `10.${(i >> 16) & 255}.${(i >> 8) & 255}.${i & 255}` }],
      domains: ['example.net'],
    }),
  ).join('\n')

const workDir = mkdtempSync(join(tmpdir(), 'plat-bench-undo-'))
try {
  const key = await createKey(workDir)
  const server = await startPlat(workDir)
  const url = `http://127.0.0.1:${server.port}`
  const call = (path: string, init: RequestInit = {}) =>
    fetch(`${url}${path}`, { ...init, headers: { Authorization: `Bearer ${key}`, ...init.headers } })

  await call('/api/devices', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ id: 'read', name: 'read' }),
  })

  /** Returns how long the work took, and the durations of another caller's reads beside it, in milliseconds. */
  const beside = async (work: () => Promise<void>): Promise<{ ms: number; reads: number[] }> => {
    let isOver = false
    const reads: number[] = []
    const reading = async () => {
      while (!isOver) {
        const startedMs = performance.now()
        await (await call('/api/devices/read')).text()
        reads.push(performance.now() - startedMs)
      }
    }
    const reader = reading()
    const startedMs = performance.now()
    await work()
    const ms = performance.now() - startedMs
    isOver = true
    await reader
    return { ms, reads }
  }

  const imported = await beside(async () => {
    const response = await call('/api/estate/import?resource=devices', {
      method: 'POST',
      headers: { 'Content-Type': 'application/x-ndjson' },
      body: rowsOf(count),
    })
    const answer = await response.text()
    if (!answer.includes(`"created":${count}`)) throw new Error(`the import failed: ${answer.slice(-300)}`)
  })
  const newest = async (): Promise<string> => {
    const [change] = (await (await call('/api/history?limit=1')).json()) as { id: string }[]
    return change?.id ?? ''
  }
  const undo = async () => {
    const response = await call(`/api/history/${await newest()}/undo`, { method: 'POST' })
    const answer = await response.text()
    if (response.status !== 200) throw new Error(`the undo failed: ${answer.slice(0, 300)}`)
  }
  const undone = await beside(undo)
  const redone = await beside(undo)
  await server.stop()

  const resultsOf = (work: string, { ms, reads }: typeof undone): Result[] => {
    const p99 = quantile(reads, 0.99)
    const ratio = ms / imported.ms
    return [
      {
        work,
        ours: milliseconds(ms),
        baseline: `${milliseconds(imported.ms)}, the import`,
        ratio: times(ratio),
        goal: `<= ${GOAL_RATIO} x`,
        isMet: ratio <= GOAL_RATIO,
        numbers: { ms, import_ms: imported.ms, ratio },
      },
      plain({
        work: `${work}: p99 of the reads of another caller`,
        ours: milliseconds(p99),
        goal: `< ${milliseconds(GOAL_READ_MS)}`,
        isMet: p99 < GOAL_READ_MS,
        numbers: { p99_ms: p99, longest_ms: Math.max(...reads), reads: reads.length },
      }),
    ]
  }
  publish([...resultsOf(`undo of an import of ${count} devices`, undone), ...resultsOf(`undo of that undo`, redone)])
} finally {
  rmSync(workDir, { recursive: true })
}

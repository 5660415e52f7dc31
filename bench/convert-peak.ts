/**
 * The memory of two large conversions: `bun bench/convert-peak.ts [--records 2000000] [--hosts 65534]`. It is the sum of the resident
 * memory of the server and its processes, above that of the idle server.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import type { Format } from '../src/convert/formats.ts'
import { plain, type Result } from './bench.ts'
import { makeParts } from './convert-files.ts'
import { megabytes, milliseconds } from './numbers.ts'
import { publish } from './report.ts'
import { onServer, type Site } from './site.ts'

const GOAL_BYTES = 600e6
const READING_MS = 20

const { values } = parseArgs({
  options: { records: { type: 'string', default: '2000000' }, hosts: { type: 'string', default: '65534' } },
})

const readResident = (pid: number): number => {
  try {
    return Number(/^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))?.[1] ?? 0) * 1024
  } catch {
    // The process has ended.
    return 0
  }
}

/** Returns a process and all that descend from it. */
const listTree = (root: number): number[] => {
  const children = new Map<number, number[]>()
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue
    try {
      const parent = Number(/^PPid:\s+(\d+)/m.exec(readFileSync(`/proc/${name}/status`, 'latin1'))?.[1])
      children.set(parent, [...(children.get(parent) ?? []), Number(name)])
    } catch {
      // The process has ended.
    }
  }
  const tree = [root]
  for (const pid of tree) tree.push(...(children.get(pid) ?? []))
  return tree
}

const sumResident = (root: number): number => listTree(root).reduce((sum, pid) => sum + readResident(pid), 0)

/** Calls `work`. @returns the largest sum of the resident memory during it, in bytes */
const findPeak = async (root: number, work: () => Promise<void>): Promise<number> => {
  let peak = 0
  const read = () => {
    peak = Math.max(peak, sumResident(root))
  }
  const timer = setInterval(read, READING_MS)
  try {
    await work()
  } finally {
    clearInterval(timer)
  }
  return peak
}

const convert = async ({ server, headers }: Site, format: Format, parts: number): Promise<Result> => {
  const file = new Blob([new Uint8Array(makeParts(format, parts))])
  await Bun.sleep(1000)
  const idle = sumResident(server.pid)
  let answer = 0
  const startedMs = performance.now()
  const peak = await findPeak(server.pid, async () => {
    const response = await fetch(`http://127.0.0.1:${server.port}/api/estate/convert?format=${format}`, {
      method: 'POST',
      headers,
      body: file,
      timeout: false,
    } as RequestInit)
    if (response.status !== 200) throw new Error(`${format}: ${response.status} ${await response.text()}`)
    for await (const piece of response.body ?? []) answer += piece.length
  })
  const ms = performance.now() - startedMs
  const bytes = peak - idle
  return plain({
    work: `convert ${format} of ${parts}, a file of ${megabytes(file.size)}, to ${megabytes(answer)} in ${milliseconds(ms)}: peak memory of all processes above idle`,
    ours: megabytes(bytes),
    goal: `< ${megabytes(GOAL_BYTES)}`,
    isMet: bytes < GOAL_BYTES,
    numbers: { bytes, idle, ms, size: file.size, answer },
  })
}

for (const [format, parts] of [
  ['zone', Number(values.records)],
  ['nmap', Number(values.hosts)],
] as const)
  if (parts > 0) await onServer(async (site) => publish([await convert(site, format, parts)]))

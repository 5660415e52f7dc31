/** A daemon in this process, against a stand-in for the server. */
import { afterEach, beforeEach, expect, setDefaultTimeout, test } from 'bun:test'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { listDescendants } from '../../../testing/servers/scanner-child.ts'
import { type StandIn, startStandIn } from '../../../testing/servers/stand-in-server.ts'
import { until as untilWithin } from '../../../testing/until.ts'
import { startListening } from '../process.ts'
import { buildPlan } from '../testing/plans.ts'
import { runDaemon } from './daemon.ts'
import type { DaemonEnd } from './ending.ts'

setDefaultTimeout(120_000)
const PATIENT_MS = 60_000
const until = <T>(what: string, look: () => T | undefined): Promise<T> => untilWithin(what, look, PATIENT_MS)

let server: StandIn
let stateDir: string
let stop: AbortController
let ended: Promise<DaemonEnd>
beforeEach(() => {
  server = startStandIn()
  stateDir = mkdtempSync(join(tmpdir(), 'plat-daemon-test-'))
  stop = new AbortController()
  ended = Promise.resolve({ code: 0, message: '' })
})
afterEach(async () => {
  stop.abort()
  await ended
  await server.close()
  rmSync(stateDir, { recursive: true, force: true })
})

const start = (spoolBytes = 2 ** 26, slots = 2): string[] => {
  const log: string[] = []
  const { url } = server
  const readToken = () => `plat_en_${'a'.repeat(43)}`
  const options = { url, readToken, stateDir, slots, ca: undefined, spoolBytes, allowsHttp: false }
  const context = { options, version: '1.0.0', startListening, log: (text: string) => log.push(text) }
  ended = runDaemon({ ...context, signal: stop.signal }, undefined)
  return log
}

const measureSpool = (): number => {
  const files = readdirSync(stateDir, { recursive: true, encoding: 'utf8' }).filter((path) => /\/\d+$/.test(path))
  return files.reduce((sum, path) => sum + (statSync(join(stateDir, path), { throwIfNoEntry: false })?.size ?? 0), 0)
}

test('a full spool holds the scan back, and nothing is lost', async () => {
  const limit = 150_000
  const log = start(limit)
  const scan = server.give(buildPlan({ subnet: '127.8.0.0/21', probesPerSecond: 10_000 }))
  await until('start of the scan', () => scan.status === 'running' || undefined)
  await server.goAway()
  const sizes: number[] = []
  await until('spool that is nearly full', () => {
    sizes.push(measureSpool())
    return (sizes.at(-1) ?? 0) > limit / 3 || undefined
  })
  await until('second attempt', () => log.filter((line) => line.includes('tries again')).length > 1 || undefined)
  sizes.push(measureSpool())
  expect(sizes.filter((size) => size > limit)).toEqual([])
  server.comeBack()
  await until('end of the scan', () => scan.status === 'done' || undefined)
  expect(scan.hosts.size).toBe(2046)
})

/** Returns the scanner process of this process. */
const findChild = (): number | undefined =>
  listDescendants(process.pid).find((pid) => {
    try {
      return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('scanner-child')
    } catch {
      // It has ended since.
      return false
    }
  })

test('a process that dies is started again, and at its fourth death its scan fails', async () => {
  const log = start(2 ** 26, 1)
  const scan = server.give(buildPlan({ subnet: '127.8.8.0/21', probesPerSecond: 100 }))
  const leases = new Set<string>()
  for (let death = 1; death <= 4; death++) {
    await until('next lease', () => (scan.lease !== '' && !leases.has(scan.lease)) || undefined)
    leases.add(scan.lease)
    process.kill(await until('scanner process', findChild), 'SIGKILL')
    await until('message', () => log.filter((line) => line.includes('SIGKILL')).length === death || undefined)
  }
  await until('failure', () => scan.status === 'failed' || undefined)
  expect(scan.reports.at(-1)).toEqual({ type: 'failed', message: 'its process died 4 times' })
})

test('no more scans run than there are slots', async () => {
  start(2 ** 26, 1)
  const scans = [1, 2, 3].map((third) => server.give(buildPlan({ subnet: `127.8.${third}.0/27` })))
  await until('end of all scans', () => scans.every(({ status }) => status === 'done') || undefined)
  expect(server.polls.map(({ holding }) => holding.length).filter((count) => count > 1)).toEqual([])
  expect(scans.map(({ hosts }) => hosts.size)).toEqual([30, 30, 30])
})

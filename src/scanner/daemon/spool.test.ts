/** The spool on a real folder: bounds of requests, numbers over restarts, a full spool, and the files after a kill. */
import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { appendFileSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { FoundHost, FromScanner } from '../protocol.ts'
import { WIRE_LIMITS } from '../wire.ts'
import { type Line, toLines } from './report-lines.ts'
import { createSpool, type LeaseSpool, type Spool } from './spool.ts'
import { listHoldings } from './spool-files.ts'

const HOLDING = { scan_id: 'scan-1', lease: 'lease-1' }
const note = (text: string): Line[] => toLines({ type: 'note', text })
const buildHost = (ip: string, changes: Partial<FoundHost> = {}): FoundHost => ({
  ...{ ip, mac: '', macSource: '', vendor: '', rttMs: null, ttl: null, evidence: [], names: [], openPorts: [] },
  ...{ services: [], os: '', osConfidence: 0, osVotes: [], sshHostKey: '', tlsCertificate: '', snmp: null },
  ...changes,
})
const buildBatch = (hosts: readonly FoundHost[]): FromScanner => ({
  type: 'batch',
  progress: { stage: 'liveness', scanned: 1, total: 2, found: hosts.length, probesPerSecond: 0 },
  hosts,
  checkpoint: { version: 1 },
})

let folder: string
let faults: unknown[]
let nowMs: number
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'plat-spool-test-'))
  faults = []
  nowMs = 1000
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const open = (maxBytes = 2 ** 26): Spool =>
  createSpool({ folder, maxBytes, onFault: (error) => faults.push(error), nowMs: () => nowMs })

type Parsed = { seq: number; lease: string; reports: FromScanner[] }
const take = (lease: LeaseSpool | undefined): Parsed | undefined => {
  const request = lease?.take()
  // Built as `ReportsRequest`.
  return request && (JSON.parse(request.body) as Parsed)
}

describe('requests', () => {
  test('have the reports in order, under one number', async () => {
    const lease = open().open(HOLDING)
    await lease.append(note('one'))
    await lease.append(note('two'))
    expect(take(lease)).toEqual({
      lease: 'lease-1',
      seq: 1,
      reports: [
        { type: 'note', text: 'one' },
        { type: 'note', text: 'two' },
      ],
    })
  })

  test('have the same content when they are repeated', async () => {
    const lease = open().open(HOLDING)
    await lease.append(note('one'))
    const first = lease.take()
    await lease.append(note('two'))
    expect(lease.take()).toEqual(first)
    lease.acknowledge(1)
    expect(take(lease)?.reports).toEqual([{ type: 'note', text: 'two' }])
  })

  test('stay within the bounds of the wire', async () => {
    const lease = open().open(HOLDING)
    for (let i = 0; i < 120; i++) await lease.append(note(`note ${i}`))
    const hosts = Array.from({ length: 4500 }, (_, i) => buildHost(`10.0.${i >> 8}.${i & 255}`))
    await lease.append(toLines(buildBatch(hosts)))
    const requests: Parsed[] = []
    for (let bytes = 0; !lease.isEmpty(); lease.acknowledge(requests.length)) {
      bytes = Buffer.byteLength(lease.take()?.body ?? '')
      const request = take(lease)
      if (!request) break
      requests.push(request)
      const count = request.reports.reduce((sum, one) => sum + (one.type === 'batch' ? one.hosts.length : 0), 0)
      expect([bytes <= WIRE_LIMITS.bodyBytes, request.reports.length <= 50, count <= 2000]).toEqual([true, true, true])
    }
    const batches = requests.flatMap(({ reports }) => reports).filter((report) => report.type === 'batch')
    expect(batches.flatMap((batch) => batch.hosts)).toEqual(hosts)
    expect(batches.map(({ checkpoint }) => checkpoint !== undefined)).toEqual([
      ...batches.slice(1).map(() => false),
      true,
    ])
  })

  test('a host that is larger than a request loses its details, and arrives', () => {
    const details = Object.fromEntries(Array.from({ length: 32 }, (_, i) => [`name-${i}`, 'x'.repeat(1024)]))
    const service = {
      port: 80,
      protocol: 'tcp',
      service: 'http',
      product: '',
      version: '',
      banner: 'b',
      details,
    } as const
    const services = Array.from({ length: 256 }, () => service)
    const [line] = toLines(buildBatch([buildHost('10.0.0.1', { services })]))
    expect(Buffer.byteLength(line?.text ?? '')).toBeLessThan(WIRE_LIMITS.bodyBytes / 2)
    expect(line).toMatchObject({ hosts: 1, text: expect.stringContaining('10.0.0.1') })
  })
})

describe('the time of a request', () => {
  test('is at once for the first report and for the last, and soon for hosts', async () => {
    const lease = open().open(HOLDING)
    expect(lease.dueAtMs()).toBeUndefined()
    await lease.append(note('ready'))
    expect(lease.dueAtMs()).toBe(1000)
    lease.take()
    lease.acknowledge(1)
    await lease.append(toLines(buildBatch([])))
    expect(lease.dueAtMs()).toBe(3000)
    await lease.append(toLines(buildBatch([buildHost('10.0.0.1')])))
    expect(lease.dueAtMs()).toBe(1250)
    await lease.append(toLines({ type: 'done' }))
    expect(lease.dueAtMs()).toBe(0)
  })
})

describe('a restart', () => {
  test('keeps requests and numbers', async () => {
    const lease = open().open(HOLDING)
    await lease.append(note('one'))
    const sent = lease.take()
    await lease.append(note('two'))
    const spool = open()
    const [left] = spool.left
    expect([spool.left.map(({ holding }) => holding), spool.countReports()]).toEqual([[HOLDING], 2])
    expect(left?.take()).toEqual(sent)
    left?.acknowledge(1)
    expect(take(left)).toMatchObject({ seq: 2, reports: [{ type: 'note', text: 'two' }] })
  })

  test('cuts off a report that was half written', async () => {
    const lease = open().open(HOLDING)
    await lease.append(note('one'))
    appendFileSync(join(folder, 'scan-1.lease-1', '1'), '{"type":"note","te')
    expect(take(open().left[0])?.reports).toEqual([{ type: 'note', text: 'one' }])
  })

  test('forgets a lease without reports', () => {
    open().open(HOLDING)
    expect(listHoldings(folder)).toEqual([HOLDING])
    expect([open().left, listHoldings(folder)]).toEqual([[], []])
  })

  test('ignores what is no lease', () => {
    for (const name of ['a.b.c', 'a b.c', 'x']) mkdirSync(join(folder, name))
    writeFileSync(join(folder, 'a.b'), '')
    expect([open().left, listHoldings(folder), listHoldings(join(folder, 'none'))]).toEqual([[], [], []])
  })
})

describe('a full spool', () => {
  const BIG = 'x'.repeat(400)

  test('takes nothing until there is room', async () => {
    const lease = open(1000).open(HOLDING)
    await lease.append(note(BIG))
    await lease.append(note(BIG))
    let isStored = false
    const third = lease.append(note(BIG)).then(() => {
      isStored = true
    })
    await new Promise(setImmediate)
    expect(isStored).toBe(false)
    lease.take()
    lease.acknowledge(1)
    await third
    expect(take(lease)?.reports).toHaveLength(1)
  })

  test('takes one report that is larger than all of it', async () => {
    const lease = open(100).open(HOLDING)
    await lease.append(note(BIG))
    expect(take(lease)?.reports).toHaveLength(1)
  })

  test('ignores a report that waits at the end of the process, and all after it', async () => {
    const spool = open(1000)
    const lease = spool.open(HOLDING)
    await lease.append(note(BIG))
    const waiting = lease.append(note(BIG + BIG))
    spool.stop()
    await waiting
    await lease.append(note('small'))
    expect(take(lease)?.reports).toEqual([{ type: 'note', text: BIG }])
  })

  test('does not hold up a lease that is discarded', async () => {
    const lease = open(1000).open(HOLDING)
    await lease.append(note(BIG))
    const waiting = lease.append(note(BIG + BIG))
    lease.discard()
    await waiting
    expect([lease.isEmpty(), readdirSync(folder)]).toEqual([true, []])
  })
})

test('files and folders are private', async () => {
  await open().open(HOLDING).append(note('one'))
  const modes = ['scan-1.lease-1', 'scan-1.lease-1/1'].map((path) => statSync(join(folder, path)).mode & 0o777)
  expect(modes).toEqual([0o700, 0o600])
})

test('a write that fails is reported once, and repeated', async () => {
  const lease = open().open(HOLDING)
  rmSync(join(folder, 'scan-1.lease-1'), { recursive: true })
  const stored = lease.append(note('one'))
  expect(faults).toHaveLength(1)
  open().open(HOLDING)
  await stored
  expect([take(lease)?.reports.length, take(lease)?.seq, faults.length]).toEqual([1, 1, 1])
})

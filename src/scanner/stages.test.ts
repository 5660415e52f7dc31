/**
 * Behavior common to every stage: resuming, cancelling, excluded addresses. Real scans of real servers on loopback.
 */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { takeOneIn } from '../../testing/cases.ts'
import { startScan } from './process.ts'
import type { Checkpoint, FoundHost, FromScanner, ScanPlan, Stage } from './protocol.ts'
import { closeListeners, greets, listenTcp } from './testing/listeners.ts'
import { buildPlan, PATIENT_MS, runPlan } from './testing/plans.ts'

const PORT = 32_222
const HOSTS = Array.from({ length: 30 }, (_, i) => `127.23.0.${i + 1}`)
/** Connections that each address has had. */
const connections = new Map<string, number>()

beforeAll(async () => {
  for (const ip of HOSTS)
    await listenTcp(ip, PORT, (socket) => {
      connections.set(ip, (connections.get(ip) ?? 0) + 1)
      greets('220 mail.lab.example ESMTP Postfix\r\n')(socket)
    })
})
afterAll(closeListeners)

const plan = (changes: Partial<ScanPlan>): ScanPlan =>
  buildPlan({ subnet: '127.23.0.0/27', type: 'deep', probeTimeoutMs: PATIENT_MS, ports: [PORT], ...changes })

const recognised = (hosts: Iterable<FoundHost>): string[] =>
  [...hosts].flatMap(({ ip, services }) => (services.some(({ product }) => product === 'Postfix') ? [ip] : [])).sort()

test.each(takeOneIn(2, ['ports', 'services'] as const))(
  'killed in the stage of %s, it goes on and nothing is lost',
  async (stage: Stage) => {
    const hosts = new Map<string, FoundHost>()
    let checkpoint: Checkpoint | null = null
    const keep = async (report: FromScanner): Promise<void> => {
      if (report.type !== 'batch') return
      for (const host of report.hosts) hosts.set(host.ip, host)
      checkpoint = report.checkpoint
    }
    // So slow that the stage lasts for some batches.
    const first = startScan(plan({ probesPerSecond: 60 }), async (report) => {
      await keep(report)
      if (report.type === 'batch' && report.progress.stage === stage) process.kill(first.pid, 'SIGKILL')
    })
    expect((await first.ended).result).toBe('died')
    const second = startScan(plan({ checkpoint }), keep)
    expect((await second.ended).result).toBe('done')
    expect([hosts.size, recognised(hosts.values())]).toEqual([30, [...HOSTS].sort()])
  },
)

test.each(takeOneIn(2, ['ports', 'services'] as const))(
  'cancelled in the stage of %s, it says so',
  async (stage: Stage) => {
    const scan = startScan(plan({ probesPerSecond: 60 }), async (report) => {
      if (report.type === 'batch' && report.progress.stage === stage) scan.cancel()
    })
    expect((await scan.ended).result).toBe('cancelled')
  },
)

test('an excluded address is never connected to, in any stage', async () => {
  connections.clear()
  const { hosts } = await runPlan(plan({ excludes: ['127.23.0.10-127.23.0.19'] }))
  const touched = [...connections.keys()].filter((ip) => /\.1\d$/.test(ip))
  expect([touched, hosts.size]).toEqual([[], 20])
})

test('a full scan reports open ports and probes no services', async () => {
  const { hosts } = await runPlan(plan({ type: 'full' }))
  expect(hosts.get('127.23.0.7')).toMatchObject({ openPorts: [PORT], services: [] })
})

test('a checkpoint of another network is not resumed', async () => {
  const { reports } = await runPlan(plan({ type: 'quick' }))
  const last = reports.findLast((report) => report.type === 'batch')
  const { hosts } = await runPlan(buildPlan({ subnet: '127.24.0.0/27', checkpoint: last?.checkpoint ?? null }))
  expect(hosts.size).toBe(30)
})

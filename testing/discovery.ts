/** Helpers of the tests of discovery: an app with a scripted scanner, and scans from beginning to end. */
import { afterAll, beforeAll } from 'bun:test'
import type { DiscoveredDevice } from '../src/discovery/schema.ts'
import type { FoundHost, Stage } from '../src/scanner/protocol.ts'
import { type TestApp, type TestCaller, testApp } from './app/app.ts'
import { type Answer, ask } from './estates/inventory.ts'
import { type ScriptedListener, scriptedListener } from './servers/scripted-listener.ts'
import { type ScriptedScan, type ScriptedScanner, scriptedScanner } from './servers/scripted-scanner.ts'
import type { Dialect } from './servers/servers.ts'
import { until } from './until.ts'

/** The first suite on PostgreSQL waits for the server to start. */
const START_TIMEOUT_MS = 60_000

type ScanType = 'quick' | 'full' | 'deep'

export type Discovery = {
  readonly app: TestApp
  readonly admin: TestCaller
  readonly api: TestCaller['api']
  readonly ask: (http: string, body?: unknown, headers?: Record<string, string>) => Promise<Answer>
  readonly scanner: ScriptedScanner
  readonly listener: ScriptedListener
  readonly advance: (ms: number) => void
  readonly now: () => string
  /** Creates a network of 127.0.0.0/8 that no other test has. `at` returns its addresses: `127.3.7.`. */
  readonly network: () => Promise<{ readonly id: string; readonly subnet: string; readonly at: (n: number) => string }>
  /** Starts a scan and waits until the scanner of its subnet runs. */
  readonly begin: (networkId: string, type?: ScanType) => Promise<{ readonly id: string; readonly scan: ScriptedScan }>
  /** Runs a whole scan that finds these hosts, and returns its id. */
  readonly scan: (networkId: string, hosts: readonly FoundHost[], type?: ScanType) => Promise<string>
  /** Returns the one discovered device of a network. @throws Error if there is not exactly one */
  readonly only: (networkId: string) => Promise<DiscoveredDevice>
  readonly runJob: (name: string) => Promise<void>
  /** Waits until a scan has ended. */
  readonly ended: (scanId: string) => Promise<string>
}

const LAST_STAGE: Readonly<Record<ScanType, Stage>> = { quick: 'liveness', full: 'ports', deep: 'services' }

export const discoveryApp = (dialect: Dialect, env: Readonly<Record<string, string>> = {}): Discovery => {
  const clock = { ms: Date.parse('2026-06-01T00:00:00.000Z') }
  const scanner = scriptedScanner()
  const listener = scriptedListener()
  let app: TestApp | undefined
  let admin: TestCaller | undefined
  let networks = 0
  beforeAll(async () => {
    app = await testApp({
      ...{ dialect, env, now: () => new Date(clock.ms), withJobs: false },
      ...{ startScan: scanner.startScan, listening: listener.listening },
    })
    admin = await app.as('admin')
  }, START_TIMEOUT_MS)
  afterAll(() => app?.close(), START_TIMEOUT_MS)
  const started = <T>(value: T | undefined): T => {
    if (value === undefined) throw new Error('the app of a suite is there in its tests')
    return value
  }

  const ended: Discovery['ended'] = (id) =>
    until('end of the scan', async () => {
      const { status } = await started(admin).api.scans.get({ id })
      return status === 'pending' || status === 'running' ? undefined : status
    })
  const begin: Discovery['begin'] = async (networkId, type = 'quick') => {
    const scan = await started(admin).api.scans.start({ id: networkId, scan_type: type })
    if (!('id' in scan)) throw new Error('a scan that is no dry run has an id')
    // Selected by subnet: a rule of another test may have started a scan at the same time.
    const { subnet } = await started(admin).api.networks.get({ id: networkId })
    return { id: scan.id, scan: await scanner.next(subnet) }
  }

  return {
    get app() {
      return started(app)
    },
    get admin() {
      return started(admin)
    },
    get api() {
      return started(admin).api
    },
    ask: (http, body, headers) => ask(started(admin), http, body, headers),
    scanner,
    listener,
    advance: (ms) => {
      clock.ms += ms
    },
    now: () => new Date(clock.ms).toISOString(),
    network: async () => {
      const n = ++networks
      const subnet = `127.${n >> 8}.${n & 255}.0/24`
      const { id } = await started(admin).api.networks.create({ name: `net ${n}`, subnet })
      return { id, subnet, at: (last) => `127.${n >> 8}.${n & 255}.${last}` }
    },
    begin,
    scan: async (networkId, hosts, type = 'quick') => {
      clock.ms += 1000
      const { id, scan } = await begin(networkId, type)
      await scan.found(hosts, { stage: LAST_STAGE[type], share: 1 })
      scan.end('done')
      await ended(id)
      return id
    },
    only: async (networkId) => {
      const devices = await started(admin).api.discovery.list({ network_id: networkId })
      if (!devices[0] || devices.length > 1) throw new Error(`there are ${devices.length} devices, not one`)
      return devices[0]
    },
    runJob: (name) => started(app).plat.runJob(name),
    ended,
  }
}

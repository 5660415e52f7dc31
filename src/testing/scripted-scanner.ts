/** A scanner that reports what a test tells it to, in place of a process that sends packets; and hosts to report. */
import type { ScanEnd, startScan } from '../scanner/process.ts'
import type { Evidence, FoundHost, FromScanner, Privilege, ScanPlan, SnmpFacts, Stage } from '../scanner/protocol.ts'

const PRIVILEGE: Privilege = { icmp: true, arp: false, neighbours: true, advice: '' }
const DEADLINE_MS = 20_000

/** Waits for what happens by itself, as long as it takes, within reason. */
export const until = async <T>(what: string, look: () => Promise<T | undefined> | T | undefined): Promise<T> => {
  const deadlineMs = Date.now() + DEADLINE_MS
  for (;;) {
    const seen = await look()
    if (seen !== undefined) return seen
    if (Date.now() > deadlineMs) throw new Error(`${what} did not happen within ${DEADLINE_MS} ms`)
    await Bun.sleep(5)
  }
}

export type ScriptedScan = {
  readonly plan: ScanPlan
  readonly isCancelled: () => boolean
  readonly report: (report: FromScanner) => Promise<void>
  /** One batch of hosts; `share` is how much of the scan is done by then. */
  readonly found: (
    hosts: readonly FoundHost[],
    more?: { stage?: Stage; share?: number; mark?: string },
  ) => Promise<void>
  readonly end: (result: ScanEnd['result'], message?: string) => void
}

export const scriptedScanner = () => {
  const waiting: ScriptedScan[] = []
  const all: ScriptedScan[] = []
  const start: typeof startScan = (plan, onReport) => {
    const { promise, resolve } = Promise.withResolvers<ScanEnd>()
    let isCancelled = false
    let found = 0
    const scan: ScriptedScan = {
      plan,
      isCancelled: () => isCancelled,
      report: onReport,
      found: async (hosts, { stage = 'liveness', share = 0.5, mark = 'somewhere' } = {}) => {
        found = Math.max(found, hosts.length)
        const progress = { stage, scanned: Math.round(share * 1000), total: 1000, found, probesPerSecond: 100 }
        await onReport({ type: 'batch', progress, hosts, checkpoint: { version: 1, mark } })
      },
      end: (result, message = '') => resolve({ result, message }),
    }
    waiting.push(scan)
    all.push(scan)
    void onReport({ type: 'ready', privilege: PRIVILEGE })
    return {
      cancel: () => {
        isCancelled = true
        resolve({ result: 'cancelled', message: '' })
      },
      ended: promise,
      pid: 1,
    }
  }
  return {
    startScan: start,
    /** Every scan that was begun so far. */
    all: all as readonly ScriptedScan[],
    /** The next scan that is begun, or was and has not been asked for. */
    next: (): Promise<ScriptedScan> => until('a scan was begun', () => waiting.shift()),
  }
}
export type ScriptedScanner = ReturnType<typeof scriptedScanner>

const seen = (source: Evidence['source'], weight: number): Evidence => ({
  source,
  weight,
  detail: `${source} answered`,
})

/** A host that answered ping and ARP. */
export const host = (ip: string, about: Partial<FoundHost> = {}): FoundHost => ({
  ip,
  mac: '',
  macSource: about.mac ? 'arp' : '',
  vendor: '',
  rttMs: 0.4,
  ttl: 64,
  evidence: about.mac ? [seen('arp', 0.6), seen('icmp', 0.5)] : [seen('icmp', 0.5)],
  names: [],
  openPorts: [],
  services: [],
  os: '',
  osConfidence: 0,
  osVotes: [],
  sshHostKey: '',
  tlsCertificate: '',
  snmp: null,
  ...about,
})

export const snmpFacts = (about: Partial<SnmpFacts> = {}): SnmpFacts => ({
  credentialId: 'c',
  engineId: '',
  name: '',
  description: '',
  objectId: '',
  location: '',
  uptimeSeconds: 1,
  interfaces: [],
  arp: [],
  lldp: [],
  forwarding: [],
  ...about,
})

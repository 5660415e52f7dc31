/** A scripted scanner in place of a process that sends packets, and hosts to report. */
import { z } from 'zod'
import type { ScanEnd, startScan } from '../../src/scanner/process.ts'
import type {
  Evidence,
  FoundHost,
  FoundService,
  FromScanner,
  Privilege,
  ScanPlan,
  SnmpFacts,
  Stage,
} from '../../src/scanner/protocol.ts'
import type { TestCaller } from '../app/app.ts'
import { until } from '../until.ts'

const PRIVILEGE: Privilege = { icmp: true, arp: false, neighbours: true, advice: '' }

export type ScriptedScan = {
  readonly plan: ScanPlan
  readonly isCancelled: () => boolean
  readonly report: (report: FromScanner) => Promise<void>
  /** Reports one batch of hosts; `share` is the completed part of the scan. */
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
    // After a rejected report the real scanner stops; the test sees the rejections of the reports that it makes.
    onReport({ type: 'ready', privilege: PRIVILEGE }).catch(() => {})
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
    /** Every scan started so far. */
    all: all as readonly ScriptedScan[],
    /** Removes and returns the oldest waiting scan, of the subnet if one is given. Waits for one if there is none. */
    next: (subnet?: string): Promise<ScriptedScan> =>
      until('scan begun', () => {
        const at = waiting.findIndex(({ plan }) => subnet === undefined || plan.subnet === subnet)
        return at === -1 ? undefined : waiting.splice(at, 1)[0]
      }),
  }
}
export type ScriptedScanner = ReturnType<typeof scriptedScanner>

const seen = (source: Evidence['source'], weight: number): Evidence => ({
  source,
  weight,
  detail: `${source} answered`,
})

/** Returns a host that answered ping and ARP. */
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

export const ssh: FoundService = {
  port: 22,
  protocol: 'tcp',
  service: 'ssh',
  product: 'OpenSSH',
  version: '9.2p1',
  banner: 'SSH-2.0-OpenSSH_9.2p1',
  details: {},
}
/** Returns a host that answered a deep scan, with its SSH server. */
export const deepHost = (ip: string, mac: string): FoundHost =>
  host(ip, {
    mac,
    vendor: 'Intel Corporate',
    names: [{ name: 'web-01.example.com', source: 'ptr' }],
    openPorts: [22],
    services: [ssh],
    os: 'Debian 12',
    osConfidence: 90,
    osVotes: [{ os: 'Debian 12', weight: 60, because: 'SSH banner' }],
    sshHostKey: 'SHA256:k',
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

/** Scans a new network to the end. @returns the scan and the first device that it found */
export const scanOnce = async (
  scanner: ReturnType<typeof scriptedScanner>,
  { api }: Pick<TestCaller, 'api'>,
  hosts: readonly FoundHost[] = [host('127.9.0.1')],
): Promise<{ readonly network: string; readonly scan: string; readonly device: string }> => {
  const network = await api.networks.create({ name: 'scanned', subnet: '127.9.0.0/24' })
  const { id } = z.object({ id: z.string() }).parse(await api.scans.start({ id: network.id }))
  const running = await scanner.next()
  await running.found(hosts)
  running.end('done')
  await until('the end of the scan', async () =>
    (await api.scans.get({ id })).status === 'completed' ? true : undefined,
  )
  const [device] = await api.discovery.list({ network_id: network.id })
  return { network: network.id, scan: id, device: device?.id ?? '' }
}

/** Plans for the tests of the scanner, and their results. */
import { startScan } from '../process.ts'
import type { FoundHost, FromScanner, Progress, ScanPlan } from '../protocol.ts'

/** Another process of this machine answers, and the machine may be busy. */
export const PATIENT_MS = 8000

export const buildPlan = (changes: Partial<ScanPlan> & Pick<ScanPlan, 'subnet'>): ScanPlan => ({
  type: 'quick',
  excludes: [],
  ports: [],
  probesPerSecond: 5000,
  probeTimeoutMs: 500,
  snmp: [],
  ssh: [],
  hostKeys: {},
  fingerprintsFolder: '',
  allowLocal: true,
  checkpoint: null,
  ...changes,
})

export type ScanRecord = {
  readonly reports: readonly FromScanner[]
  readonly hosts: ReadonlyMap<string, FoundHost>
  readonly progress: readonly Progress[]
  readonly result: string
  readonly message: string
}

/** Runs a scan to its end and records its reports. */
export const runPlan = async (plan: ScanPlan): Promise<ScanRecord> => {
  const reports: FromScanner[] = []
  const scan = startScan(plan, async (report) => {
    reports.push(report)
  })
  const { result, message } = await scan.ended
  const batches = reports.filter((report) => report.type === 'batch')
  return {
    reports,
    hosts: new Map(batches.flatMap(({ hosts }) => hosts.map((host) => [host.ip, host] as const))),
    progress: batches.map(({ progress }) => progress),
    result,
    message,
  }
}

const POLL_MS = 5
const PATIENCE_MS = 10_000

/** Looks again and again until it is so; throws when that takes too long. */
export const waitUntil = async (isSo: () => boolean, what: string, patienceMs = PATIENCE_MS): Promise<void> => {
  const deadline = performance.now() + patienceMs
  while (!isSo()) {
    if (performance.now() > deadline) throw new Error(`waited in vain: ${what}`)
    await Bun.sleep(POLL_MS)
  }
}

export const isRunning = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    // ESRCH: there is none.
    return false
  }
}

/** The scans that this scanner has on its hands: each has a child process, or reports that are still to be sent. */
import { getErrorMessage } from '../../contract/unknown.ts'
import { type ScanEnd, type ScanProcess, startScan } from '../process.ts'
import type { FromScanner, ScanPlan } from '../protocol.ts'
import type { Holding, Logins, StartedScan } from '../wire.ts'
import { createPacer } from './backoff.ts'
import type { Client } from './client.ts'
import { toLines } from './report-lines.ts'
import { type Sender, startSender } from './sender.ts'
import type { LeaseSpool, Spool } from './spool.ts'

/** Time between two requests of all scans together: the server limits the requests of an address to 600 a minute. */
const PACE_MS = 200
/** A process that died so many times of one scan does so again. */
const MAX_DEATHS = 3
/** Scans whose deaths are counted. */
const MOST_COUNTED = 1000

export type ScansOptions = {
  readonly client: Client
  readonly token: string
  readonly spool: Spool
  readonly slots: number
  /** Returns the logins of a scan. @throws for a text that was not sealed for this scanner */
  readonly open: (started: StartedScan) => Logins | null
  /** Called when a scan is over, so that another one may come. */
  readonly onRelease: () => void
  readonly log: (message: string) => void
  readonly signal: AbortSignal
}

export type Scans = {
  readonly listHoldings: () => readonly Holding[]
  /** @throws the error of the disk that cannot spool it */
  readonly start: (started: StartedScan) => void
  readonly cancel: (scanId: string) => void
  /** The server answers again. */
  readonly retry: () => void
  /** Resolves when no child process is left. Their last reports are in the spool. */
  readonly stop: () => Promise<void>
}

type Held = {
  readonly spool: LeaseSpool
  process: ScanProcess | undefined
  sender: Sender | undefined
  /** No report comes any more. */
  isComplete: boolean
}

const NO_LOGINS: Logins = { snmp: [], ssh: [], hostKeys: {} }

export const createScans = (options: ScansOptions): Scans => {
  const { client, token, spool, slots, open, onRelease, log, signal } = options
  const held = new Set<Held>()
  const deaths = new Map<string, number>()
  const pace = createPacer(PACE_MS)

  const countDeath = (scanId: string): number => {
    if (deaths.size >= MOST_COUNTED) deaths.clear()
    const count = (deaths.get(scanId) ?? 0) + 1
    deaths.set(scanId, count)
    return count
  }

  /** Ends a scan and removes its reports: the server takes none any more. */
  const drop = (one: Held): void => {
    one.spool.discard()
    if (!one.isComplete) one.process?.cancel()
    one.sender?.wake()
    one.sender?.retry()
  }

  const release = async (one: Held, sent: Sender['ended']): Promise<void> => {
    const end = await sent.catch((error: unknown) => {
      log(`scan ${one.spool.holding.scan_id} begins again: ${getErrorMessage(error)}`)
      return 'lost' as const
    })
    if (end === 'stopped') return
    drop(one)
    await one.process?.ended
    held.delete(one)
    onRelease()
  }

  const track = (one: Held): void => {
    held.add(one)
    const isComplete = (): boolean => one.isComplete
    one.sender = startSender({ client, token, spool: one.spool, pace, isComplete, log, signal })
    void release(one, one.sender.ended)
  }

  const store = async (one: Held, report: FromScanner): Promise<void> => {
    // The server knows the scans that it cancelled; a scan that ends with this process goes on later.
    if (report.type === 'cancelled') return
    await one.spool.append(toLines(report))
    one.sender?.wake()
  }

  /** Stores the end of a process that could not report it itself. */
  const noteEnd = async (one: Held, { result, message }: ScanEnd, hasFailed: boolean): Promise<void> => {
    const { scan_id } = one.spool.holding
    log(`scan ${scan_id} ended: ${message || result}`)
    if (result === 'failed' && !hasFailed) await store(one, { type: 'failed', message })
    if (result === 'died' && !signal.aborted) {
      const count = countDeath(scan_id)
      const isHopeless = count > MAX_DEATHS
      if (isHopeless) await store(one, { type: 'failed', message: `its process died ${count} times` })
      // The server gives it again, from its checkpoint.
      else await store(one, { type: 'note', text: message })
    }
    if (result === 'done') deaths.delete(scan_id)
  }

  const openLogins = (started: StartedScan): { readonly logins: Logins; readonly problem: string } => {
    try {
      return { logins: open(started) ?? NO_LOGINS, problem: '' }
    } catch {
      // The error may quote its input.
      return { logins: NO_LOGINS, problem: 'The logins were not sealed for this scanner: it goes on without them' }
    }
  }

  const begin = (started: StartedScan): void => {
    const { scan_id, lease, network_name } = started
    const { logins, problem } = openLogins(started)
    const plan: ScanPlan = { ...started.plan, ...logins, fingerprintsFolder: '' }
    const one: Held = {
      spool: spool.open({ scan_id, lease }),
      process: undefined,
      sender: undefined,
      isComplete: false,
    }
    let hasFailed = false
    const child = startScan(plan, (report) => {
      hasFailed ||= report.type === 'failed'
      return store(one, report)
    })
    one.process = child
    track(one)
    if (problem !== '') void store(one, { type: 'note', text: problem })
    const follow = async (): Promise<void> => {
      await noteEnd(one, await child.ended, hasFailed)
      one.isComplete = true
      one.sender?.wake()
    }
    void follow()
    log(`scan ${scan_id} of ${network_name} (${plan.subnet}) starts`)
  }

  for (const lease of spool.left) track({ spool: lease, process: undefined, sender: undefined, isComplete: true })

  const filterByScan = (scanId: string): Held[] => [...held].filter(({ spool }) => spool.holding.scan_id === scanId)

  return {
    listHoldings: () => [...held].map(({ spool }) => spool.holding),
    start: (started) => {
      const same = filterByScan(started.scan_id)
      if (same.some(({ spool }) => spool.holding.lease === started.lease)) return
      // Their lease is no longer good.
      for (const one of same) drop(one)
      if (held.size - same.length >= slots || signal.aborted) return
      begin(started)
    },
    cancel: (scanId) => {
      for (const one of filterByScan(scanId)) drop(one)
    },
    retry: () => {
      for (const { sender } of held) sender?.retry()
    },
    stop: async () => {
      spool.stop()
      for (const { process, isComplete } of held) if (!isComplete) process?.cancel()
      await Promise.all([...held].map(({ process }) => process?.ended))
    },
  }
}

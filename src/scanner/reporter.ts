/**
 * Tells the server what was found: a batch now and then, and the next only when the last is stored. What waits meanwhile is a
 * bit for each host, so a slow database costs no memory here. Knows neither sockets nor how messages travel.
 */
import { checkpointOf, type Position } from './checkpoint.ts'
import type { Findings } from './findings.ts'
import type { Meter } from './progress.ts'
import type { FoundHost, FromScanner } from './protocol.ts'

const BATCH_EVERY_MS = 250
/** Hosts of a batch: a message of half a megabyte or so. */
const MOST_HOSTS = 1000
const LARGE_BATCH = 200
/** And no more text than this, whatever the hosts said of themselves. */
const MOST_CHARACTERS = 2_000_000

export type ReporterOptions = {
  readonly send: (message: FromScanner) => void
  readonly subnet: string
  readonly findings: Findings
  readonly meter: Meter
  readonly start: Position
  /** Whether anything more may come of a host: if not, what is known of it is dropped once it is told. */
  readonly isDone: (index: number) => boolean
}

export type Reporter = {
  readonly note: (text: string) => void
  /** Where the scan is. It is saved once every host found before it has been told. */
  readonly at: (position: Position) => void
  readonly probed: (count: number) => void
  readonly ack: () => void
  /** Batches go out by themselves until `stop`. */
  readonly start: () => void
  readonly stop: () => void
  /** Resolves when everything found is told and stored. */
  readonly drain: (signal: AbortSignal) => Promise<void>
  /** One more batch, whether or not the last one is stored: for the end of a scan that is cancelled. */
  readonly last: () => void
}

export const createReporter = ({ send, subnet, findings, meter, start, isDone }: ReporterOptions): Reporter => {
  let position = start
  let saved = start
  let isUnderWay = false
  let probes = 0
  let countedAtMs = performance.now()
  let timer: ReturnType<typeof setInterval> | undefined
  let onAck: (() => void) | undefined

  /** Takes hosts off the list of those to tell of; round and round, so that none waits for ever. */
  let from = 0
  const takeHosts = (): FoundHost[] => {
    const hosts: FoundHost[] = []
    let characters = 0
    while (hosts.length < MOST_HOSTS && characters < MOST_CHARACTERS) {
      const index = findings.fresh.next(from) ?? findings.fresh.next(0)
      if (index === undefined) break
      from = index + 1
      findings.fresh.remove(index)
      findings.told.add(index)
      const host = findings.hostOf(index)
      characters += host.services.length + host.evidence.length > 4 ? JSON.stringify(host).length : 600
      hosts.push(host)
      if (isDone(index)) findings.drop(index)
    }
    return hosts
  }

  const rate = (): number => {
    const now = performance.now()
    const perSecond = (probes * 1000) / Math.max(1, now - countedAtMs)
    probes = 0
    countedAtMs = now
    return Math.round(perSecond)
  }

  const sendBatch = (): void => {
    const hosts = takeHosts()
    if (findings.fresh.count() === 0) saved = position
    isUnderWay = true
    send({
      type: 'batch',
      progress: {
        stage: meter.stage(),
        scanned: meter.scanned(),
        total: meter.total,
        found: findings.told.count(),
        probesPerSecond: rate(),
      },
      hosts,
      checkpoint: checkpointOf(subnet, { position: saved, scanned: meter.scanned(), told: findings.told }),
    })
    // Left to itself, the collector lets the rubbish of many batches pile up first: 90 MB instead of 68 for a /16 that is all alive.
    if (hosts.length >= LARGE_BATCH) Bun.gc(true)
  }

  return {
    note: (text) => send({ type: 'note', text }),
    at: (next) => {
      position = next
    },
    probed: (count) => {
      probes += count
    },
    ack: () => {
      isUnderWay = false
      onAck?.()
    },
    start: () => {
      timer = setInterval(() => {
        if (!isUnderWay) sendBatch()
      }, BATCH_EVERY_MS)
    },
    stop: () => clearInterval(timer),
    drain: async (signal) => {
      let stop = (): void => {}
      const cancelled = new Promise<void>((resolve) => {
        stop = resolve
      })
      signal.addEventListener('abort', stop, { once: true })
      const stored = (): Promise<void> =>
        Promise.race([
          cancelled,
          new Promise<void>((resolve) => {
            onAck = resolve
          }),
        ])
      while (!signal.aborted) {
        if (isUnderWay) await stored()
        else if (findings.fresh.count() > 0) sendBatch()
        else return
      }
    },
    last: sendBatch,
  }
}

/**
 * Tells the server what was found: a batch now and then, and the next only when the last is stored. What waits meanwhile is a
 * bit for each host, so a slow database costs no memory here. Knows neither sockets nor how messages travel.
 */
import { fullGC } from 'bun:jsc'
import { checkpointOf, type Position } from './checkpoint.ts'
import type { Findings } from './findings.ts'
import type { Meter } from './progress.ts'
import type { FoundHost, FromScanner } from './protocol.ts'

const BATCH_EVERY_MS = 250
/** With no host to tell of: how far the scan is can wait, and each batch is a transaction. */
const PROGRESS_EVERY_MS = 1000
/** Hosts of a batch: what the server holds of it while it stores it, its collector would take for something that lasts. */
const MOST_HOSTS = 200
/** And no more text than this, whatever the hosts said of themselves. */
const MOST_CHARACTERS = 2_000_000
/** After so many hosts the collector is asked to run. */
const RUBBISH_HOSTS = 1000

export type ReporterOptions = {
  readonly send: (message: FromScanner) => void
  readonly subnet: string
  readonly findings: Findings
  readonly meter: Meter
  readonly start: Position
  /** Whether anything more may come of a host: if not, what is known of it is dropped once it is told. */
  readonly isDone: (index: number) => boolean
  readonly clock?: Clock
}

export type Clock = {
  readonly nowMs: () => number
  /** Does something again and again; what it answers ends that. */
  readonly every: (ms: number, work: () => void) => () => void
}

const CLOCK: Clock = {
  nowMs: () => performance.now(),
  every: (ms, work) => {
    const timer = setInterval(work, ms)
    return () => clearInterval(timer)
  },
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

export const createReporter = ({
  send,
  subnet,
  findings,
  meter,
  start,
  isDone,
  clock = CLOCK,
}: ReporterOptions): Reporter => {
  let position = start
  let saved = start
  let isUnderWay = false
  let told = { stage: meter.stage(), scanned: -1, atMs: Number.NEGATIVE_INFINITY }
  let rubbish = 0
  let probes = 0
  let countedAtMs = clock.nowMs()
  let stop = (): void => {}
  let isStarted = false
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
    const now = clock.nowMs()
    const perSecond = (probes * 1000) / Math.max(1, now - countedAtMs)
    probes = 0
    countedAtMs = now
    return Math.round(perSecond)
  }

  const sendBatch = (): void => {
    const hosts = takeHosts()
    if (findings.fresh.count() === 0) saved = position
    isUnderWay = true
    told = { stage: meter.stage(), scanned: meter.scanned(), atMs: clock.nowMs() }
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
    rubbish += hosts.length
    if (rubbish < RUBBISH_HOSTS) return
    rubbish = 0
    fullGC()
  }

  const isDue = (): boolean => {
    if (isUnderWay) return false
    if (findings.fresh.count() > 0 || meter.stage() !== told.stage) return true
    const hasMoved = saved !== position || meter.scanned() !== told.scanned
    return hasMoved && clock.nowMs() - told.atMs >= PROGRESS_EVERY_MS
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
      // A whole batch is waiting: the next tick would let more of them pile up.
      if (isStarted && findings.fresh.count() >= MOST_HOSTS) sendBatch()
      onAck?.()
    },
    start: () => {
      isStarted = true
      stop = clock.every(BATCH_EVERY_MS, () => {
        if (isDue()) sendBatch()
      })
    },
    stop: () => {
      isStarted = false
      stop()
    },
    drain: async (signal) => {
      const { promise: cancelled, resolve } = Promise.withResolvers<void>()
      signal.addEventListener('abort', () => resolve(), { once: true })
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

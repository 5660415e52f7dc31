/** Iterates over the addresses of a scan at its rate and sends a probe to each that is wanted. The caller does the sending. */
import type { Reporter } from '../reporter.ts'
import { computeIndex } from './order.ts'
import { type Pacer, waitForTick } from './pacer.ts'

/** `later`: the limit of outstanding probes is reached. `starved`: send buffers were full, and the probe was not sent. */
export type SendResult = 'sent' | 'later' | 'starved'

export type ProbeLoop = {
  /** First position in the probe order. */
  readonly from: number
  readonly size: number
  readonly pacer: Pacer
  readonly signal: AbortSignal
  readonly wants: (index: number) => boolean
  readonly send: (index: number) => SendResult
  /** Called at every tick, to read answers and to save the position. */
  readonly onTick: (place: number) => void
  /** Counts the probes, and notes that the rate was halved. */
  readonly reporter: Pick<Reporter, 'probed' | 'note'>
  /** The reason for which probes are not sent. */
  readonly starvation?: string
}

const HALVE_AT_MOST_EVERY_MS = 200
/** A probe that cannot be sent for this long is skipped. */
const GIVE_UP_AFTER_MS = 5000

/** Resolves when every position was probed, or at the tick after the signal. */
export const runProbeLoop = async (options: ProbeLoop): Promise<void> => {
  const { from, size, pacer, signal, wants, send, onTick, reporter, starvation = 'send buffers are full' } = options
  let place = from
  let halvedAtMs = 0
  let starvedSinceMs: number | undefined

  const starve = (): void => {
    const now = performance.now()
    starvedSinceMs ??= now
    if (now - halvedAtMs > HALVE_AT_MOST_EVERY_MS) {
      halvedAtMs = now
      reporter.note(`halved the rate to ${pacer.halve()} probes a second: ${starvation}`)
    }
    if (now - starvedSinceMs > GIVE_UP_AFTER_MS) {
      place++
      starvedSinceMs = undefined
    }
  }

  const sendSome = (): void => {
    let left = pacer.take()
    while (left > 0 && place < size) {
      const index = computeIndex(place, size)
      if (wants(index)) {
        const result = send(index)
        if (result === 'later') break
        if (result === 'starved') {
          starve()
          break
        }
        reporter.probed(1)
        starvedSinceMs = undefined
        left--
      }
      place++
    }
    pacer.giveBack(left)
  }

  while (place < size && !signal.aborted) {
    sendSome()
    onTick(place)
    if (place < size) await waitForTick()
  }
}

/** Ticks until the time is over, `isOver` answers true, or the signal aborts. */
export const wait = async (
  ms: number,
  { signal, onTick, isOver = () => false }: { signal: AbortSignal; onTick: () => void; isOver?: () => boolean },
): Promise<void> => {
  const until = performance.now() + ms
  while (performance.now() < until && !signal.aborted && !isOver()) {
    await waitForTick()
    onTick()
  }
}

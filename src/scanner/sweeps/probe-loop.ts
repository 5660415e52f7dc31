/** Goes through the addresses of a scan at its pace and sends to those that are wanted. Knows nothing of what is sent. */
import { indexAt } from './order.ts'
import { nextTick, type Pacer } from './pacer.ts'

/** `later`: as many as may be are under way. `starved`: the machine had no room; the probe never left. */
export type SendResult = 'sent' | 'later' | 'starved'

export type Walk = {
  /** Place in the order, where it begins. */
  readonly from: number
  readonly size: number
  readonly pacer: Pacer
  readonly signal: AbortSignal
  readonly wants: (index: number) => boolean
  readonly send: (index: number) => SendResult
  /** At every tick: answers are read, the place is kept. */
  readonly onTick: (place: number) => void
  /** The machine had no room for some time, and so the rate was halved. */
  readonly onStarved: (perSecond: number) => void
}

const HALVE_AT_MOST_EVERY_MS = 200
/** A probe that cannot be sent for this long is given up, and with it no more than this one. */
const GIVE_UP_AFTER_MS = 5000

/** Ends when every place has had its probe, or at the tick after the signal. */
export const walk = async ({ from, size, pacer, signal, wants, send, onTick, onStarved }: Walk): Promise<void> => {
  let place = from
  let halvedAtMs = 0
  let starvedSinceMs: number | undefined

  const starve = (): void => {
    const now = performance.now()
    starvedSinceMs ??= now
    if (now - halvedAtMs > HALVE_AT_MOST_EVERY_MS) {
      halvedAtMs = now
      onStarved(pacer.halve())
    }
    if (now - starvedSinceMs > GIVE_UP_AFTER_MS) {
      place++
      starvedSinceMs = undefined
    }
  }

  const sendSome = (): void => {
    let left = pacer.take()
    while (left > 0 && place < size) {
      const index = indexAt(place, size)
      if (wants(index)) {
        const result = send(index)
        if (result === 'later') break
        if (result === 'starved') {
          starve()
          break
        }
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
    if (place < size) await nextTick()
  }
}

/** Ticks for that long, or until there is nothing to wait for, or the signal. */
export const wait = async (
  ms: number,
  { signal, onTick, isOver = () => false }: { signal: AbortSignal; onTick: () => void; isOver?: () => boolean },
): Promise<void> => {
  const until = performance.now() + ms
  while (performance.now() < until && !signal.aborted && !isOver()) {
    await nextTick()
    onTick()
  }
}

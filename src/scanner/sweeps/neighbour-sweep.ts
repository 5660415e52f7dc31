/** Finds hosts by the kernel's neighbor table, which a datagram to each address fills. Needs no privilege. */

import type { ScanContext } from '../scan-context.ts'
import type { Libc } from '../sys/libc.ts'
import type { Links } from './links.ts'
import { type NeighbourTable, readNeighbours } from './neighbours.ts'
import { createPacer } from './pacer.ts'
import { createPinger, type Pinger } from './pinger.ts'
import { runProbeLoop, wait } from './probe-loop.ts'
import type { Sweep, SweepOptions } from './sweep.ts'
import { createToucher } from './udp-touch.ts'

/** Addresses that fit into the table beside other entries (`gc_thresh3` is 1024). */
const FITS_AT_ONCE = 512
/**
 * An unresolved entry lives for three seconds, so that this rate uses 600 entries. Failed entries stay listed until
 * the kernel needs the room, and do no harm.
 */
const SAFE_PER_SECOND = 200
/** Above this number of unresolved entries, sending pauses. */
const MOST_UNRESOLVED = 680
const LOOK_EVERY_MS = 100
/** Entries stay for many seconds; reading a full table takes milliseconds. */
const LOOK_AT_LARGE_EVERY_MS = 500
/** Wait for immediate answers. */
const FIRST_WAIT_MS = 300
/** Wait for retries: the kernel asks again after one second, and after two. */
const LAST_WAIT_MS = 1150
const LAST_WAIT_OF_LARGE_MS = 3200
/** Wait for stale entries: the kernel probes them after 5 s, three times at one second each. */
const DOUBT_WAIT_MS = 8500

export const createNeighbourSweep = (
  context: ScanContext,
  { links, c, isWanted }: SweepOptions & { links: Links; c: Libc },
): Sweep => {
  const { plan, targets, findings, reporter, signal } = context
  const fits = links.count <= FITS_AT_ONCE
  const startedAtMs = performance.now()

  /** Stale entries that are not confirmed yet. */
  const doubtful = new Set<number>()
  let table: NeighbourTable | undefined
  let lookedAtMs = 0
  const look = (pinger: Pinger): void => {
    const now = performance.now()
    if (now - lookedAtMs < (fits ? LOOK_EVERY_MS : LOOK_AT_LARGE_EVERY_MS)) return
    lookedAtMs = now
    table = readNeighbours(c, targets)
    const known = new Set(table?.neighbours.map(({ index }) => index))
    // The kernel has removed the entry: the probe failed.
    for (const index of doubtful) if (!known.has(index)) doubtful.delete(index)
    for (const { index, mac, heardMsAgo, isDoubtful } of table?.neighbours ?? []) {
      if (!links.of(index)) continue
      // A confirmation before the start of the scan does not count: the host may have left since.
      const isHeard = heardMsAgo !== undefined && heardMsAgo <= now - startedAtMs
      if (isHeard || !isDoubtful) {
        pinger.ask(index)
        findings.arp(index, mac, 'neighbour')
        doubtful.delete(index)
      } else if (!findings.isSeen(index)) {
        pinger.ask(index)
        doubtful.add(index)
        findings.rememberMac(index, mac, 'neighbour')
      }
    }
  }

  return {
    name: 'neighbours',
    // The kernel tries three times by itself.
    passes: links.count > 0 ? 1 : 0,
    close: () => {},
    run: async ({ from, onPlace }) => {
      const toucher = createToucher(c, targets)
      const pinger = createPinger(context, c)
      const pacer = createPacer(fits ? plan.probesPerSecond : Math.min(SAFE_PER_SECOND, plan.probesPerSecond))
      const tick = (): void => {
        look(pinger)
        pinger.tick()
      }
      const close = (): void => {
        toucher.close()
        pinger.close()
      }
      const finishUp = async (): Promise<void> => {
        const began = performance.now()
        const isResolved = (): boolean => lookedAtMs > began && table?.unresolved === 0 && pinger.isOver()
        await wait(fits ? LAST_WAIT_MS : LAST_WAIT_OF_LARGE_MS, { signal, onTick: tick, isOver: isResolved })
        const isSure = (): boolean => [...doubtful].every((index) => findings.isSeen(index)) && pinger.isOver()
        await wait(doubtful.size > 0 ? DOUBT_WAIT_MS : 1000, { signal, onTick: tick, isOver: isSure })
      }
      try {
        await runProbeLoop({
          from,
          size: targets.size,
          pacer,
          signal,
          reporter,
          wants: (index) => targets.has(index) && links.of(index) !== undefined && isWanted(index),
          send: (index) => {
            if (!fits && (table?.unresolved ?? 0) >= MOST_UNRESOLVED) return 'later'
            return toucher.touch(index) ? 'sent' : 'starved'
          },
          onTick: (place) => {
            tick()
            onPlace(place)
          },
        })
      } catch (error) {
        close()
        throw error
      }
      const rest = finishUp().finally(close)
      // Retries run in the background; the other hosts need not wait for them.
      if (plan.type === 'quick' || !fits) return rest
      context.backgroundProbes.add(rest)
      await wait(FIRST_WAIT_MS, { signal, onTick: () => {} })
    },
  }
}

/** Finds living hosts by ping, wherever they are. */

import type { ScanContext } from '../scan-context.ts'
import type { Libc } from '../sys/libc.ts'
import { leavesOutEmptyBlocks } from './empty-blocks.ts'
import { type IcmpSocket, openIcmpSocket } from './icmp-socket.ts'
import { createPacer } from './pacer.ts'
import { createPasses } from './passes.ts'
import { runProbeLoop, wait } from './probe-loop.ts'
import type { Sweep, SweepOptions } from './sweep.ts'

/** An answer that took longer comes too late for the last pass, and counts if it was to an earlier one. */
const LAST_WAIT_MS = 1000
const WAIT_BOUNDS = { leastMs: 150, mostMs: 1000 }
export type IcmpSweepOptions = SweepOptions & {
  readonly c: Libc
  /** Continues until a pass finds no new host, up to a limit. */
  readonly isThorough: boolean
  readonly perSecond: number
}

export const createIcmpSweep = (context: ScanContext, options: IcmpSweepOptions): Sweep => {
  const { targets, findings, reporter, roundTrip, signal } = context
  const { c, tries, isThorough, isWanted } = options
  const pacer = createPacer(options.perSecond)
  const empty = leavesOutEmptyBlocks(context)
  let socket: IcmpSocket | undefined
  const passes = createPasses(context, { tries, isThorough, pacer })

  return {
    name: 'icmp',
    get passes() {
      return passes.count()
    },
    close: () => socket?.close(),
    run: async ({ pass, from, onPlace }) => {
      const before = findings.up.count()
      socket ??= openIcmpSocket(c, targets, (index, rttMs, ttl) => {
        roundTrip.add(rttMs)
        findings.ping(index, rttMs, ttl)
      })
      if (socket === undefined) return
      const { send, drain } = socket
      await empty.run(pass, async (isTried, isRest) => {
        await runProbeLoop({
          from: isRest ? 0 : from,
          size: targets.size,
          pacer,
          signal,
          reporter,
          wants: (index) => targets.has(index) && isWanted(index) && isTried(index),
          send: (index) => (send(index) ? 'sent' : 'starved'),
          onTick: (place) => {
            drain()
            onPlace(place)
          },
        })
        const isLast = pass >= passes.count() - 1
        const waitMs = isLast ? LAST_WAIT_MS : (roundTrip.timeoutMs(WAIT_BOUNDS) ?? LAST_WAIT_MS)
        await wait(waitMs, { signal, onTick: drain })
      })
      passes.after(pass, before)
    },
  }
}

/** Pings hosts that are known to be there, for their round trip and hop count; each a few times until it answers. */

import type { ScanContext } from '../scan-context.ts'
import { createBitset } from '../sys/bitset.ts'
import type { Libc } from '../sys/libc.ts'
import { openIcmpSocket } from './icmp-socket.ts'
import { createPacer } from './pacer.ts'

export type Pinger = {
  /** Again does nothing. */
  readonly ask: (index: number) => void
  /** Sends due requests and reads replies. */
  readonly tick: () => void
  /** Every host has answered or has had its tries. */
  readonly isOver: () => boolean
  readonly close: () => void
}

const TRIES = 2
const FIRST_WAIT_MS = 400
const WAIT_BOUNDS = { leastMs: 150, mostMs: 1000 }

type Asked = { readonly index: number; left: number; dueAtMs: number }

/** Returns a pinger that does nothing if pings are not permitted. */
export const createPinger = (context: ScanContext, c: Libc): Pinger => {
  const { targets, findings, roundTrip, plan, privilege, reporter } = context
  const socket = privilege.icmp
    ? openIcmpSocket(c, targets, (index, rttMs, ttl) => {
        roundTrip.add(rttMs)
        findings.ping(index, rttMs, ttl)
        waiting.delete(index)
      })
    : undefined
  const waiting = new Map<number, Asked>()
  const asked = createBitset(targets.size)
  const pacer = createPacer(plan.probesPerSecond)

  const sendDue = (now: number): void => {
    let left = pacer.take()
    for (const one of waiting.values()) {
      if (left === 0) break
      if (one.dueAtMs > now) continue
      if (one.left === 0) {
        waiting.delete(one.index)
        continue
      }
      if (!socket?.send(one.index)) break
      reporter.probed(1)
      one.left--
      one.dueAtMs = now + (roundTrip.timeoutMs(WAIT_BOUNDS) ?? FIRST_WAIT_MS)
      left--
    }
    pacer.giveBack(left)
  }

  return {
    ask: (index) => {
      if (socket && targets.has(index) && asked.add(index)) waiting.set(index, { index, left: TRIES, dueAtMs: 0 })
    },
    tick: () => {
      socket?.drain()
      if (waiting.size > 0) sendDue(performance.now())
    },
    isOver: () => waiting.size === 0,
    close: () => {
      waiting.clear()
      socket?.close()
    },
  }
}

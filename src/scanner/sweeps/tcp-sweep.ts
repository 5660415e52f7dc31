/** Finds hosts by TCP: an open port proves a host, and so does a refused connection. Needs no privilege. */

import type { ScanContext } from '../scan-context.ts'
import { createPacer } from './pacer.ts'
import { runProbeLoop, wait } from './probe-loop.ts'
import type { Sweep, SweepOptions } from './sweep.ts'

/** The likeliest ports first. Each is tried only on hosts that were silent on the earlier ones. */
export const TELLING_PORTS: readonly number[] = [443, 22, 80, 445, 3389]

const MOST_AT_ONCE = 2048
const LEAST_TIMEOUT_MS = 250

export const createTcpSweep = (context: ScanContext, { tries, isWanted }: SweepOptions): Sweep => {
  const { plan, targets, findings, reporter, roundTrip, signal } = context
  const pacer = createPacer(plan.probesPerSecond)
  return {
    name: 'tcp',
    // The first port twice at the end of the list is the second try for a network that loses packets.
    passes: TELLING_PORTS.length + tries - 1,
    close: () => {},
    run: async ({ pass, from, onPlace }) => {
      const port = TELLING_PORTS[pass % TELLING_PORTS.length] ?? 443
      const connector = context.openConnector(MOST_AT_ONCE)
      const bounds = { leastMs: LEAST_TIMEOUT_MS, mostMs: plan.probeTimeoutMs }
      const timeoutMs = roundTrip.timeoutMs(bounds) ?? plan.probeTimeoutMs
      let isStarved = false
      const send = (index: number) => {
        if (connector.active() >= connector.capacity()) return 'later'
        isStarved = false
        connector.connect({
          index,
          port,
          timeoutMs,
          onResult: (result, ms) => {
            if (result === 'not-sent') isStarved = true
            else if (result !== 'silent') {
              roundTrip.add(ms)
              findings.tcp(index, result, port)
            }
          },
        })
        return isStarved ? 'starved' : 'sent'
      }
      try {
        await runProbeLoop({
          from,
          size: targets.size,
          pacer,
          signal,
          reporter,
          wants: (index) => targets.has(index) && isWanted(index),
          send,
          onTick: (place) => {
            connector.poll()
            onPlace(place)
          },
          starvation: 'this machine is out of sockets',
        })
        const isOver = (): boolean => connector.active() === 0
        await wait(timeoutMs + 50, { signal, onTick: connector.poll, isOver })
      } finally {
        connector.close()
      }
    },
  }
}

/** Finds the hosts of a large, directly connected network by sending ARP requests itself. Needs CAP_NET_RAW. */

import type { ScanContext } from '../scan-context.ts'
import type { Libc } from '../sys/libc.ts'
import { type ArpSocket, openArpSocket } from './arp-socket.ts'
import { leavesOutEmptyBlocks } from './empty-blocks.ts'
import type { Link, Links } from './links.ts'
import { createPacer } from './pacer.ts'
import { createPasses } from './passes.ts'
import { createPinger } from './pinger.ts'
import { runProbeLoop, wait } from './probe-loop.ts'
import type { Sweep, SweepOptions } from './sweep.ts'

const WAIT_MS = 500
/** The wait for the last found hosts to answer a ping. */
const PING_WAIT_MS = 1500

export const createArpSweep = (
  context: ScanContext,
  { links, c, tries, isWanted }: SweepOptions & { links: Links; c: Libc },
): Sweep => {
  const { plan, targets, findings, reporter, signal } = context
  const pacer = createPacer(plan.probesPerSecond)
  const passes = createPasses(context, { tries, isThorough: plan.type === 'deep', pacer })
  const empty = leavesOutEmptyBlocks(context)
  return {
    name: 'arp',
    get passes() {
      return passes.count()
    },
    close: () => {},
    run: async ({ pass, from, onPlace }) => {
      const before = findings.up.count()
      const pinger = createPinger(context, c)
      const sockets = new Map<Link, ArpSocket>()
      for (const link of links.all) {
        const onReply = ({ index, mac }: { index: number; mac: string }): void => {
          pinger.ask(index)
          findings.arp(index, mac, 'arp')
        }
        const socket = openArpSocket(c, { targets, link, onReply })
        if (socket) sockets.set(link, socket)
      }
      const tick = (): void => {
        for (const socket of sockets.values()) socket.drain()
        pinger.tick()
      }
      try {
        await empty.run(pass, (isTried, isRest) =>
          runProbeLoop({
            from: isRest ? 0 : from,
            size: targets.size,
            pacer,
            signal,
            reporter,
            wants: (index) => targets.has(index) && links.of(index) !== undefined && isWanted(index) && isTried(index),
            send: (index) => {
              const link = links.of(index)
              const socket = link && sockets.get(link)
              return socket?.send(index) ? 'sent' : 'starved'
            },
            onTick: (place) => {
              tick()
              onPlace(place)
            },
          }).then(() => wait(WAIT_MS, { signal, onTick: tick })),
        )
        passes.after(pass, before)
        await wait(PING_WAIT_MS, { signal, onTick: tick, isOver: pinger.isOver })
      } finally {
        for (const socket of sockets.values()) socket.close()
        pinger.close()
      }
    },
  }
}

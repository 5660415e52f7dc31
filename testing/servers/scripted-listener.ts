/** A scripted listener in place of a process that hears packets, on a machine with a link to 127.0.0.0/9. */
import type { Listening } from '../../src/discovery/listening/listener.ts'
import type { ListenProcess, ScanEnd } from '../../src/scanner/process.ts'
import type { FoundHost } from '../../src/scanner/protocol.ts'
import type { FromListener, ListenPlan } from '../../src/scanner/wire.ts'
import { until } from '../until.ts'

const LINK = { internal: false, cidr: '127.0.0.1/9' }

type Started = {
  plan: ListenPlan
  readonly onMessage: (message: FromListener) => Promise<void>
  readonly end: (end: ScanEnd) => void
}

export const scriptedListener = () => {
  const running = new Set<Started>()
  let starts = 0
  const start: Listening['start'] = (plan, onMessage): ListenProcess => {
    const { promise, resolve } = Promise.withResolvers<ScanEnd>()
    const one: Started = {
      plan,
      onMessage,
      end: (end) => {
        running.delete(one)
        resolve(end)
      },
    }
    running.add(one)
    starts++
    return {
      update: (next) => {
        one.plan = next
      },
      stop: () => one.end({ result: 'cancelled', message: '' }),
      ended: promise,
      pid: 1,
    }
  }
  const find = (networkId: string): Started | undefined =>
    [...running].find(({ plan }) => plan.networks.some(({ network_id }) => network_id === networkId))
  return {
    listening: { start, interfaces: () => ({ lo: [LINK] }) } satisfies Listening,
    count: () => ({ running: running.size, starts }),
    /** Returns the networks that are listened to now. */
    networks: () => [...running].flatMap(({ plan }) => plan.networks),
    /** Waits until the network is listened to. */
    find: (networkId: string): Promise<Started> => until('a listener of the network', () => find(networkId)),
    /** Reports hosts, and waits until they are stored. */
    hear: async (networkId: string, hosts: readonly FoundHost[]): Promise<void> => {
      const { onMessage } = await until('a listener', () => [...running][0])
      await onMessage({ type: 'sightings', sightings: [{ network_id: networkId, hosts }] })
    },
  }
}
export type ScriptedListener = ReturnType<typeof scriptedListener>

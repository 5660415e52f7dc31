/** Listens where the process may open no AF_PACKET socket: multicast DNS and SSDP by their groups, and the neighbor table. */
import { createSocket, type Socket } from 'node:dgram'
import { readNeighbours } from '../sweeps/neighbours.ts'
import type { Libc } from '../sys/libc.ts'
import type { Heard } from './frames.ts'
import type { ListenedLink } from './listened-links.ts'

const GROUPS = [
  { port: 5353, group: '224.0.0.251', source: 'mdns', detail: 'sent multicast DNS' },
  { port: 1900, group: '239.255.255.250', source: 'udp', detail: 'sent SSDP' },
] as const

/** Entries of the neighbor table count if the host was heard within this time. */
export const LOOK_EVERY_MS = 10_000

export type PlainSources = {
  /** Joins the groups on these interfaces, and leaves the others. */
  readonly listenOn: (links: readonly ListenedLink[]) => void
  readonly close: () => void
}

const openGroup = (
  { port, group, source, detail }: (typeof GROUPS)[number],
  links: readonly ListenedLink[],
  onHeard: (heard: Heard) => void,
): Socket => {
  const socket = createSocket({ type: 'udp4', reuseAddr: true })
  // Another program may have the port for itself.
  socket.on('error', () => {})
  socket.on('message', (message, { address }) => {
    const heard = { ip: address, mac: '', macSource: '', source, detail } as const
    const isResponse = port === 5353 && message.length >= 12 && ((message[2] ?? 0) & 0x80) !== 0
    onHeard(isResponse ? { ...heard, mdns: message } : heard)
  })
  socket.bind(port, () => {
    for (const address of links.flatMap(({ addresses }) => addresses))
      try {
        socket.addMembership(group, address)
      } catch {
        // The interface went away, or takes no multicast.
      }
  })
  return socket
}

export const createPlainSources = (onHeard: (heard: Heard) => void): PlainSources => {
  let sockets: Socket[] = []
  const close = (): void => {
    for (const socket of sockets) socket.close()
    sockets = []
  }
  return {
    listenOn: (links) => {
      close()
      if (links.length > 0) sockets = GROUPS.map((one) => openGroup(one, links, onHeard))
    },
    close,
  }
}

/** Reads the hosts that the kernel has heard of since the last look. */
export const readHeardNeighbours = (c: Libc, links: readonly ListenedLink[]): Heard[] =>
  links
    .flatMap(({ networks }) => networks)
    .flatMap(({ targets }) =>
      (readNeighbours(c, targets)?.neighbours ?? []).flatMap(({ index, mac, heardMsAgo, isDoubtful }) => {
        const isHeard = heardMsAgo === undefined ? !isDoubtful : heardMsAgo <= LOOK_EVERY_MS
        const detail = 'is in the neighbor table'
        return isHeard
          ? [{ ip: targets.formatAddress(index), mac, macSource: 'neighbour', source: 'arp', detail } as const]
          : []
      }),
    )

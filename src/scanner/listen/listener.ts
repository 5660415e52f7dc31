/**
 * Listens on the links of networks, and tells which hosts it hears. With AF_PACKET sockets it blocks in poll(2), which wakes it for a
 * frame at once and costs nothing between two; the event loop, which reads the pipe of the parent, has its turn after each.
 */
import { fullGC } from 'bun:jsc'
import { networkInterfaces } from 'node:os'
import type { FoundName } from '../protocol.ts'
import { readMdns } from '../services/mdns.ts'
import { canSendArp } from '../sweeps/arp-socket.ts'
import { getInterfaceNumber } from '../sweeps/links.ts'
import { type Libc, openLibc } from '../sys/libc.ts'
import { openVendors } from '../sys/vendors.ts'
import type { FromListener, ListenPlan } from '../wire.ts'
import { type Heard, readFrame } from './frames.ts'
import { findListenedLinks, type ListenedLink, type ListenedLinks, selectNetworks } from './listened-links.ts'
import { createWait, openPacketSocket, type PacketSocket } from './packet-socket.ts'
import { createPlainSources, LOOK_EVERY_MS, readHeardNeighbours } from './plain-sources.ts'
import { createRepeatFilter } from './repeats.ts'
import { createSightingTable } from './sighting-table.ts'

export type Listener = {
  /** Listens to these networks in place of the earlier ones. */
  readonly update: (plan: ListenPlan) => void
  /** The last sightings are handled: the next may be told. */
  readonly ack: () => void
}

/** The longest block. A message of the parent, and its end, wait for it. */
const BLOCK_MS = 250
/** The block while sightings are due, or on their way. */
const SHORT_BLOCK_MS = 10
/** Frames that follow each other faster are read together. */
const TOGETHER_MS = 10
const MAX_FRAMES_AT_ONCE = 1024
/** Frames between two looks at the interfaces after which garbage is collected. */
const FRAMES_BEFORE_COLLECTING = 10_000
/** The longest message of multicast DNS (RFC 6762 section 17), and its headers. */
const FRAME_BYTES = 9216
/** Messages of multicast DNS that are decoded in a second: each may take milliseconds. */
const MAX_DECODED_PER_SECOND = 50

type OpenLink = {
  readonly link: ListenedLink
  readonly number: number
  readonly socket: PacketSocket
  readonly isRepeat: ReturnType<typeof createRepeatFilter>
}

const createDecoder = (): ((message: Buffer, ip: string) => FoundName | undefined) => {
  let [second, decoded] = [0, 0]
  return (message, ip) => {
    const now = Math.floor(performance.now() / 1000)
    if (now !== second) [second, decoded] = [now, 0]
    if (++decoded > MAX_DECODED_PER_SECOND) return undefined
    try {
      const name = readMdns(message, ip)?.name ?? ''
      return name === '' ? undefined : { name, source: 'mdns' }
    } catch {
      // Made to be unreadable; as good as none.
      return undefined
    }
  }
}

export const openListener = (send: (message: FromListener) => void): Listener => {
  let plan: ListenPlan | undefined
  let isChanged = false
  let isAcknowledged = true
  const ask = Promise.withResolvers<void>()

  const run = async (): Promise<void> => {
    const c = openLibc()
    const isRaw = c !== undefined && canSendArp(c)
    const table = createSightingTable(await openVendors())
    const decode = createDecoder()
    const buffer = Buffer.alloc(FRAME_BYTES)
    let listened: ListenedLinks = { links: [], isOwn: () => false }
    let open: OpenLink[] = []
    let waitForFrame: ReturnType<typeof createWait> = () => {}
    let frames = 0
    let lookedMs = Number.NEGATIVE_INFINITY
    let frameMs = Number.NEGATIVE_INFINITY

    const hear = (heard: Heard, links: readonly ListenedLink[]): void => {
      if (listened.isOwn(heard.ip) || listened.isOwn(heard.mac)) return
      if (heard.name?.source === 'dhcp') table.nameClient(heard.mac, heard.name)
      if (heard.ip === '') return
      const networks = selectNetworks(
        links.flatMap((link) => link.networks),
        heard.ip,
      )
      if (networks.length === 0) return
      const name = heard.mdns && decode(heard.mdns, heard.ip)
      const ids = networks.map(({ id }) => id)
      table.hear(name ? { ...heard, name } : heard, ids, performance.now())
    }
    const plain = isRaw ? undefined : createPlainSources((heard) => hear(heard, listened.links))

    /** Looks at the interfaces: they may have come, gone, or have other addresses. */
    const look = (networks: ListenPlan): void => {
      const isNewPlan = isChanged
      isChanged = false
      lookedMs = performance.now()
      // The engine itself collects only after many megabytes.
      if (frames > FRAMES_BEFORE_COLLECTING) fullGC()
      frames = 0
      const before = describeLinks(listened)
      listened = findListenedLinks(networks, networkInterfaces())
      const all = listened.links.flatMap((link) => link.networks)
      if (isNewPlan)
        table.keepOnly((id, ip) => all.some((one) => one.id === id && one.targets.indexOf(ip) !== undefined))
      if (c && isRaw) {
        open = reopen(c, open, listened.links)
        waitForFrame = createWait(
          c,
          open.map(({ socket }) => socket),
        )
      } else if (describeLinks(listened) !== before) plain?.listenOn(listened.links)
      if (c && !isRaw) for (const heard of readHeardNeighbours(c, listened.links)) hear(heard, listened.links)
    }

    const tell = (): void => {
      if (!isAcknowledged || !table.isDue()) return
      const sightings = table.take(performance.now())
      if (sightings.length === 0) return
      isAcknowledged = false
      send({ type: 'sightings', sightings })
    }

    /** @returns true if there were frames */
    const readFrames = (nowMs: number): boolean => {
      let count = 0
      for (const { link, socket, isRepeat } of open)
        for (let i = 0; i < MAX_FRAMES_AT_ONCE; i++, count++) {
          const length = socket.receive(buffer)
          if (length < 0) break
          if (isRepeat(buffer, length, nowMs)) continue
          const heard = readFrame(buffer.subarray(0, length))
          if (heard) hear(heard, [link])
        }
      frames += count
      return count > 0
    }

    send({ type: 'ready', isRaw })
    for (;;) {
      if (plan && (isChanged || performance.now() - lookedMs >= LOOK_EVERY_MS)) look(plan)
      tell()
      const isBusy = !isAcknowledged || table.isDue()
      if (!c || open.length === 0) {
        await Bun.sleep(isBusy ? SHORT_BLOCK_MS : BLOCK_MS)
        continue
      }
      // Messages leave before the block.
      await Bun.sleep(0)
      waitForFrame(isBusy ? SHORT_BLOCK_MS : BLOCK_MS)
      const now = performance.now()
      if (!readFrames(now)) continue
      tell()
      if (now - frameMs < TOGETHER_MS) await Bun.sleep(TOGETHER_MS)
      frameMs = now
    }
  }

  void ask.promise.then(run).catch((error: unknown) => {
    send({ type: 'failed', message: error instanceof Error ? `${error.name}: ${error.message}` : 'unknown fault' })
  })

  return {
    update: (next) => {
      plan = next
      isChanged = true
      ask.resolve()
    },
    ack: () => {
      isAcknowledged = true
    },
  }
}

/** Returns a text of the interfaces and their addresses, to compare. */
const describeLinks = ({ links }: ListenedLinks): string =>
  JSON.stringify(links.map(({ name, addresses }) => [name, addresses]))

/** Keeps the sockets of interfaces that are still there, and opens and closes the others. */
const reopen = (c: Libc, open: readonly OpenLink[], links: readonly ListenedLink[]): OpenLink[] => {
  const kept = links.flatMap((link): OpenLink[] => {
    const number = getInterfaceNumber(c, link.name)
    const before = open.find((one) => one.number === number)
    if (before) return [{ ...before, link }]
    const socket = number === 0 ? undefined : openPacketSocket(c, number)
    return socket ? [{ link, number, socket, isRepeat: createRepeatFilter() }] : []
  })
  for (const { number, socket } of open) if (!kept.some((one) => one.number === number)) socket.close()
  return kept
}

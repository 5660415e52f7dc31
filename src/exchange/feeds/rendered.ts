/** The content of a feed, piece by piece, and the parts that its format leaves out. */
import type { Owner } from '../../base/jobs/fair-lane.ts'
import { streamZoneFile } from '../../dns/zones/file.ts'
import type { Ctx } from '../../kernel/ctx.ts'
import type { Templates } from '../../template/process.ts'
import type { Write } from '../../template/protocol.ts'
import { type Filtered, filterDevices, type Places } from './filtered.ts'
import { type FeedDevice, type FeedNetwork, getFeedNames, type Skip } from './formats/format.ts'
import { WRITERS } from './formats/formats.ts'
import { findNamedKinds, sendKinds } from './kinds.ts'
import type { Feed } from './schema.ts'

/** A feed, or a draft of one. */
export type Rendered = Omit<Feed, 'created_at' | 'updated_at' | 'url'>

export type Watch = {
  readonly onDevices?: (count: number) => void
  readonly onSkip?: Skip
}

const encoder = new TextEncoder()

type Visible = Pick<Places, 'networks' | 'datacenters' | 'networkOf'>

/** Networks and datacenters are sent once. Devices name them by id, and their main address by its place. */
const buildDocument = ({ device, addresses }: FeedDevice, { networkOf }: Visible): object => {
  const main = addresses.findIndex(({ isMain }) => isMain)
  return {
    ...device,
    datacenter: device.datacenter_id,
    main: main === -1 ? null : main,
    addresses: addresses.map((one) => {
      const { own, domains } = getFeedNames(device, one)
      const names = [...(own === '' ? [] : [own]), ...domains]
      return { ...one.address, names, network: networkOf(one.address)?.id ?? null }
    }),
  }
}

/**
 * Returns the networks and datacenters that a template sees: all that the caller may list. Of the others, it sees the networks and
 * datacenters of the devices of the feed. The devices are read for this beforehand.
 */
const loadVisiblePlaces = async ({ caller }: Ctx, { places, chunks }: Filtered): Promise<Visible> => {
  const [hasNetworks, hasDatacenters] = ['networks:list', 'datacenters:list'].map((one) => caller.permissions.has(one))
  if (hasNetworks && hasDatacenters) return places
  const networks = new Set<string>()
  const datacenters = new Set<string>()
  for await (const devices of chunks())
    for (const { device, addresses } of devices) {
      if (device.datacenter_id !== null) datacenters.add(device.datacenter_id)
      for (const { address } of addresses) {
        const network = places.networkOf(address)
        if (network) networks.add(network.id)
      }
    }
  const isShown = ({ id }: FeedNetwork): boolean => hasNetworks || networks.has(id)
  return {
    networks: places.networks.filter(isShown),
    datacenters: new Map([...places.datacenters].filter(([id]) => hasDatacenters || datacenters.has(id))),
    // A device that was changed since is in a network that is not sent.
    networkOf: (address) => {
      const network = places.networkOf(address)
      return network && isShown(network) ? network : undefined
    },
  }
}

const createWriter =
  (ctx: Ctx, feed: Rendered, { all, onDevices }: { readonly all: Filtered } & Pick<Watch, 'onDevices'>): Write =>
  async (send) => {
    const places = await loadVisiblePlaces(ctx, all)
    const { template, ...own } = feed
    await send('feed', own)
    for (const network of places.networks) await send('network', network)
    for (const [id, name] of places.datacenters) await send('datacenter', { id, name })
    await sendKinds(ctx, findNamedKinds(template), send)
    for await (const devices of all.chunks()) {
      onDevices?.(devices.length)
      for (const device of devices) await send('device', buildDocument(device, places))
    }
  }

async function* reportDevices(devices: AsyncIterable<FeedDevice[]>, onDevices: (count: number) => void) {
  for await (const chunk of devices) {
    onDevices(chunk.length)
    yield chunk
  }
}

/** Renderings of different users take turns, and so do the feeds of one user. */
export const getOwner = ({ caller }: Ctx, feed: string): Owner => ({
  group: caller.userId ?? '',
  key: JSON.stringify([caller.userId, feed]),
})

export type Renderer = (ctx: Ctx, feed: Rendered, watch?: Watch) => AsyncGenerator<Uint8Array>

/** @throws AppError VALIDATION_ERROR for a template that fails, UNAVAILABLE if too many templates wait */
export const createRenderer = (templates: Templates): Renderer =>
  async function* (ctx, feed, watch = {}) {
    const { onDevices, onSkip = () => {} } = watch
    const title = `Plat feed ${feed.id}`
    if (feed.format === 'zone') {
      for await (const text of streamZoneFile(ctx, feed.zone_id ?? '', title)) yield encoder.encode(text)
      return
    }
    const all = await filterDevices(ctx, feed)
    if (feed.format === 'template') {
      const write = createWriter(ctx, feed, { all, ...watch })
      const owner = getOwner(ctx, feed.id)
      yield await templates.render({ template: feed.template, write, owner, signal: ctx.signal })
      return
    }
    const { networkOf } = all.places
    const chunks = onDevices ? reportDevices(all.chunks(), onDevices) : all.chunks()
    const parts = { chunks, feed, networkOf, title, skip: onSkip }
    for await (const text of WRITERS[feed.format](parts)) yield encoder.encode(text)
  }

/** The content of a feed, piece by piece, and the parts that its format leaves out. */
import type { Templates } from '../../template/process.ts'
import type { Write } from '../../template/protocol.ts'
import type { Ctx } from '../ctx.ts'
import { zoneFile } from '../dns-zones/file.ts'
import { type Filtered, filtered, type Places } from './filtered.ts'
import { addressNames, type FeedDevice, type Skip } from './formats/format.ts'
import { WRITERS } from './formats/formats.ts'
import type { Feed } from './schema.ts'

/** A feed, or a draft of one. */
export type Rendered = Omit<Feed, 'created_at' | 'updated_at' | 'url'>

export type Watch = {
  readonly onDevices?: (count: number) => void
  readonly onSkip?: Skip
}

const encoder = new TextEncoder()

/** Networks and datacenters are sent once. Devices name them by id, and their main address by its place. */
const documentOf = ({ device, addresses }: FeedDevice, { networkOf }: Places): object => {
  const main = addresses.findIndex(({ isMain }) => isMain)
  return {
    ...device,
    datacenter: device.datacenter_id,
    main: main === -1 ? null : main,
    addresses: addresses.map((one) => {
      const { own, domains } = addressNames(device, one)
      const names = [...(own === '' ? [] : [own]), ...domains]
      return { ...one.address, names, network: networkOf(one.address)?.id ?? null }
    }),
  }
}

const writeOf =
  (feed: Rendered, { places, chunks }: Filtered, { onDevices }: Watch): Write =>
  async (send) => {
    const { template: _, ...own } = feed
    await send('feed', own)
    for (const network of places.networks) await send('network', network)
    for (const [id, name] of places.datacenters) await send('datacenter', { id, name })
    for await (const devices of chunks()) {
      onDevices?.(devices.length)
      for (const device of devices) await send('device', documentOf(device, places))
    }
  }

async function* counted(devices: AsyncIterable<FeedDevice[]>, onDevices: (count: number) => void) {
  for await (const chunk of devices) {
    onDevices(chunk.length)
    yield chunk
  }
}

export type Renderer = (ctx: Ctx, feed: Rendered, watch?: Watch) => AsyncGenerator<Uint8Array>

/** @throws AppError VALIDATION_ERROR for a template that fails, UNAVAILABLE if too many templates wait */
export const createRenderer = (templates: Templates): Renderer =>
  async function* (ctx, feed, watch = {}) {
    const { onDevices, onSkip = () => {} } = watch
    const title = `Plat feed ${feed.id}`
    if (feed.format === 'zone') {
      for await (const text of zoneFile(ctx, feed.zone_id ?? '', title)) yield encoder.encode(text)
      return
    }
    const all = await filtered(ctx, feed)
    if (feed.format === 'template') {
      const write = writeOf(feed, all, watch)
      yield await templates.render({ template: feed.template, write, signal: ctx.signal })
      return
    }
    const { networkOf } = all.places
    const chunks = onDevices ? counted(all.chunks(), onDevices) : all.chunks()
    const parts = { chunks, feed, networkOf, title, skip: onSkip }
    for await (const text of WRITERS[feed.format](parts)) yield encoder.encode(text)
  }

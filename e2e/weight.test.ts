/** What a first visit of a page transfers: scripts, styles, fonts and answers, compressed, with an empty cache. */
import { expect, test } from 'bun:test'
import type { BrowserContext } from 'playwright-core'
import { world } from './harness.ts'

const it = world({ devices: 300 })

const KB = 1024
const MAX_BYTES = 220 * KB

type Transfer = { readonly path: string; readonly bytes: number }

/** Records the bytes of each answer as they come over the network, headers included. Workers count as well. */
const recordTransfers = (context: BrowserContext): Promise<Transfer>[] => {
  const transfers: Promise<Transfer>[] = []
  context.on('requestfinished', (request) => {
    // The changes of others, which go on after the load.
    if (request.resourceType() === 'eventsource') return
    const toTransfer = async () => {
      const { responseHeadersSize, responseBodySize } = await request.sizes()
      // The browser does not tell the size of the script of a worker.
      const length = Number((await request.response())?.headers()['content-length'] ?? 0)
      return {
        path: new URL(request.url()).pathname,
        bytes: responseHeadersSize + Math.max(responseBodySize, length),
      }
    }
    transfers.push(toTransfer())
  })
  return transfers
}

const findPath = async (page: string): Promise<string> => {
  if (page === 'a device') return `/devices/${(await it.plat.api.devices.list({ limit: 1 }))[0]?.id}`
  if (page === 'a rack') {
    const { id } = await it.plat.api.racks.create({ name: 'K1', height: 42 })
    for (let position = 1; position <= 40; position++)
      await it.plat.api.devices.create({ name: `k1-${position}`, mount: { rack_id: id, position } })
    return `/racks/${id}`
  }
  return { 'sign-in': '/login', overview: '/', devices: '/devices', networks: '/networks' }[page] ?? ''
}

test.each(['sign-in', 'overview', 'devices', 'networks', 'a device', 'a rack'])(
  'a first visit of %s transfers at most 220 KB',
  async (name) => {
    const path = await findPath(name)
    await it.visit(
      async ({ page, context, openWhole }) => {
        // The harness keeps the cache of an earlier visit.
        const debug = await context.newCDPSession(page)
        await debug.send('Network.clearBrowserCache')
        await debug.detach()
        const recorded = recordTransfers(context)
        await openWhole(path)
        const transfers = await Promise.all(recorded)
        const sum = transfers.reduce((all, { bytes }) => all + bytes, 0)
        const lines = transfers.map(({ path: one, bytes }) => `${(bytes / KB).toFixed(1)} KB ${one}`)
        // Less means that the answers were not seen.
        expect(sum).toBeGreaterThan(150 * KB)
        if (sum > MAX_BYTES) throw new Error(`${(sum / KB).toFixed(1)} KB in all:\n${lines.join('\n')}`)
      },
      name === 'sign-in' ? {} : { as: 'admin' },
    )
  },
)

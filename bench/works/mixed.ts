/** A mixed load: reads, searches, writes, allocations and lists, at a fixed rate for each caller. */
import { Connection, type RequestParts } from '../connection.ts'
import type { Side } from '../pair.ts'
import { makePool, post } from './pools.ts'

const CALLERS = 4
/** The pace of each caller, from one request to the next. */
const PACE_MS = 20
/** The name of the pool and of the webhook. */
const NAME = 'soak'

export type Asked = {
  readonly ms: number
  readonly status: number
  readonly parts: RequestParts
  readonly body: string
}

export type MixedWork = {
  /** Each caller ends with the turn after which it is. */
  readonly isOver: () => boolean
  readonly answered: (asked: Asked) => void
  /** So many changes more, of which a webhook is to be told. */
  readonly changed: (count: number) => void
}

type Ask = (parts: RequestParts) => Promise<string>

export const openCaller = async ({ port, request }: Side, answered: MixedWork['answered']) => {
  const connection = await Connection.open(port)
  const ask: Ask = async (parts) => {
    const { status, body, ms } = await connection.send(request(parts), { keepBody: true })
    answered({ ms, status, parts, body })
    return body
  }
  return { ask, close: () => connection.close() }
}

export const idOf = (body: string): string => (JSON.parse(body) as { id: string }).id

/** Creates a pool to allocate from, and a webhook for all events. */
export const prepareMixed = async (side: Side, webhookUrl: string, answered: MixedWork['answered']): Promise<void> => {
  const { ask, close } = await openCaller(side, answered)
  await makePool(ask, NAME, '172.24.0.0/16', {
    start_ip: '172.24.0.1',
    end_ip: '172.24.255.254',
  })
  const events = ['device.created', 'device.updated', 'device.deleted']
  await ask(post('/api/webhooks', { name: NAME, url: webhookUrl, events }))
  close()
}

type Turn = { readonly ask: Ask; readonly own: number; readonly n: number }

/** Ends as it began: whatever it makes it takes away. @returns how many requests it has sent */
const turn = async ({ deviceIds }: Side, { changed }: MixedWork, { ask, own, n }: Turn): Promise<number> => {
  const id = deviceIds[(n * 7919 + own) % deviceIds.length] ?? ''
  switch (n % 8) {
    case 0: {
      const made = idOf(await ask(post('/api/devices', { name: `soak ${own}-${n}`, tags: ['soak'] })))
      await ask({ method: 'DELETE', path: `/api/devices/${made}` })
      changed(2)
      return 2
    }
    case 1:
      await ask({ method: 'PUT', path: `/api/devices/${id}`, body: JSON.stringify({ description: `turn ${n}` }) })
      changed(1)
      return 1
    case 2: {
      const given = await ask(post(`/api/pools/${NAME}/allocate`, {}))
      const [made] = (JSON.parse(given) as { reservations?: { id: string }[] }).reservations ?? []
      if (!made) return 1
      await ask({ method: 'DELETE', path: `/api/reservations/${made.id}` })
      return 2
    }
    case 3:
      await ask({ path: `/api/devices/search?limit=50&q=${id.slice(0, 6)}` })
      return 1
    case 4:
      await ask({ path: '/api/devices?limit=50&tags=production' })
      return 1
    case 5:
      await ask({ path: '/api/networks?include=utilization' })
      return 1
    default:
      await ask({ path: `/api/devices/${id}` })
      return 1
  }
}

/** All callers at once, until it is over; each goes on with its turns where it ended the last time. */
export const mixedWork = (side: Side) => {
  const turns: number[] = Array(CALLERS).fill(0)
  const call = async (own: number, work: MixedWork): Promise<void> => {
    const { ask, close } = await openCaller(side, work.answered)
    while (!work.isOver()) {
      const startMs = performance.now()
      const n = turns[own] ?? 0
      turns[own] = n + 1
      const sent = await turn(side, work, { ask, own, n })
      await Bun.sleep(Math.max(0, startMs + sent * PACE_MS - performance.now()))
    }
    close()
  }
  return async (work: MixedWork): Promise<void> => {
    await Promise.all(turns.map((_, own) => call(own, work)))
  }
}

/**
 * kill -9 while messages are composed and sent, repeatedly: every event is in exactly one message, and a repeated message is identical.
 */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { z } from 'zod'
import { type ServerChild, type ServerFolder, serverFolder } from '../../testing/app/server-child.ts'
import { type Receiver, startReceiver } from '../../testing/receiver.ts'
import { until } from '../../testing/until.ts'

/** 2 in `npm test`, 200 in `npm run test:crash`. */
const ROUNDS = Number(process.env.PLAT_CRASH_ROUNDS || 2)
const ROUND_TIMEOUT_MS = 12_000
const WRITERS = 4
/** The number of messages that have arrived in a round when the server is killed: different points of the work. */
const messagesOf = (round: number) => 1 + ((round * 7) % 5)

let folder: ServerFolder
let to: Receiver
beforeAll(async () => {
  folder = await serverFolder({ RATE_LIMIT_ENABLED: 'false' })
  to = await startReceiver()
})
afterAll(async () => {
  await folder.remove()
  await to.close()
})

const send = async (url: string, http: string, body?: object): Promise<unknown> => {
  const [method = '', path = ''] = http.split(' ')
  const headers = { Authorization: `Bearer ${folder.key}`, 'Content-Type': 'application/json' }
  const response = await fetch(url + path, { method, headers, ...(body ? { body: JSON.stringify(body) } : {}) })
  const text = await response.text()
  if (!response.ok) throw new Error(`refused: ${text}`)
  return JSON.parse(text)
}

const Created = z.object({ id: z.string() })

/** Returns false if the server was killed before it answered. */
const create = async (url: string, name: string, tag: string): Promise<boolean> => {
  try {
    Created.parse(await send(url, 'POST /api/devices', { name, tags: [tag] }))
    return true
  } catch (error) {
    if (error instanceof Error && error.message.startsWith('refused')) throw error
    return false
  }
}

/** Writes devices of a tag, with a channel of their own, until the server is killed amid messages. @returns the id of the channel */
const round = async (number: number, { url, kill }: ServerChild): Promise<string> => {
  const tag = `round-${number}`
  const draft = { format: 'ntfy', group_seconds: 0, max_per_hour: 1000, retry_count: 10, filter: { tags: [tag] } }
  const hook = { ...draft, name: tag, url: to.url(`/${tag}/topic`), events: ['device.created'] }
  const { id } = Created.parse(await send(url, 'POST /api/webhooks', hook))
  // Messages of earlier rounds may arrive as well.
  const arrived = () => to.received.filter(({ path }) => path === `/${tag}/`).length
  const write = async (writer: number): Promise<void> => {
    for (let n = 0; await create(url, `r${number}w${writer}-${n}.`, tag); n++);
  }
  const writers = Promise.all(Array.from({ length: WRITERS }, (_, writer) => write(writer)))
  await until('some messages', () => arrived() >= messagesOf(number) || undefined)
  await kill()
  await writers
  return id
}

const Message = z.object({ title: z.string(), message: z.string() })
const Deliveries = z.array(z.object({ id: z.string(), status: z.string(), payload: Message }))

/** Returns the number of devices that a message tells of. */
const countObjects = ({ title }: z.output<typeof Message>): number => Number(/\((\d+)\)$/.exec(title)?.[1] ?? 1)

test(
  `after ${ROUNDS} kills, every event is in exactly one message`,
  async () => {
    const channels: string[] = []
    let server = await folder.start({ reachesReceivers: true })
    for (let number = 0; number < ROUNDS; number++) {
      channels.push(await round(number, server))
      server = await folder.start({ reachesReceivers: true })
    }
    const ids: string[] = []
    for (const [number, channel] of channels.entries()) {
      const deliveries = await until('the end of all deliveries', async () => {
        await send(server.url, `POST /api/webhooks/${channel}/flush`)
        const all = Deliveries.parse(await send(server.url, `GET /api/webhooks/${channel}/deliveries`))
        return all.every(({ status }) => status === 'success') ? all : undefined
      })
      const devices = z.array(z.unknown()).parse(await send(server.url, `GET /api/devices?tags=round-${number}`))
      const messages = deliveries.map(({ payload }) => payload)
      expect(messages.reduce((sum, message) => sum + countObjects(message), 0)).toBe(devices.length)
      const names = messages.flatMap(({ message }) => message.match(/r\d+w\d+-\d+\./g) ?? [])
      expect(names.length).toBeGreaterThan(0)
      expect(new Set(names).size).toBe(names.length)
      ids.push(...deliveries.map(({ id }) => id))
    }
    // A repeated message has the same id and the same bytes.
    const bytes = new Map<string, Set<string>>()
    for (const { headers, body } of to.received) {
      const id = String(headers['x-service-delivery'])
      bytes.set(id, (bytes.get(id) ?? new Set()).add(body))
    }
    expect([...bytes.values()].filter((bodies) => bodies.size > 1)).toEqual([])
    expect([...bytes.keys()].sort()).toEqual(ids.sort())
    expect(await server.stop()).toBe(0)
  },
  Math.max(120_000, ROUNDS * ROUND_TIMEOUT_MS),
)

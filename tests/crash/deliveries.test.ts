/**
 * kill -9 under load, repeatedly: every acknowledged change reaches its webhook, and a repeated delivery is identical.
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
/** The number of acknowledged writes after which a round ends, amid others. */
const writesOf = (round: number) => 10 + ((round * 37) % 90)

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

const Named = z.object({ id: z.string() })

/** Returns undefined if the server was killed before it answered. */
const create = async (url: string, path: string, body: object): Promise<string | undefined> => {
  const headers = { Authorization: `Bearer ${folder.key}`, 'Content-Type': 'application/json' }
  const response = await fetch(url + path, { method: 'POST', headers, body: JSON.stringify(body) }).catch(
    () => undefined,
  )
  if (!response) return undefined
  const text = await response.text().catch(() => undefined)
  if (text === undefined) return undefined
  if (!response.ok) throw new Error(`refused: ${text}`)
  return Named.parse(JSON.parse(text)).id
}

const round = async (number: number, { url, kill }: ServerChild, acked: Set<string>): Promise<void> => {
  const wanted = acked.size + writesOf(number)
  const write = async (writer: number): Promise<void> => {
    for (let n = 0; ; n++) {
      const id = await create(url, '/api/devices', { name: `r${number}w${writer}-${n}` })
      if (id === undefined) return
      acked.add(id)
    }
  }
  const writers = Array.from({ length: WRITERS }, (_, writer) => write(writer))
  const enough = new Promise<void>((resolve) => {
    const look = () => (acked.size >= wanted ? resolve() : setImmediate(look))
    look()
  })
  await Promise.race([enough, Promise.all(writers)])
  await kill()
  await Promise.all(writers)
}

const Body = z.object({ delivery_id: z.string(), data: Named })

test(
  `after ${ROUNDS} kills under load, every acknowledged change is delivered`,
  async () => {
    const acked = new Set<string>()
    let server = await folder.start({ reachesReceivers: true })
    await create(server.url, '/api/webhooks', { name: 'all', url: to.url('/all'), events: ['device.created'] })
    for (let number = 0; number < ROUNDS; number++) {
      await round(number, server, acked)
      server = await folder.start({ reachesReceivers: true })
    }
    const told = () => new Set(to.received.map(({ body }) => Body.parse(JSON.parse(body)).data.id))
    const missing = () => {
      const known = told()
      return [...acked].filter((id) => !known.has(id))
    }
    await until('a delivery of each', () => (missing().length === 0 ? true : undefined)).catch(() => {})
    expect(missing()).toEqual([])
    expect(acked.size).toBeGreaterThan(ROUNDS * 10)

    const bytes = new Map<string, Set<string>>()
    for (const { body } of to.received) {
      const { delivery_id } = Body.parse(JSON.parse(body))
      bytes.set(delivery_id, (bytes.get(delivery_id) ?? new Set()).add(body))
    }
    expect([...bytes.values()].filter((bodies) => bodies.size > 1)).toEqual([])
    // Each change has one delivery, regardless of the attempts.
    expect(bytes.size).toBe(told().size)
    expect(await server.stop()).toBe(0)
  },
  Math.max(120_000, ROUNDS * ROUND_TIMEOUT_MS),
)

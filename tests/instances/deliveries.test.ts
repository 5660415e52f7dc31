// Two instances on one PostgreSQL send the deliveries of one object in the order of its events.
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import type { ServerResponse } from 'node:http'
import { type TestApp, type TestCaller, testApp } from '../../testing/app/app.ts'
import { type ServerChild, type ServerFolder, serverFolder } from '../../testing/app/server-child.ts'
import { testAll } from '../../testing/cases.ts'
import { follow } from '../../testing/feed.ts'
import { type Receiver, startReceiver } from '../../testing/receiver.ts'
import { type Instance, instanceBeside } from '../../testing/servers/instances.ts'
import { engines, postgresDatabase } from '../../testing/servers/servers.ts'
import { until } from '../../testing/until.ts'

const TIMEOUT_MS = 60_000
const EVENTS = ['device.created', 'device.updated'] as const
const CHANGES = 100
/** Longer than the servers of an installation ever differ. */
const SKEW_MS = 600_000
/** Its leases last for 20 s. */
const FROZEN_MS = 22_000

type Body = { readonly delivery_id: string; readonly data: { readonly name: string; readonly description: string } }
const parseBodies = (to: Receiver): Body[] => to.received.map(({ body }) => JSON.parse(body) as Body)
/** Returns the descriptions in the order of the first attempts. */
const listFirst = (to: Receiver, wanted: string): string[] => {
  const bodies = parseBodies(to).filter(({ data }) => data.name === wanted)
  const firsts = new Map(bodies.toReversed().map((body) => [body.delivery_id, body]))
  return bodies.filter((body) => firsts.get(body.delivery_id) === body).map(({ data }) => data.description)
}
const countTo = (n: number): string[] => Array.from({ length: n }, (_, i) => String(i + 1))

// Left out rather than skipped, because a run on SQLite only is intended.
if (engines().includes('postgres')) {
  describe('two instances, one of which has a clock that is ten minutes fast', () => {
    let app: TestApp
    let admin: TestCaller
    let fast: Instance
    let to: Receiver
    beforeAll(async () => {
      to = await startReceiver()
      app = await testApp({ dialect: 'postgres', outbound: to.outbound })
      admin = await app.as('admin')
      fast = await instanceBeside(app, { outbound: to.outbound, now: () => new Date(Date.now() + SKEW_MS) })
    }, TIMEOUT_MS)
    afterAll(async () => {
      await fast.close()
      await app.close()
      await to.close()
    }, TIMEOUT_MS)

    test(
      'changes of one device that the instances make in turn arrive in their order, at webhooks and in the live feed',
      async () => {
        await admin.api.webhooks.create({ name: 'all', url: to.url(), events: [...EVENTS] })
        const { id } = await admin.api.devices.create({ name: 'hot' })
        const feed = await follow(admin, '?types=device.updated')
        await feed.opened()
        const headers = { Authorization: `Bearer ${admin.key}` }
        for (const description of countTo(CHANGES)) {
          const path = `/api/devices/${id}`
          const isFast = Number(description) % 2 === 0
          const request = isFast
            ? fast.fetch('PUT', path, headers, { description })
            : admin.api.devices.update({ id, description })
          const answer = await request
          if (answer instanceof Response) expect([answer.status, await answer.text()]).toEqual([200, expect.anything()])
        }
        await until('all deliveries', () => (to.received.length > CHANGES ? true : undefined))
        expect(parseBodies(to).map(({ data }) => data.description)).toEqual(['', ...countTo(CHANGES)])
        const heard = (await feed.hears(CHANGES)).map(({ data }) => data.data as Body['data'])
        await feed.stop()
        expect(heard.map(({ description }) => description)).toEqual(countTo(CHANGES))
      },
      TIMEOUT_MS,
    )
  })

  describe('an instance that is frozen while it holds deliveries', () => {
    let database: Awaited<ReturnType<typeof postgresDatabase>>
    let folder: ServerFolder
    let to: Receiver
    const children: ServerChild[] = []
    beforeAll(async () => {
      database = await postgresDatabase()
      folder = await serverFolder({ RATE_LIMIT_ENABLED: 'false', DATABASE_URL: database.url })
      to = await startReceiver()
    }, TIMEOUT_MS)
    afterEach(() => {
      for (const { pid } of children) process.kill(pid, 'SIGCONT')
    })
    afterAll(async () => {
      await folder.remove()
      await to.close()
      await database.drop()
    }, TIMEOUT_MS)

    const ask = async <T>({ url }: ServerChild, method: string, path: string, body?: object): Promise<T> => {
      const headers = { Authorization: `Bearer ${folder.key}`, 'Content-Type': 'application/json' }
      const response = await fetch(url + path, { method, headers, ...(body && { body: JSON.stringify(body) }) })
      if (!response.ok) throw new Error(await response.text())
      return (await response.json()) as T
    }
    const start = async (): Promise<ServerChild> => {
      const child = await folder.start({ reachesReceivers: true })
      children.push(child)
      return child
    }

    testAll(
      'another instance goes on in the order of each object, and the frozen one sends none of them when it wakes',
      async () => {
        const held: ServerResponse[] = []
        to.answer('/', (response) => held.push(response))
        const frozen = await start()
        const hook = await ask<{ id: string }>(frozen, 'POST', '/api/webhooks', {
          name: 'all',
          url: to.url(),
          events: EVENTS,
        })
        const { id } = await ask<{ id: string }>(frozen, 'POST', '/api/devices', { name: 'hot' })
        await until('the first delivery', () => held.at(0))
        // They wait for the first, and are claimed together.
        for (const description of countTo(5)) await ask(frozen, 'PUT', `/api/devices/${id}`, { description })
        held.at(0)?.end()
        await until('the second delivery', () => held.at(1))
        const other = await start()
        process.kill(frozen.pid, 'SIGSTOP')
        to.answer('/', 200)
        await ask(other, 'PUT', `/api/devices/${id}`, { description: '6' })
        await ask(other, 'POST', '/api/devices', { name: 'another' })
        await until('a delivery of another object', () => (listFirst(to, 'another').length > 0 ? true : undefined))
        const meanwhile = listFirst(to, 'hot')
        await Bun.sleep(FROZEN_MS)
        await until('all deliveries', () => (listFirst(to, 'hot').length === 7 ? true : undefined))
        held.at(1)?.end()
        process.kill(frozen.pid, 'SIGCONT')
        await ask(frozen, 'PUT', `/api/devices/${id}`, { description: '7' })
        await until('the delivery after that', () => (listFirst(to, 'hot').length === 8 ? true : undefined))
        const stored = await until('settled deliveries', async () => {
          const all = await ask<{ status: string }[]>(other, 'GET', `/api/webhooks/${hook.id}/deliveries`)
          return all.every(({ status }) => status === 'success') ? all : undefined
        })
        expect(meanwhile).toEqual(['', '1'])
        expect(listFirst(to, 'hot')).toEqual(['', ...countTo(7)])
        // Only the delivery that was under way was sent twice.
        expect([stored.length, to.received.length]).toEqual([9, 10])
      },
      TIMEOUT_MS + FROZEN_MS,
    )
  })
}

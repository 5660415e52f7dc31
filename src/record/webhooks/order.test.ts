// The order of deliveries: those of one object leave one after another, those of different objects side by side.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import type { ServerResponse } from 'node:http'
import { type TestApp, type TestCaller, testApp } from '../../../testing/app/app.ts'
import { type Receiver, startReceiver } from '../../../testing/receiver.ts'
import { engines } from '../../../testing/servers/servers.ts'
import { until } from '../../../testing/until.ts'

const TIMEOUT_MS = 60_000

describe.each(engines())('the order of deliveries on %s', (dialect) => {
  let app: TestApp
  let admin: TestCaller
  let to: Receiver
  let path = ''
  let hooks = 0
  beforeAll(async () => {
    to = await startReceiver()
    app = await testApp({ dialect, outbound: to.outbound })
    admin = await app.as('admin')
  }, TIMEOUT_MS)
  afterAll(async () => {
    await app.close()
    await to.close()
  }, TIMEOUT_MS)
  beforeEach(async () => {
    for (const { id } of await admin.api.webhooks.list({})) await admin.api.webhooks.delete({ id })
    path = `/${++hooks}`
    const events = ['device.created', 'device.updated'] as const
    await admin.api.webhooks.create({ name: path, url: to.url(path), events: [...events] })
  })

  type Sent = { readonly name: string; readonly description: string }
  const arrived = (): Sent[] =>
    to.received
      .filter((one) => one.path === path)
      .map(({ body }) => (JSON.parse(body) as { data: Sent }).data)
      .map(({ name, description }) => ({ name, description }))
  const count = (n: number) => until(`${n} deliveries`, () => (arrived().length >= n ? arrived() : undefined))

  test('a delivery waits for the answer to the one before of its object, and those of other objects do not', async () => {
    const held: ServerResponse[] = []
    to.answer(path, (response) => held.push(response))
    const slow = await admin.api.devices.create({ name: `slow ${path}` })
    await count(1)
    await admin.api.devices.update({ id: slow.id, description: 'later' })
    const other = await admin.api.devices.create({ name: `other ${path}` })
    await count(2)
    const meanwhile = arrived()
    to.answer(path, 200)
    for (const response of held) response.end()
    const all = await count(3)
    expect(meanwhile.map(({ name }) => name)).toEqual([slow.name, other.name])
    expect(all[2]).toEqual({ name: slow.name, description: 'later' })
  })

  test(
    'the deliveries of each object arrive in order at a target that is far behind',
    async () => {
      const held: ServerResponse[] = []
      to.answer(path, (response) => held.push(response))
      const names = ['a', 'b', 'c', 'd', 'e', 'f'].map((name) => `${name} ${path}`)
      const devices = await Promise.all(names.map((name) => admin.api.devices.create({ name })))
      const turns = Array.from({ length: 10 }, (_, turn) => String(turn))
      for (const description of turns)
        await Promise.all(devices.map(({ id }) => admin.api.devices.update({ id, description })))
      // Each answer takes another time.
      to.answer(path, (response) => setTimeout(() => response.end(), arrived().length % 3))
      for (const response of held) response.end()
      const all = await count(names.length * (1 + turns.length))
      const byName = Map.groupBy(all, ({ name }) => name)
      for (const name of names) expect(byName.get(name)?.map(({ description }) => description)).toEqual(['', ...turns])
    },
    TIMEOUT_MS,
  )

  test('a delivery that has failed does not hold back the later ones of its object', async () => {
    to.answer(path, 500)
    const { id } = await admin.api.devices.create({ name: `failing ${path}` })
    await count(1)
    to.answer(path, 200)
    await admin.api.devices.update({ id, description: 'later' })
    const all = await count(2)
    expect(all.map(({ description }) => description)).toEqual(['', 'later'])
  })
})

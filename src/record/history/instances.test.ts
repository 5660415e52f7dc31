/** Two instances on one PostgreSQL write the same devices at once: the history of each device is a chain. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { type TestApp, type TestCaller, testApp } from '../../../testing/app/app.ts'
import { type Instance, instanceBeside } from '../../../testing/servers/instances.ts'
import { engines } from '../../../testing/servers/servers.ts'

const DEVICES = 10
const WRITERS = 16
const WRITES = 12
const TIMEOUT_MS = 60_000

// Left out rather than skipped, because a run on SQLite only is intended.
if (engines().includes('postgres')) {
  let app: TestApp
  let admin: TestCaller
  let other: Instance
  beforeAll(async () => {
    app = await testApp({ dialect: 'postgres' })
    admin = await app.as('admin')
    other = await instanceBeside(app)
  }, TIMEOUT_MS)
  afterAll(async () => {
    await other.close()
    await app.close()
  }, TIMEOUT_MS)

  test(
    `${WRITERS} writers leave a chain that ends with the present document`,
    async () => {
      const ids = Array.from({ length: DEVICES }, (_, n) => `shared-${n}`)
      for (const id of ids) await admin.api.devices.create({ id, name: id })
      const headers = { Authorization: `Bearer ${admin.key}` }
      const write = async (writer: number): Promise<void> => {
        for (let n = 0; n < WRITES; n++) {
          const path = `/api/devices/${ids[(writer * 7 + n) % DEVICES]}`
          const body = { os: `${writer}.${n}`, ...(n % 3 === 0 && { tags: [`t-${writer}`] }) }
          const response =
            writer % 2 === 0 ? await admin.request('PUT', path, body) : await other.fetch('PUT', path, headers, body)
          if (response.status !== 200) throw new Error(await response.text())
        }
      }
      await Promise.all(Array.from({ length: WRITERS }, (_, writer) => write(writer)))

      let updates = 0
      for (const id of ids) {
        const entries = (await admin.api.histories.device({ id, limit: 1000 })).toReversed()
        const [created, ...changes] = entries
        updates += changes.length
        expect(created?.change).toBe('create')
        const state = Object.fromEntries(Object.entries(created?.fields ?? {}).map(([name, { to }]) => [name, to]))
        for (const { fields } of changes)
          for (const [name, { from, to }] of Object.entries(fields)) {
            expect([id, name, from]).toEqual([id, name, state[name]])
            state[name] = to
          }
        expect(await admin.api.devices.get({ id })).toMatchObject(state)
        const times = entries.map(({ at }) => at)
        expect(times).toEqual(times.toSorted())
      }
      expect(updates).toBe(WRITERS * WRITES)
    },
    TIMEOUT_MS,
  )
}

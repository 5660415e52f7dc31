/** kill -9 in the middle of the rename of a custom field: all objects have the new name, or all the old one. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { type ServerFolder, serverFolder } from '../../testing/app/server-child.ts'
import { testsAll } from '../../testing/tests-all.ts'

const ROUNDS = testsAll ? 6 : 2
const DEVICES = 5000
const TIMEOUT_MS = 120_000

let folder: ServerFolder
beforeAll(async () => {
  folder = await serverFolder({ RATE_LIMIT_ENABLED: 'false' })
})
afterAll(() => folder.remove())

test(
  `a rename of the values of ${DEVICES} devices is whole or not at all`,
  async () => {
    const headers = { Authorization: `Bearer ${folder.key}`, 'Content-Type': 'application/json' }
    const first = await folder.start()
    const field = { id: 'field', resource: 'devices', name: 'name_0', type: 'text', unique: true }
    const devices = Array.from({ length: DEVICES }, (_, i) => ({ name: `d${i}`, custom: { name_0: `Value ${i}` } }))
    const body = JSON.stringify({ managed_by: '', 'custom-fields': [field], devices })
    const applied = await fetch(`${first.url}/api/estate/apply`, { method: 'POST', headers, body })
    expect(applied.status).toBe(200)
    await first.stop()
    let [name, renamed] = ['name_0', 0]
    // A time after which some renames are over, and others are not.
    let waitMs = 20
    for (let round = 1; round <= ROUNDS; round++) {
      const server = await folder.start()
      const next = `name_${round}`
      const answer = fetch(`${server.url}/api/custom-fields/field`, {
        ...{ method: 'PUT', headers, body: JSON.stringify({ name: next }) },
      }).then(
        (response) => response.status,
        () => undefined,
      )
      await Promise.race([answer, Bun.sleep(waitMs)])
      await server.kill()
      const status = await answer
      const again = await folder.start()
      const read = async (path: string) => (await fetch(`${again.url}${path}`, { headers })).json()
      const now = ((await read('/api/custom-fields/field')) as { name: string }).name
      const all = (await read('/api/devices')) as { name: string; custom: object }[]
      const found = (await read(`/api/devices?custom.${now}=value%201`)) as { name: string }[]
      await again.stop()
      expect([name, next]).toContain(now)
      if (status === 200) expect(now).toBe(next)
      if (now === next) renamed++
      waitMs = now === next ? waitMs / 2 : waitMs * 2
      name = now
      expect(all.filter(({ name: of, custom }) => !Bun.deepEquals(custom, { [now]: `Value ${of.slice(1)}` }))).toEqual(
        [],
      )
      expect([all.length, found.map((one) => one.name)]).toEqual([DEVICES, ['d1']])
    }
    expect(renamed).toBeLessThan(ROUNDS)
  },
  TIMEOUT_MS,
)

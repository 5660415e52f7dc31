/** kill -9 in the middle of an apply: all of the document is stored, or nothing. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { type ServerFolder, serverFolder } from '../../testing/app/server-child.ts'
import { testsAll } from '../../testing/tests-all.ts'

const ROUNDS = testsAll ? 5 : 2
const DEVICES = 3000
const TIMEOUT_MS = 120_000

let folder: ServerFolder
beforeAll(async () => {
  folder = await serverFolder({ RATE_LIMIT_ENABLED: 'false' })
})
afterAll(() => folder.remove())

test(
  `an apply of ${DEVICES} devices is stored whole or not at all`,
  async () => {
    let whole = 0
    // A time after which some applies are over, and others are not.
    let waitMs = 20
    for (let round = 0; round < ROUNDS; round++) {
      const tag = `round-${round}`
      const devices = Array.from({ length: DEVICES }, (_, i) => ({ name: `${tag}-${i}`, tags: [tag] }))
      const relationships = [{ parent: `${tag}-0`, child: `${tag}-1`, type: 'contains' }]
      const headers = { Authorization: `Bearer ${folder.key}`, 'Content-Type': 'application/json' }
      const server = await folder.start()
      const body = JSON.stringify({ managed_by: tag, devices, relationships })
      const answer = fetch(`${server.url}/api/estate/apply`, { method: 'POST', headers, body }).then(
        (response) => response.status,
        () => undefined,
      )
      await Promise.race([answer, Bun.sleep(waitMs)])
      await server.kill()
      const status = await answer
      const again = await folder.start()
      const countOf = async (path: string) =>
        Number((await fetch(`${again.url}${path}`, { headers })).headers.get('x-total-count'))
      const stored = await countOf(`/api/devices?tags=${tag}&limit=1`)
      const links = await countOf(`/api/relationships?managed_by=${tag}&limit=1`)
      await again.stop()
      expect([0, DEVICES]).toContain(stored)
      expect(links).toBe(stored === 0 ? 0 : 1)
      if (status === 200) expect(stored).toBe(DEVICES)
      if (stored > 0) whole++
      waitMs = stored > 0 ? waitMs / 2 : waitMs * 3
    }
    expect(whole).toBeLessThan(ROUNDS)
  },
  TIMEOUT_MS,
)

/** Each read as of a proposal answers what it answers after the merge, for proposals of random writes. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { type TestApp, type TestCaller, testApp } from '../../../testing/app/app.ts'
import { estateChanges } from '../../../testing/estates/estate-changes.ts'
import { PAST_READER, readAt } from '../../../testing/estates/past-reads.ts'
import { engines } from '../../../testing/servers/servers.ts'
import { testsAll } from '../../../testing/tests-all.ts'

const PROPOSALS = testsAll ? 12 : 4
const WRITES = 12
const LIMIT_MS = 600_000

describe.each(engines())('on %s', (dialect) => {
  let app: TestApp
  let admin: TestCaller
  let reader: TestCaller
  let nowMs = Date.now() + 3_600_000
  beforeAll(async () => {
    app = await testApp({ dialect, now: () => new Date(nowMs) })
    admin = await app.as('admin')
    reader = await app.as(PAST_READER)
  }, LIMIT_MS)
  afterAll(() => app.close())

  const answerOf = (path: string, asOf?: string): Promise<string> => readAt(reader, path, asOf)

  test.each(dialect === 'sqlite' ? [3] : [4])(
    'after random writes by the seed %d',
    async (seed) => {
      let proposed: number | undefined
      let accepted = 0
      const caller = {
        request: async (method: string, path: string, body?: unknown) => {
          if (proposed === undefined) return admin.request(method, path, body)
          const query = `${path.includes('?') ? '&' : '?'}proposal=${proposed}`
          const response = await admin.request(method, path + query, body)
          if (response.status === 202) accepted++
          return response
        },
      }
      const estate = estateChanges(caller, seed, () => nowMs)
      await estate.begin()
      for (let i = 0; i < WRITES; i++) await estate.change()
      let compared = 0
      for (let i = 0; i < PROPOSALS; i++) {
        nowMs += 1000
        const { number } = await admin.api.proposals.create({ title: `Random ${i}`, open: false })
        proposed = number
        // Every call stays in the same second: a merge makes objects of its own time.
        for (let write = 0; write < WRITES; write++) await estate.change()
        proposed = undefined
        const { operations } = await admin.api.proposals.get({ id: String(number) })
        if (operations.length === 0) continue
        await admin.api.proposals.open({ id: String(number) })
        const before = new Map<string, string>()
        for (const path of estate.reads()) before.set(path, await answerOf(path, `proposal:${number}`))
        const merged = await admin.request('POST', `/api/proposals/${number}/merge`, {})
        const outcome = await merged.text()
        // Writes may take each other back.
        if (merged.status === 409 && outcome.includes('nothing left')) continue
        expect(`${merged.status} ${merged.status === 200 ? '' : outcome}`).toBe('200 ')
        for (const [path, future] of before) {
          expect(`${i} ${path} ${await answerOf(path)}`).toBe(`${i} ${path} ${future}`)
          compared++
        }
      }
      expect(accepted).toBeGreaterThan(PROPOSALS)
      expect(compared).toBeGreaterThan(PROPOSALS * 20)
    },
    LIMIT_MS,
  )
})

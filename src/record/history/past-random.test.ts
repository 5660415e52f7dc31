/**
 * Each read as of every change and every time answers what it answered then, after random writes. As of a proposal that would take back
 * all later changes, it answers the same.
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { type TestApp, type TestCaller, testApp } from '../../../testing/app/app.ts'
import { estateChanges } from '../../../testing/estates/estate-changes.ts'
import { PAST_READER, readAt } from '../../../testing/estates/past-reads.ts'
import { findFormer, insertProposal } from '../../../testing/estates/proposal-rows.ts'
import { engines } from '../../../testing/servers/servers.ts'
import { testsAll } from '../../../testing/tests-all.ts'

const STEPS = testsAll ? 40 : 10
/** A step asks one path in so many, each time others: the cost of all grows with the square of the steps. */
const PARTS = 3
const LIMIT_MS = 600_000

type Kept = {
  readonly time: string
  readonly change: string
  /** The number of the last change. */
  readonly seq: number
  readonly answers: ReadonlyMap<string, string>
}

describe.each(engines())('on %s', (dialect) => {
  let app: TestApp
  let reader: TestCaller
  let nowMs = Date.now() + 3_600_000
  beforeAll(async () => {
    app = await testApp({ dialect, now: () => new Date(nowMs) })
    reader = await app.as(PAST_READER)
  }, LIMIT_MS)
  afterAll(() => app.close())

  const answerOf = (path: string, asOf?: string): Promise<string> => readAt(reader, path, asOf)

  const findLast = async (): Promise<number> => {
    const last = app.db.read.selectFrom('changes').select(({ fn }) => fn.max('seq').as('seq'))
    return Number((await last.executeTakeFirstOrThrow()).seq)
  }

  test.each(dialect === 'sqlite' ? [1] : [2])(
    'after random writes by the seed %d',
    async (seed) => {
      const admin = await app.as('admin')
      const estate = estateChanges(admin, seed, () => nowMs)
      await estate.begin()
      const all: Kept[] = []
      for (let step = 0; step < STEPS; step++) {
        nowMs += 1000 * (1 + ((step * 7919) % 1800))
        await estate.change()
        const [change] = await admin.api.history.list({ limit: 1 })
        const answers = new Map<string, string>()
        for (const [i, path] of estate.reads().entries())
          if ((i + step) % PARTS === 0) answers.set(path, await answerOf(path))
        all.push({ time: new Date(nowMs).toISOString(), change: change?.id ?? '', seq: await findLast(), answers })
      }
      nowMs += 3_600_000
      let compared = 0
      for (const [step, { time, change, seq, answers }] of all.entries()) {
        // Only the clock has moved if there is no change.
        const hasChanged = change !== all[step - 1]?.change && change !== ''
        // The moment is given by the time and by the change in turn.
        const moment = hasChanged && step % 2 === 0 ? change : time
        // No job runs a draft.
        const draft = { state: 'draft', author_id: reader.userId } as const
        const undoing = { number: step + 1, previewed_at: time, ...draft }
        await insertProposal(app.db, undoing, await findFormer(app.db, seq))
        for (const [path, answer] of answers) {
          const then = await answerOf(path, moment)
          expect(`${step} ${path} ${then}`).toBe(`${step} ${path} ${answer}`)
          const proposed = await answerOf(path, `proposal:${step + 1}`)
          expect(`${step} ${path} proposed ${proposed}`).toBe(`${step} ${path} proposed ${answer}`)
          compared++
        }
      }
      expect(compared).toBeGreaterThan((STEPS * 30) / PARTS)
    },
    LIMIT_MS,
  )
})

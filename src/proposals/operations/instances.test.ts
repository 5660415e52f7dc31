/** Two instances on one PostgreSQL add to a proposal and merge it at once. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { sql } from 'kysely'
import { type TestApp, type TestCaller, testApp } from '../../../testing/app/app.ts'
import { type Instance, instanceBeside } from '../../../testing/servers/instances.ts'
import { engines } from '../../../testing/servers/servers.ts'
import { until } from '../../../testing/until.ts'
import { MAX_UNFINISHED } from './store-run.ts'

const TIMEOUT_MS = 60_000
const WRITERS = 8

// Left out rather than skipped, because a run on SQLite only is intended.
if (engines().includes('postgres')) {
  let app: TestApp
  let admin: TestCaller
  let other: Instance
  beforeAll(async () => {
    app = await testApp({ dialect: 'postgres', withJobs: false })
    admin = await app.as('admin')
    other = await instanceBeside(app)
  }, TIMEOUT_MS)
  afterAll(async () => {
    await other.close()
    await app.close()
  }, TIMEOUT_MS)

  /** Sends to one instance or the other. */
  const send = (n: number, method: string, path: string, body: object, caller = admin) =>
    n % 2 === 0
      ? caller.request(method, path, body)
      : other.fetch(method, path, { Authorization: `Bearer ${caller.key}` }, body)

  const propose = async (id: string): Promise<string> => {
    const made = await admin.request('POST', '/api/devices?proposal=open', { id, name: id })
    expect(made.status).toBe(202)
    return made.headers.get('X-Proposal') ?? ''
  }

  test(
    'operations that are added at both are all in the proposal, each under its own id',
    async () => {
      const number = await propose('both-0')
      const ids = Array.from({ length: WRITERS }, (_, n) => `both-${n + 1}`)
      const add = (id: string, n: number) => send(n, 'POST', `/api/devices?proposal=${number}`, { id, name: id })
      const answers = await Promise.all(ids.map(add))
      expect(answers.map(({ status }) => status)).toEqual(ids.map(() => 202))
      const { operations, summary } = await admin.api.proposals.get({ id: number })
      expect(operations.map(({ id }) => id)).toEqual(Array.from({ length: WRITERS + 1 }, (_, n) => `${n + 1}`))
      expect(summary).toBe(`creates ${WRITERS + 1} devices`)
    },
    TIMEOUT_MS,
  )

  test(
    'of two merges at once one is done, and the other one is refused on the state',
    async () => {
      const number = await propose('merged-once')
      const merge = async (n: number) => {
        const response = await send(n, 'POST', `/api/proposals/${number}/merge`, {})
        const { code = '', details = [] } = (await response.json()) as { code?: string; details?: { field: string }[] }
        return [response.status, code, details.map(({ field }) => field)]
      }
      const outcomes = await Promise.all([merge(0), merge(1)])
      expect(outcomes.toSorted(([one], [another]) => Number(one) - Number(another))).toEqual([
        [200, '', []],
        [400, 'VALIDATION_ERROR', ['state']],
      ])
      const changes = await admin.api.history.list({ operation: 'proposals.merge' })
      expect(changes).toHaveLength(1)
    },
    TIMEOUT_MS,
  )

  /** Waits until so many transactions wait for a lock. */
  const waiting = (n: number) =>
    until(`${n} waiting transactions`, async () => {
      const { rows } = await sql<{ n: string }>`
        SELECT count(*) AS n FROM pg_locks AS l JOIN pg_database AS d ON d.oid = l.database
        WHERE NOT l.granted AND d.datname = current_database()`.execute(app.db.read)
      return Number(rows[0]?.n) >= n || undefined
    })

  test(
    'of two closed proposals that are opened at once one is refused, if their author has room for one',
    async () => {
      const author = await app.as('operator')
      const closed: string[] = []
      for (const id of ['reopened-0', 'reopened-1']) {
        const made = await author.request('POST', '/api/devices?proposal=open', { id, name: id })
        const number = made.headers.get('X-Proposal') ?? ''
        await author.api.proposals.close({ id: number })
        closed.push(number)
      }
      for (let n = 1; n < MAX_UNFINISHED; n++) await author.api.proposals.create({ title: `Draft ${n}` })
      // Both have come as far as they can before one of them ends.
      const answers = await app.db.write(async ({ db }) => {
        await sql`LOCK TABLE proposal_entries IN SHARE MODE`.execute(db)
        const opened = closed.map((number, n) => send(n, 'POST', `/api/proposals/${number}/open`, {}, author))
        await waiting(closed.length)
        // A promise would be awaited before the commit.
        return { opened }
      })
      const statuses = (await Promise.all(answers.opened)).map(({ status }) => status)
      expect(statuses.sort()).toEqual([200, 409])
      expect(await author.api.proposals.list({ author: 'me', state: 'open', limit: 10 })).toHaveLength(1)
    },
    TIMEOUT_MS,
  )
}

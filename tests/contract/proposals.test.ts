/** Proposes and merges every write of the registry. The database is then as after the same write by hand. */
import { beforeAll, describe, expect, test } from 'bun:test'
import { z } from 'zod'
import { contracts } from '../../src/app/contracts.ts'
import { canPropose } from '../../src/contract/can-propose.ts'
import { parseHttp } from '../../src/kernel/http-route.ts'
import type { AnyOperation } from '../../src/kernel/operation.ts'
import { type TestApp, testApp } from '../../testing/app/app.ts'
import { takeOneIn } from '../../testing/cases.ts'
import {
  type Comparison,
  listIds,
  normalize,
  readWhole,
  type WholeDatabase,
} from '../../testing/estates/whole-database.ts'
import { operations, saveCopy } from '../../testing/estates/world.ts'
import { type Call, prepareCalls } from '../../testing/estates/write-calls.ts'
import { engines } from '../../testing/servers/servers.ts'

const proposed = operations.filter(canPropose)
const named = (some: readonly AnyOperation[]) => some.map((op): [string, AnyOperation] => [op.name, op])

/** Tables of proposals and of the call itself, and what the lanes of zones write beside the calls. */
const ASIDE =
  /^(proposals|dns_changes|dns_rrsets|dns_zone_states|proposal_\w+|audit\w*|revisions|idempotency_keys|leases|webhook_deliveries|\w+_fts\w*)$/
/** A change says by which call it was made. */
const WITHOUT = { changes: ['operation', 'note', 'proposal_id', 'request_id', 'snapshot_xmax'] }

const Proposal = z.object({ number: z.int(), state: z.string(), fingerprint: z.string(), errors: z.int() })
const Item = z.object({
  kind: z.string(),
  id: z.string(),
  change: z.string(),
  fields: z.record(z.string(), z.unknown()),
})

/** Returns the rows of `all` that `other` lacks, each as often as it lacks them. */
const listMore = (all: readonly string[], other: readonly string[]): string[] => {
  const left = Map.groupBy(other, (text) => text)
  return all.filter((text) => left.get(text)?.pop() === undefined)
}

type Copy = {
  readonly app: TestApp
  readonly ask: (method: string, path: string, body?: unknown, headers?: Record<string, string>) => Promise<Response>
}

describe.each(engines())('on %s', (dialect) => {
  let template: string
  let calls: Readonly<Record<string, Call>>
  let key: string
  let comparison: Comparison

  const useCopy = async <T>(work: (copy: Copy) => Promise<T>): Promise<T> => {
    const app = await testApp({ dialect, template, withJobs: false, env: { AUDIT_ENABLED: 'true' } })
    const ask: Copy['ask'] = (method, path, body, headers = {}) =>
      app.fetch(
        new Request(`http://plat.test${path}`, {
          ...{ method, headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json', ...headers } },
          ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        }),
      )
    try {
      return await work({ app, ask })
    } finally {
      await app.close()
    }
  }

  const readEstate = ({ app }: Copy): Promise<WholeDatabase> => readWhole(app.db, ASIDE)

  beforeAll(async () => {
    const saved = await saveCopy(dialect, async (world) => ({
      calls: await prepareCalls(world),
      key: world.admin.key,
    }))
    template = saved.template
    calls = saved.made.calls
    key = saved.made.key
    const known = listIds(await useCopy(({ app }) => readWhole(app.db, /^$/)))
    comparison = { known, startMs: Date.now(), without: WITHOUT }
  }, 120_000)

  const send = async ({ ask }: Copy, op: AnyOperation, query: string) => {
    const call = calls[op.name]
    if (!call) throw new Error(`say in "prepareCalls" how to call ${op.name}`)
    const response = await ask(parseHttp(op.http).method, call.path + query, call.body, call.headers)
    const text = await response.text()
    return { status: response.status, headers: response.headers, answer: text === '' ? undefined : JSON.parse(text) }
  }

  const writeByHand = (op: AnyOperation) =>
    useCopy(async (copy) => {
      const { status, answer } = await send(copy, op, '')
      expect([status < 300, answer]).toEqual([true, answer])
      return readEstate(copy)
    })

  const readItems = async ({ ask }: Copy, number: number) =>
    z
      .array(Item)
      .parse(await (await ask('GET', `/api/proposals/${number}/items`)).json())
      .map(({ fields, ...item }) => JSON.stringify([item, Object.entries(fields).sort()]))
      .sort()

  const proposeAndMerge = (op: AnyOperation) =>
    useCopy(async (copy) => {
      const before = await readEstate(copy)
      const { status, headers, answer } = await send(copy, op, '?proposal=open')
      expect([status, answer]).toEqual([202, answer])
      const output = op.output instanceof z.ZodVoid ? contracts.history.get.output : op.output
      expect(output.safeParse(answer).error?.issues).toBeUndefined()
      const number = Number(headers.get('x-proposal'))
      const act = async (action: string) => {
        const response = await copy.ask('POST', `/api/proposals/${number}/${action}`, {})
        const body: unknown = await response.json()
        expect([action, response.status, body]).toEqual([action, 200, body])
        return { response, proposal: Proposal.parse(body) }
      }
      const [first, second] = [await act('refresh'), await act('refresh')]
      expect(first.proposal).toMatchObject({ number, state: 'open', errors: 0 })
      expect(second.proposal.fingerprint).toBe(first.proposal.fingerprint)
      const shown = await readItems(copy, number)
      expect(withoutEvents(await readEstate(copy))).toEqual(withoutEvents(before))
      const { response, proposal } = await act('merge')
      expect([proposal.state, response.headers.get('x-change-id') !== null]).toEqual(['merged', op.hasHistory === true])
      expect(await readItems(copy, number)).toEqual(shown)
      return readEstate(copy)
    })

  /** A proposal tells of itself by events, besides those of the estate. */
  const withoutEvents = (whole: WholeDatabase): WholeDatabase =>
    new Map(
      [...whole].map(([table, rows]) => [
        table,
        table === 'events' ? rows.filter(({ event }) => !String(event).startsWith('proposal.')) : rows,
      ]),
    )

  test.each(named(dialect === 'sqlite' ? proposed : takeOneIn(3, proposed)))(
    '%s is made by a merge as by hand',
    async (_, op) => {
      const byHand = normalize(withoutEvents(await writeByHand(op)), comparison)
      const merged = normalize(withoutEvents(await proposeAndMerge(op)), comparison)
      expect({ more: listMore(merged, byHand), less: listMore(byHand, merged) }).toEqual({ more: [], less: [] })
    },
    60_000,
  )
})

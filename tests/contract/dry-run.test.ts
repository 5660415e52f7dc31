/** Checks the dry run of every write of the registry that has one, and that all other requests refuse it. */
import { beforeAll, describe, expect, test } from 'bun:test'
import { sql } from 'kysely'
import { z } from 'zod'
import { contracts, routes } from '../../src/app/contracts.ts'
import { canPropose } from '../../src/contract/can-propose.ts'
import { INVENTORY } from '../../src/inventory/resources.ts'
import { parseHttp } from '../../src/kernel/http-route.ts'
import type { AnyOperation, RawRoute } from '../../src/kernel/operation.ts'
import { buildSpec } from '../../src/surfaces/cli/parse/operation-spec.ts'
import { operations, worldSuite } from '../../testing/estates/world.ts'
import { type Call, prepareCalls } from '../../testing/estates/write-calls.ts'
import { onSqlite } from '../../testing/servers/servers.ts'

/** It needs an inventory that nothing changes by itself, which its own test has. */
const DEMO = 'demo.remove'
const kept = operations.filter(({ hasHistory, name }) => hasHistory && name !== DEMO)
const named = <One extends { readonly name: string }>(some: readonly One[]) =>
  some.map((one): [string, One] => [one.name, one])

/** The admin has a key, which is refused where a session is needed. */
const forKeys = [...operations, ...routes].filter(
  // The routes of scanners take no key.
  ({ http, session }: AnyOperation | RawRoute) =>
    http.includes(' /api/') && !http.includes(' /api/scanner/') && session === undefined,
)

const Refused = z.object({ code: z.literal('VALIDATION_ERROR'), details: z.array(z.object({ field: z.string() })) })
const fieldsOf = async (response: Response): Promise<string[]> =>
  Refused.parse(await response.json()).details.map(({ field }) => field)

const Preview = z.object({
  id: z.literal(''),
  at: z.literal(''),
  summary: z.string().regex(/^(creates|changes|deletes) /),
  items: z.array(z.object({ kind: z.string() })).min(1),
})

describe.each(onSqlite())('on %s', (dialect) => {
  const world = worldSuite({ dialect, withJobs: false })
  let calls: Readonly<Record<string, Call>>
  let before: Record<string, string>

  /** Returns the rows of every table as text, and the tags of the lists. */
  const everything = async (): Promise<Record<string, string>> => {
    const tables = await world.app.db.read.introspection.getTables()
    const all: Record<string, string> = {}
    for (const { name } of tables.filter((table) => !table.isView)) {
      const { rows } = await sql<object>`SELECT * FROM ${sql.table(name)}`.execute(world.app.db.read)
      all[name] = rows
        .map((row) => JSON.stringify(row, (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value)))
        .sort()
        .join('\n')
    }
    for (const path of [...INVENTORY, 'history', 'audit'])
      all[`tag of ${path}`] = (await world.admin.request('GET', `/api/${path}`)).headers.get('etag') ?? ''
    return all
  }

  beforeAll(async () => {
    calls = await prepareCalls(world)
    // It would get a delivery for each event.
    const events = (await world.admin.api.webhooks.events({})).map(({ name }) => name)
    await world.admin.api.webhooks.create({ name: 'all', url: 'http://hook.invalid/', events })
    before = await everything()
  }, 60_000)

  const callOf = (op: AnyOperation): Call => {
    const call = calls[op.name]
    if (!call) throw new Error(`say in "prepareCalls" how to call ${op.name}`)
    return call
  }
  const run = (op: AnyOperation, dryRun: string) => {
    const { path, body, headers } = callOf(op)
    return world.admin.request(parseHttp(op.http).method, `${path}?dry_run=${dryRun}`, body, headers)
  }

  test('there are tables with rows to compare', () => {
    const filled = Object.entries(before).filter(([, rows]) => rows !== '')
    expect(filled.map(([name]) => name)).toEqual(
      expect.arrayContaining([
        'devices',
        'networks',
        'events',
        'audit',
        'history',
        'changes',
        'webhooks',
        'tag of devices',
      ]),
    )
  })

  test.each(named(kept))('%s answers 200, and leaves everything as it was', async (_, op) => {
    const response = await run(op, 'true')
    const { headers, status } = response
    expect([status, headers.get('x-dry-run'), headers.get('x-change-id')]).toEqual([200, 'true', null])
    const answer: unknown = await response.json()
    const isEmpty = op.output instanceof z.ZodVoid
    expect((isEmpty ? Preview : op.output).safeParse(answer).error?.issues).toBeUndefined()
    expect(await everything()).toEqual(before)
  })

  const previewed = kept.filter(({ handlesDryRun }) => !handlesDryRun)
  test.each(named(previewed))('%s shows what it would change, and leaves everything as it was', async (_, op) => {
    const response = await run(op, 'changes')
    expect([response.status, response.headers.get('x-dry-run')]).toEqual([200, 'true'])
    const answer: unknown = await response.json()
    expect(Preview.safeParse(answer).error?.issues).toBeUndefined()
    expect(contracts.history.get.output.safeParse(answer).error?.issues).toBeUndefined()
    expect(await everything()).toEqual(before)
  })

  test.each(named(kept))('%s takes no other value', async (_, op) => {
    const response = await run(op, 'maybe')
    expect([response.status, await fieldsOf(response)]).toEqual([400, ['dry_run']])
  })

  test.each(named(kept))('%s takes a note of one line', async (_, op) => {
    const { path, body, headers } = callOf(op)
    const ask = (note: string) =>
      world.admin.request(parseHttp(op.http).method, `${path}?dry_run=true`, body, {
        ...headers,
        'X-Change-Note': note,
      })
    const [long, lines, good] = [
      await ask('x'.repeat(1001)),
      await ask('two%0Alines'),
      await ask(`  ${'%C3%A9'.repeat(1000)} `),
    ]
    expect([long.status, await fieldsOf(long)]).toEqual([400, ['change_note']])
    expect([lines.status, await fieldsOf(lines)]).toEqual([400, ['change_note']])
    expect(good.status).toBe(200)
  })

  test('a dry run that fails is refused as in earnest, and leaves everything as it was', async () => {
    const start = await everything()
    const { status } = await world.admin.request('POST', '/api/networks?dry_run=true', { name: 'new', subnet: 'none' })
    const missing = await world.admin.request('DELETE', '/api/devices/unknown?dry_run=changes')
    expect([status, missing.status]).toEqual([400, 404])
    expect(await everything()).toEqual(start)
  })

  const takesNone = forKeys.filter((one) => !takes(one, 'dry_run'))
  test.each(named(takesNone))('%s has no dry run, and says so', async (_, { http }) => {
    const { method, path } = parseHttp(http)
    const response = await world.admin.request(method, `${path.replace(/\{\w+\}/g, 'x')}?dry_run=true`)
    expect([response.status, await fieldsOf(response)]).toEqual([400, ['dry_run']])
  })

  const hasNoPast = forKeys.filter((one) => !takes(one, 'as_of'))
  test.each(named(hasNoPast))('%s has no past, and says so', async (_, { http }) => {
    const { method, path } = parseHttp(http)
    const response = await world.admin.request(method, `${path.replace(/\{\w+\}/g, 'x')}?as_of=1h`)
    expect([response.status, await fieldsOf(response)]).toEqual([400, ['as_of']])
  })
})

describe.each(onSqlite())('a proposal on %s', (dialect) => {
  const world = worldSuite({ dialect, withJobs: false })
  const refusal = async (
    { http }: { readonly http: AnyOperation['http'] | RawRoute['http'] },
    query: string,
    body?: object,
  ) => {
    const { method, path } = parseHttp(http)
    const response = await world.admin.request(method, path.replace(/\{\w+\}/g, 'x') + query, body)
    return [response.status, await fieldsOf(response)]
  }

  const proposes = operations.filter(canPropose)
  const proposesNone = forKeys.filter((one) => !('effect' in one && canPropose(one)))
  test.each(named(proposesNone))('is refused by %s', async (_, one) => {
    expect(await refusal(one, '?proposal=open')).toEqual([400, ['proposal']])
  })

  test.each(named(proposes))('without a name is refused by %s', async (_, one) => {
    for (const query of ['?proposal=', '?proposal', '?proposal=open&proposal='])
      expect(await refusal(one, query)).toEqual([400, ['proposal']])
  })

  test.each(named(proposes))('that is not there is refused by %s', async (_, one) => {
    const body = /^(POST|PUT) /.test(one.http) ? {} : undefined
    expect(await refusal(one, '?proposal=12345', body)).toEqual([400, ['proposal']])
  })

  const withBody = operations.filter(({ http, session }) => /^(POST|PUT) /.test(http) && session === undefined)
  test.each(named(withBody))('in a body is refused by %s', async (_, one) => {
    expect(await refusal(one, '', { proposal: 'open' })).toEqual([400, ['proposal']])
  })
})

const takes = (called: AnyOperation | RawRoute, field: string): boolean =>
  Object.hasOwn({ ...called.input?.shape, ...('query' in called ? called.query?.shape : {}) }, field)

describe.each(named(kept))('the command of %s', (_, op) => {
  test('has a switch for a dry run, and a note', () => {
    const { flags } = buildSpec(op)
    const named = flags.filter(({ names: [name = ''] }) => ['dry-run', 'change-note'].includes(name))
    expect(named.map(({ names: [name], isSwitch }) => [name, isSwitch]).sort()).toEqual([
      ['change-note', false],
      ['dry-run', true],
    ])
  })
})

describe.each(named(operations))('the command of %s', (_, op) => {
  test(`takes ${canPropose(op) ? 'a proposal, also by a switch' : 'no proposal'}`, () => {
    const flags = buildSpec(op).flags.filter(({ names: [name = ''] }) => ['proposal', 'propose'].includes(name))
    expect(flags.map(({ names: [name], isSwitch }) => [name, isSwitch])).toEqual(
      canPropose(op)
        ? [
            ['proposal', false],
            ['propose', true],
          ]
        : [],
    )
  })
})

describe.each(named(operations.filter(({ supportsAsOf }) => supportsAsOf)))('the command of %s', (_, op) => {
  test('takes a moment', () => {
    expect(buildSpec(op).flags.map(({ names: [name] }) => name)).toContain('as-of')
  })
})

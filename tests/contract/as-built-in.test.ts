// A kind is as good as a built-in resource: the same calls about racks and about objects of a kind with the same fields get the same answers.
import { describe, expect, test } from 'bun:test'
import { type Answer, type Person, people } from '../../testing/estates/people.ts'
import { callTool } from '../../testing/mcp.ts'
import { engines } from '../../testing/servers/servers.ts'

type Row = Readonly<Record<string, unknown>>

/** One of the two resources. */
type Side = {
  readonly resource: 'racks' | 'objects'
  /** The resource of the custom fields. */
  readonly definitions: string
  /** The fields of a body and of a row that the other resource lacks. */
  readonly own: Row
  readonly ownRow: Row
  /** The beginning of the query of a list. */
  readonly query: string
}

const RACKS: Side = { resource: 'racks', definitions: 'racks', own: {}, ownRow: {}, query: '?' }
const THINGS: Side = {
  ...{ resource: 'objects', definitions: 'things', query: '?kind_id=things&' },
  ...{ own: { kind_id: 'things' }, ownRow: { kind: 'things' } },
}

/** Fields that one of the resources has and the other lacks. */
const LACKED = new Set([
  ...['height', 'first_unit', 'numbering', 'max_power_w', 'location', 'kind_id', 'kind', 'parent_id'],
  ...['usage', 'fingerprint', 'expires_at', 'things'],
])

const WORDS: readonly (readonly [RegExp, string])[] = [
  [/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '@time'],
  // Ids of the server, which are random.
  [/[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}/g, '@id'],
  [/of the kind "things" /g, ''],
  [/things|objects|racks/g, 'ones'],
  [/\b(an object|a rack|a thing)\b/gi, 'one'],
  [/\b(object|rack|thing)\b/g, 'one'],
]

/** True for an issue of the field by which an object of a kind is also in a scope. */
const isOfKind = (issue: unknown): boolean => (issue as { readonly field?: unknown } | null)?.field === 'kind_id'

/** Returns an answer in the words of both resources. */
const toCommon = (value: unknown): unknown => {
  if (typeof value === 'string') return WORDS.reduce((text, [word, common]) => text.replace(word, common), value)
  if (Array.isArray(value)) return value.filter((one) => !isOfKind(one)).map(toCommon)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).filter(([name]) => !LACKED.has(name))
  return Object.fromEntries(entries.map(([name, one]) => [toCommon(name), toCommon(one)]))
}

const FIELDS = [
  { name: 'owner', type: 'text', searchable: true },
  { name: 'watts', type: 'integer', unique: true, minimum: 1, maximum: 900 },
  { name: 'states', type: 'choice', choices: ['new', 'used', 'old'], multiple: true },
  { name: 'site', type: 'reference', reference_to: 'datacenters' },
  { name: 'address', type: 'ip' },
  { name: 'lent', type: 'boolean', only_for: { field: 'custom.site', values: ['dc'] } },
] as const

describe.each(engines())('on %s', (dialect) => {
  const all = people(dialect)

  /** Makes the calls of a test about a resource. @returns the answers in the words of both */
  const record = (side: Side, person: () => Person = () => all.admin) => {
    const answers: unknown[] = []
    const note = (what: string, { status, body, headers }: Answer): Answer => {
      const total = headers.get('x-total-count')
      answers.push({ what: toCommon(what), status, body: toCommon(body), ...(total !== null && { total }) })
      return { status, body, headers }
    }
    const send = async (method: string, path: string, body?: unknown, headers?: Record<string, string>) =>
      note(`${method} ${path}`, await person().ask(`${method} /api/${side.resource}${path}`, body, headers))
    return {
      answers,
      note,
      get: (path: string, headers?: Record<string, string>) => send('GET', path, undefined, headers),
      list: async (query: string) =>
        note(`list ${query}`, await person().ask(`GET /api/${side.resource}${side.query}${query}`)),
      create: (body: Row, headers?: Record<string, string>) => send('POST', '', { ...side.own, ...body }, headers),
      update: (id: string, body: Row, headers?: Record<string, string>) => send('PUT', `/${id}`, body, headers),
      remove: (id: string, query = '') => send('DELETE', `/${id}${query}`),
      raw: async (http: string, body?: unknown) => note(http, await person().ask(http, body)),
    }
  }

  /** Runs a case about both resources, and compares what they answered. */
  const compare = async (
    run: (calls: ReturnType<typeof record>, side: Side) => Promise<void>,
    person?: () => Person,
  ) => {
    const made: unknown[][] = []
    for (const side of [RACKS, THINGS]) {
      const calls = record(side, person)
      await run(calls, side)
      made.push(calls.answers)
    }
    expect(made[1]?.length).toBeGreaterThan(0)
    expect(made[1]).toEqual(made[0] ?? [])
  }

  const newestChange = async (person = all.admin): Promise<string> => {
    const [change] = (await person.ask('GET /api/history?limit=1')).body as { readonly id: string }[]
    return change?.id ?? ''
  }

  test('definitions are made', async () => {
    const { ask } = all.admin
    const place = { id: 'dc', name: 'FRA1' }
    expect((await ask('POST /api/datacenters', place)).status).toBe(201)
    expect((await ask('POST /api/datacenters', { id: 'room', name: 'Room', parent_id: 'dc' })).status).toBe(201)
    expect((await ask('POST /api/datacenters', { id: 'far', name: 'AMS1' })).status).toBe(201)
    const kind = { id: 'things', name: 'Things', located: true, unique_names: false }
    expect((await ask('POST /api/kinds', kind)).status).toBe(201)
    await compare(async ({ raw }, { definitions }) => {
      for (const field of FIELDS) {
        const { body } = await all.admin.ask('POST /api/custom-fields', { ...field, resource: definitions })
        expect(body).toMatchObject({ name: field.name })
      }
      await raw('POST /api/custom-fields', { resource: definitions, name: 'owner', type: 'text' })
    })
  })

  test('objects are made, and wrong ones are refused', () =>
    compare(async ({ create, get }) => {
      for (let n = 0; n < 8; n++)
        await create({
          ...{
            id: `one-${n}`,
            name: ['b', 'A', 'c', 'ä', 'D', 'a', 'E', 'f'][n],
            datacenter_id: n % 3 ? 'room' : null,
          },
          custom: {
            ...{ owner: `Team ${n % 3}`, watts: 100 - n, states: n % 2 ? ['new', 'old'] : ['used'] },
            ...(n % 4 === 1 && { site: 'dc', lent: true }),
            address: `10.0.0.${n}`,
          },
          ...(n === 4 && { managed_by: 'git', refs: { cmdb: '4' } }),
        })
      await create({ id: 'one-1', name: 'again' })
      await create({ name: '' })
      await create({ name: 'x', datacenter_id: 'none' })
      await create({ name: 'x', custom: { watts: 99 } })
      await create({ name: 'x', custom: { watts: 'many', states: ['broken'], address: '10.0.0.300', site: 'none' } })
      await create({ name: 'x', custom: { lent: true } })
      await create({ name: 'x', custom: { owners: 'Team' } })
      await create({ id: 'one-8', name: 'g', custom: { watts: 'next' } })
      const key = { 'Idempotency-Key': 'once' }
      for (const body of [
        { id: 'one-9', name: 'h' },
        { id: 'one-9', name: 'h' },
      ])
        await create(body, key)
      await create({ name: 'i', refs: { cmdb: '4' } })
      for (const id of ['one-8', 'one-9', 'cmdb:4', 'none']) await get(`/${id}`)
    }))

  test('lists are filtered, ordered and cut alike', () =>
    compare(async ({ list }) => {
      for (const query of [
        ...['', 'limit=3', 'limit=2&offset=3', 'limit=0', 'name=A', 'name=%25', 'managed_by=git', 'datacenter_id=dc'],
        ...['sort=-name', 'sort=created_at', 'sort=custom.watts', 'sort=-custom.watts&limit=4', 'sort=custom.nothing'],
        ...['custom.owner=team 1', 'custom.owner=', 'custom.owner=*', 'custom.watts.min=95&custom.watts.max=98'],
        ...['custom.states=old&sort=custom.owner', 'custom.site=dc', 'custom.lent=true', 'custom.address=10.0.0.3'],
        ...[
          'custom.address=010',
          'custom.watts=x',
          'custom.none=1',
          'name=A&custom.owner=team 2',
          'datacenter_id=none',
        ],
      ])
        await list(query)
    }))

  test('changes are made, refused, previewed and repeated alike', () =>
    compare(async ({ update, get }, { resource }) => {
      const before = await get('/one-0')
      await update('one-0', { name: 'b2', custom: { owner: null, watts: 7 } }, { 'If-Match': '"stale"' })
      await update(
        'one-0',
        { name: 'b2', custom: { owner: null, watts: 7 } },
        { 'If-Match': before.headers.get('etag') ?? '' },
      )
      await update('one-0', { custom: { watts: 99 } })
      await update('one-0', { custom: { watts: 901 } })
      await update('one-0', {})
      await update('one-1', { custom: null })
      await update('cmdb:4', { description: 'by its ref' })
      await update('none', { name: 'x' })
      await update('one-0?dry_run=changes', { name: 'previewed' })
      await get('/one-0')
      expect(resource).not.toBe('')
    }))

  test('the history has each change, and undoes it', () =>
    compare(async ({ update, remove, get, raw }, { resource }) => {
      await update('one-2', { name: 'renamed', custom: { owner: 'Other' } })
      const change = await newestChange()
      await raw(`GET /api/${resource}/one-2/history`)
      await raw(`POST /api/history/${change}/undo`, {})
      await get('/one-2')
      await get(`/one-2?as_of=${change}`)
      await remove('one-2')
      const removal = await newestChange()
      await get('/one-2')
      await raw(`POST /api/history/${removal}/undo`, {})
      await get('/one-2')
    }))

  test('lists are read as of a moment', () =>
    compare(async ({ update, list }) => {
      const moment = await newestChange()
      await update('one-5', { name: 'later', datacenter_id: 'far', custom: { owner: 'Later', watts: 500 } })
      for (const query of ['', 'custom.owner=later', 'sort=-custom.watts', 'datacenter_id=dc', 'name=a'])
        for (const at of ['', `&as_of=${moment}`]) await list(`${query}${at}`)
    }))

  test('rows are imported alike', () =>
    compare(async ({ answers, list }, { resource, own }) => {
      const raw = async (http: string, body: object) => {
        const response = await all.app.send(http, { key: all.admin.key, body })
        // The last line is the result.
        const last = (await response.text()).trim().split('\n').at(-1) ?? ''
        answers.push([response.status, toCommon(JSON.parse(last))])
      }
      const rows = [
        { ...own, id: 'one-6', name: 'imported', custom: { owner: 'Import' } },
        { ...own, id: 'one-new', name: 'new', custom: { watts: 300 } },
        { ...own, id: 'one-bad', name: 'bad', custom: { watts: 0 } },
      ]
      await raw(`POST /api/estate/import?resource=${resource}&dry_run=true`, rows)
      await raw(`POST /api/estate/import?resource=${resource}`, rows)
      await raw(`POST /api/estate/import?resource=${resource}`, rows.slice(0, 2))
      await raw(`POST /api/estate/import?resource=${resource}`, rows.slice(0, 2))
      await list('name=new')
    }))

  test('documents are applied, compared, pruned and exported alike', () =>
    compare(async ({ raw }, { resource, ownRow }) => {
      const rows = (last: string) => [
        { ...ownRow, name: 'coded 1', datacenter: 'FRA1', custom: { owner: 'Code', site: 'AMS1', watts: 401 } },
        { ...ownRow, name: last, custom: { states: ['old'] } },
      ]
      const apply = (last: string, more: Row = {}) =>
        raw('POST /api/estate/apply', { [resource]: rows(last), managed_by: `code/${resource}`, prune: true, ...more })
      await apply('coded 2', { dry_run: true })
      await apply('coded 2')
      await apply('coded 2')
      await apply('coded 3')
      await raw('POST /api/estate/apply', { [resource]: [{ ...ownRow, name: 'x', custom: { site: 'Nowhere' } }] })
      await raw(`GET /api/estate/export?resource=${resource}&managed_by=code/${resource}`)
    }))

  test('callers with a role in a scope see and change the part alike', async () => {
    const { ask } = all.admin
    const { body: scope } = await ask('POST /api/scopes', { name: 'fra', datacenter_ids: ['dc'] })
    const ada = await all.person()
    const grant = { role_id: 'operator', user_id: ada.id, scope_id: (scope as { readonly id: string }).id }
    expect((await ask('POST /api/grants', grant)).status).toBe(201)
    await compare(
      async ({ list, get, create, update, remove }) => {
        for (const query of ['', 'limit=2', 'sort=-custom.watts', 'custom.owner=team 1', 'datacenter_id=far'])
          await list(query)
        for (const id of ['one-1', 'one-3', 'one-5']) await get(`/${id}`)
        await create({ name: 'inside', id: 'inside', datacenter_id: 'room' })
        await create({ name: 'nowhere' })
        await create({ name: 'outside', datacenter_id: 'far' })
        await update('inside', { description: 'changed' })
        await update('inside', { datacenter_id: null })
        await update('one-3', { name: 'hidden' })
        await remove('inside')
      },
      () => ada,
    )
  })

  test('a model sees a deletion before it is made', () =>
    compare(async ({ answers, get }, { resource }) => {
      const peer = { fetch: all.app.fetch, key: all.admin.key }
      const { value } = await callTool(peer, 'call_operation', {
        operation: `${resource}.delete`,
        input: { id: 'one-7' },
      })
      const { plan_id: plan, ...shown } = value as Row & { readonly plan_id?: unknown }
      answers.push(toCommon(shown))
      await get('/one-7')
      const { value: done } = await callTool(peer, 'apply_plan', { plan_id: plan })
      answers.push(toCommon(done))
      await get('/one-7')
    }))

  test('the search finds them by their texts and values', () =>
    compare(async ({ answers }, { resource }) => {
      const type = resource === 'racks' ? 'rack' : 'object'
      for (const q of ['coded', 'Team 1', '10.0.0.3', 'by its ref']) {
        const { results } = (await all.admin.ask(`GET /api/search?q=${q}`)).body as {
          readonly results: readonly (Row & { readonly type: string })[]
        }
        answers.push([q, toCommon(results.filter((one) => one.type === type))])
      }
    }))

  test('a definition that changes takes the values along', () =>
    compare(async ({ get, list, raw }, { definitions }) => {
      const { body } = await all.admin.ask(`GET /api/custom-fields?resource=${definitions}`)
      const idOf = (name: string) =>
        (body as { readonly id: string; readonly name: string }[]).find((one) => one.name === name)?.id ?? ''
      const change = async (name: string, more: Row) => all.admin.ask(`PUT /api/custom-fields/${idOf(name)}`, more)
      expect((await change('owner', { name: 'team' })).status).toBe(200)
      await get('/one-3')
      await list('custom.team=team 0')
      expect((await change('states', { rename_choices: { old: 'ancient' } })).status).toBe(200)
      await list('custom.states=ancient')
      expect((await all.admin.ask(`DELETE /api/custom-fields/${idOf('watts')}?force=true`)).status).toBe(204)
      await list('limit=3')
      await raw(`GET /api/custom-fields?resource=${definitions}&include=usage`)
    }))
})

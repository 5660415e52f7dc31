// An upgrade of a pack: the file of the version before, the new file and the stored rows are compared.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { type TestApp, type TestCaller, testApp } from '../../../testing/app/app.ts'
import { countCases } from '../../../testing/cases.ts'
import { ask } from '../../../testing/estates/inventory.ts'
import { type Dialect, engines, onSqlite } from '../../../testing/servers/servers.ts'
import { createPacks } from './files.ts'
import type { PackFile } from './released.ts'

type Row = Readonly<Record<string, unknown>>

const FIRST: PackFile = {
  ...{ name: 'circuits', version: 1, title: 'Circuits', description: 'Lines' },
  kinds: [
    { id: 'lines', name: 'Lines', icon: 'route', position: 1 },
    { id: 'old-lines', name: 'Old lines', position: 2 },
    { id: 'spare-lines', name: 'Spare lines', position: 3 },
  ],
  'custom-fields': [
    { resource: 'lines', name: 'status', type: 'choice', choices: ['new', 'up', 'down'], position: 0 },
    { resource: 'lines', name: 'rate', type: 'integer', minimum: 0, position: 1 },
    { resource: 'lines', name: 'note', type: 'text', position: 2 },
    { resource: 'lines', name: 'former', type: 'text', position: 3 },
    { resource: 'devices', name: 'line', type: 'reference', reference_to: 'lines', label: 'Line', position: 0 },
    { resource: 'old-lines', name: 'end', type: 'text', position: 0 },
  ],
}
const SECOND: PackFile = {
  ...{ name: 'circuits', version: 2, title: 'Circuits', description: 'Lines' },
  kinds: [
    { id: 'lines', name: 'Leased lines', icon: 'zap', description: 'All lines', nested: true, position: 1 },
    { id: 'spare-lines', name: 'Spare lines', located: true, unique_names: true, position: 4 },
    { id: 'rings', name: 'Rings', position: 5 },
  ],
  'custom-fields': [
    {
      resource: 'lines',
      name: 'status',
      type: 'choice',
      choices: ['up', 'planned', 'down'],
      label: 'State',
      position: 0,
    },
    { resource: 'lines', name: 'rate', type: 'integer', minimum: 1, maximum: 1000, unique: true, position: 1 },
    { resource: 'lines', name: 'note', type: 'text', searchable: true, description: 'Any text', position: 3 },
    { resource: 'lines', name: 'ring', type: 'reference', reference_to: 'rings', position: 4 },
    {
      resource: 'devices',
      name: 'line',
      type: 'reference',
      reference_to: 'lines',
      label: 'Leased line',
      group: 'Lines',
      position: 1,
    },
    { resource: 'rings', name: 'vlan', type: 'integer', position: 0 },
  ],
}

type Stored = { readonly id: string; readonly managed_by: string; readonly updated_at: string } & Row
type Definitions = {
  readonly kinds: readonly Stored[]
  readonly fields: readonly Stored[]
  readonly objects: readonly Stored[]
}
type Answer = {
  readonly name: string
  readonly version: number
  readonly from: number | null
  readonly created: number
  readonly updated: number
  readonly removed: number
  readonly kept: readonly { readonly resource: string; readonly name: string; readonly field: string | null }[]
}

/** Starts a server before the tests of a suite. It has the first version of the pack, until it gets both. */
const startSuite = (dialect: Dialect) => {
  let files: readonly PackFile[] = [FIRST]
  let app: TestApp | undefined
  let admin: TestCaller | undefined
  beforeAll(async () => {
    app = await testApp({ dialect, packs: () => createPacks(files) })
    admin = await app.as('admin')
  }, 60_000)
  afterAll(() => app?.close())
  const send = async (http: string, body?: object) => {
    if (!admin) throw new Error('the server is there in the tests')
    return ask(admin, http, body)
  }
  const list = async (path: string) => (await send(`GET /api/${path}`)).body as readonly Stored[]
  const read = async (): Promise<Definitions> => ({
    kinds: await list('kinds'),
    fields: await list('custom-fields'),
    objects: await list('objects'),
  })
  const install = async (): Promise<Answer> => {
    const answer = await send('POST /api/packs/circuits/install')
    expect(answer).toMatchObject({ status: 200 })
    return answer.body as Answer
  }
  const begin = async () => {
    const { kinds, fields, objects } = await read()
    for (const { id } of objects) await send(`DELETE /api/objects/${id}`)
    // A definition that a condition names goes after the other one.
    for (const { id } of [...fields, ...fields]) await send(`DELETE /api/custom-fields/${id}?force=true`)
    for (const { id } of kinds) await send(`DELETE /api/kinds/${id}`)
    files = [FIRST]
    await install()
  }
  const upgrade = (): Promise<Answer> => {
    files = [FIRST, SECOND]
    return install()
  }
  const undo = async () => {
    const [change] = await list('history?limit=1')
    expect(await send(`POST /api/history/${change?.id}/undo`)).toMatchObject({ status: 200 })
  }
  return { send, read, begin, upgrade, undo, install }
}

const isField = (row: Row): boolean => row.resource !== undefined
const keyOf = (row: Row): string => (isField(row) ? `${row.resource}.${row.name}` : String(row.id))
const rowsOf = ({ kinds, fields }: Definitions): readonly Stored[] => [...kinds, ...fields]
const withoutTimes = (row: Stored): Row => {
  const { created_at: _, updated_at: __, ...others } = row
  return others
}
const states = (all: Definitions): Row[] =>
  [...rowsOf(all), ...all.objects].map(withoutTimes).sort((a, b) => (String(a.id) < String(b.id) ? -1 : 1))

/** The canonical rows of a file, by key. */
const rowsOfFile = (file: PackFile): ReadonlyMap<string, Row> =>
  new Map(createPacks([file]).latest.flatMap(({ rows }) => rows.map(({ key, document }) => [key, document] as const)))
const [FIRST_ROWS, SECOND_ROWS] = [rowsOfFile(FIRST), rowsOfFile(SECOND)]

const OF_ROW = new Set([
  'id',
  'resource',
  'refs',
  'managed_by',
  'created_at',
  'updated_at',
  'type',
  'multiple',
  'reference_to',
])
const fieldsOf = (row: Row): string[] =>
  Object.keys(row).filter((field) => !OF_ROW.has(field) && !(field === 'name' && isField(row)))
const isSame = (a: unknown, b: unknown): boolean => Bun.deepEquals(a ?? null, b ?? null)

describe.each(engines())('an upgrade on %s', (dialect) => {
  const { begin, read, upgrade, undo, install, send } = startSuite(dialect)

  test('brings what the new version changes, and takes back what it drops', async () => {
    await begin()
    expect(await upgrade()).toEqual({
      name: 'circuits',
      version: 2,
      from: 1,
      created: 3,
      updated: 6,
      removed: 3,
      kept: [],
    })
    const after = await read()
    expect(new Map(rowsOf(after).map((row) => [keyOf(row), row.managed_by]))).toEqual(
      new Map([...SECOND_ROWS.keys()].map((key) => [key, 'pack/circuits@2'])),
    )
    for (const row of rowsOf(after)) expect(row).toMatchObject({ ...SECOND_ROWS.get(keyOf(row)), id: row.id })
  })

  test('is undone as one change', async () => {
    await begin()
    const before = await read()
    await upgrade()
    await undo()
    expect(states(await read())).toEqual(states(before))
  })

  test('keeps choices that objects have, appends new ones, and keeps those of users', async () => {
    await begin()
    const status = (await read()).fields.find(({ name }) => name === 'status')
    await send(`PUT /api/custom-fields/${status?.id}`, { choices: ['mine', 'down', 'new'] })
    await send('POST /api/objects', { kind_id: 'lines', name: 'L', custom: { status: 'new' } })
    const { kept } = await upgrade()
    expect(kept).toEqual([{ resource: 'custom-fields', name: 'lines.status', field: 'choices' }])
    expect((await read()).fields.find(({ name }) => name === 'status')).toMatchObject({
      choices: ['mine', 'down', 'new', 'planned'],
      label: 'State',
    })
  })

  test('keeps a dropped row that is used or changed, without an owner', async () => {
    await begin()
    const { fields } = await read()
    await send('POST /api/objects', { kind_id: 'lines', name: 'L', custom: { former: 'x' } })
    await send(`PUT /api/custom-fields/${fields.find(({ name }) => name === 'end')?.id}`, { label: 'Far end' })
    expect(await upgrade()).toMatchObject({
      removed: 0,
      kept: [
        { resource: 'kinds', name: 'old-lines', field: null },
        { resource: 'custom-fields', name: 'lines.former', field: null },
        { resource: 'custom-fields', name: 'old-lines.end', field: null },
      ],
    })
    const released = rowsOf(await read()).filter(({ managed_by }) => managed_by === '')
    expect(released.map(keyOf)).toEqual(['old-lines', 'lines.former', 'old-lines.end'])
  })

  test('leaves out a change that values exclude', async () => {
    await begin()
    for (const name of ['a', 'b']) await send('POST /api/objects', { kind_id: 'lines', name, custom: { rate: 5 } })
    const { kept } = await upgrade()
    expect(kept.map(({ name, field }) => [name, field])).toEqual([
      ['lines.rate', 'unique'],
      ['lines.rate', 'minimum'],
      ['lines.rate', 'maximum'],
    ])
    const rate = (await read()).fields.find(({ name }) => name === 'rate')
    expect(rate).toMatchObject({ unique: false, minimum: 0, managed_by: 'pack/circuits@2' })
  })

  test('of a row that a user has deleted does not make it again', async () => {
    await begin()
    const { fields } = await read()
    await send(`DELETE /api/custom-fields/${fields.find(({ name }) => name === 'note')?.id}`)
    await upgrade()
    expect((await read()).fields.map(({ name }) => name)).not.toContain('note')
    expect(await install()).toMatchObject({ created: 0 })
  })

  test('is refused by a field of a user with the name of a new one and another type', async () => {
    await begin()
    await send('POST /api/custom-fields', { resource: 'lines', name: 'ring', type: 'text' })
    const before = await read()
    await expect(upgrade()).rejects.toThrow()
    expect(states(await read())).toEqual(states(before))
  })
})

const pick = <T>(...values: T[]) => fc.constantFrom(...values)
const kindPatch = pick<Row>(
  ...[
    { name: 'Wires' },
    { name: 'Leased lines' },
    { icon: 'star' },
    { icon: 'zap' },
    { description: 'Ours' },
    { nested: true },
  ],
  ...[
    { located: true },
    { unique_names: false },
    { position: 9 },
    { singular: 'Thing' },
    { managed_by: '' },
    { navigation: false },
  ],
)
const fieldPatch = pick<Row>(
  ...[
    { label: 'Ours' },
    { label: 'State' },
    { description: 'Ours' },
    { position: 7 },
    { group: 'Ours' },
    { required: true },
  ],
  ...[{ minimum: 50, maximum: 60 }, { minimum: 2000 }, { maximum: 1000 }, { pattern: '[a-z]+' }, { searchable: true }],
  ...[
    { choices: ['up', 'mine', 'new', 'down'] },
    { choices: ['up', 'down'] },
    { choices: ['new', 'up', 'down', 'PLANNED'] },
  ],
  ...[
    { default: 'new' },
    { default: 7 },
    { name: 'renamed' },
    { managed_by: '' },
    { unique: true },
    { only_for: null },
  ],
  { only_for: { field: 'custom.status', values: ['new'] } },
)
const edit = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: pick('lines', 'old-lines', 'spare-lines'), patch: kindPatch }) },
  {
    weight: 6,
    arbitrary: fc.record({ field: pick('status', 'rate', 'note', 'former', 'line', 'end'), patch: fieldPatch }),
  },
  fc.record({ deletedField: pick('status', 'rate', 'note', 'former', 'line', 'end') }),
  fc.record({ deletedKind: pick('old-lines', 'spare-lines') }),
  fc.record({
    object: pick<Row>(
      ...[
        { kind_id: 'lines', custom: { status: 'new', rate: 5 } },
        { kind_id: 'lines', custom: { former: 'x' } },
      ],
      ...[{ kind_id: 'old-lines' }, { kind_id: 'spare-lines' }, { kind_id: 'lines', custom: { rate: 5 } }],
    ),
  }),
  fc.record({
    own: pick<Row>(
      ...[
        { resource: 'lines', name: 'mine', type: 'text' },
        { resource: 'old-lines', name: 'own', type: 'text' },
      ],
      ...[
        { resource: 'racks', name: 'old', type: 'reference', reference_to: 'old-lines' },
        { resource: 'lines', name: 'ring', type: 'reference', reference_to: 'rings' },
      ],
    ),
  }),
)
type Edit = typeof edit extends fc.Arbitrary<infer T> ? T : never

describe.each(onSqlite())('edits of users on %s', (dialect) => {
  const { begin, read, upgrade, undo, install, send } = startSuite(dialect)
  let objects = 0

  const apply = async (one: Edit): Promise<void> => {
    const { fields } = await read()
    const idOf = (name: string) => fields.find((field) => field.name === name)?.id ?? 'none'
    if ('kind' in one) await send(`PUT /api/kinds/${one.kind}`, one.patch)
    else if ('field' in one) await send(`PUT /api/custom-fields/${idOf(one.field)}`, one.patch)
    else if ('deletedField' in one) await send(`DELETE /api/custom-fields/${idOf(one.deletedField)}?force=true`)
    else if ('deletedKind' in one) await send(`DELETE /api/kinds/${one.deletedKind}`)
    else if ('object' in one) await send('POST /api/objects', { ...one.object, name: `o${++objects}` })
    else await send('POST /api/custom-fields', one.own)
  }

  /** A field of a stored row that the user has changed since the first version keeps its value. */
  const expectKept = (before: Definitions, after: Definitions): void => {
    const stored = new Map(rowsOf(after).map((row) => [row.id, row]))
    for (const row of rowsOf(before)) {
      const first = FIRST_ROWS.get(keyOf(row))
      const now = stored.get(row.id)
      const isOwn = row.managed_by === 'pack/circuits@1' && first !== undefined
      if (!isOwn) {
        // A row of the user.
        expect(now && { ...now, managed_by: row.managed_by, updated_at: row.updated_at }).toEqual(row)
        continue
      }
      const edited = fieldsOf({ ...first, ...row }).filter((field) => !isSame(row[field], first[field]))
      if (!now) {
        expect([keyOf(row), edited, SECOND_ROWS.has(keyOf(row))]).toEqual([keyOf(row), [], false])
        continue
      }
      for (const field of edited)
        if (field === 'choices') {
          const [old, own, left] = [first.choices, row.choices, now.choices] as string[][]
          expect(left).toEqual(expect.arrayContaining((own ?? []).filter((choice) => !old?.includes(choice))))
          expect((old ?? []).filter((choice) => !own?.includes(choice) && left?.includes(choice))).toEqual([])
        } else expect([keyOf(row), field, now[field]]).toEqual([keyOf(row), field, row[field]])
    }
  }

  /** A field that the user has not changed has the value of the new version, or the answer names it. */
  const expectBrought = (before: Definitions, after: Definitions, { kept }: Answer): void => {
    const isKept = (key: string, field: string) =>
      kept.some((one) => one.name === key && (one.field === null || one.field === field))
    const old = new Map(rowsOf(before).map((row) => [row.id, row]))
    for (const row of rowsOf(after)) {
      const [key, was] = [keyOf(row), old.get(row.id)]
      const [first, second] = [FIRST_ROWS.get(key), SECOND_ROWS.get(key)]
      if (row.managed_by !== 'pack/circuits@2' || !second || (was && !first)) continue
      for (const field of fieldsOf(second)) {
        const isEdited = was !== undefined && !isSame(was[field], first?.[field])
        if (!isEdited && !isKept(key, field) && field !== 'choices')
          expect([key, field, row[field]]).toEqual([key, field, second[field]])
      }
    }
  }

  test('are never lost by an upgrade, which is done once and undone as one', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(edit, { minLength: 4, maxLength: 4 }), async (edits) => {
        await begin()
        for (const one of edits) await apply(one)
        const before = await read()
        const isInstalled = rowsOf(before).some(({ managed_by }) => managed_by === 'pack/circuits@1')
        const answer = await upgrade()
        const after = await read()
        expect(after.objects).toEqual(before.objects)
        if (isInstalled) {
          expectKept(before, after)
          expectBrought(before, after, answer)
        }
        expect(await install()).toMatchObject({ created: 0, updated: 0, removed: 0, kept: [] })
        expect(await read()).toEqual(after)
        await undo()
        expect(states(await read())).toEqual(states(before))
      }),
      { numRuns: countCases(250) },
    )
  }, 600_000)
})

/** The recorded events of a test app, and their comparison with the history: one event an object and change. */
import { expect } from 'bun:test'
import { INVENTORY } from '../src/inventory/resources.ts'
import type { Item } from '../src/record/history/api.ts'
import { toKind } from '../src/resource/nouns.ts'
import type { TestApp, TestCaller } from './app/app.ts'

type Data = Readonly<Record<string, unknown>>

export type RecordedEvent = {
  readonly seq: number
  readonly event: string
  readonly resource_id: string
  readonly change_id: string
  readonly data: Data
}

/** Returns the events after a number, in their order. */
export const readEvents = async (app: Pick<TestApp, 'db'>, after = 0): Promise<RecordedEvent[]> => {
  const rows = await app.db.read.selectFrom('events').selectAll().where('seq', '>', after).orderBy('seq').execute()
  return rows.map(({ seq, data, ...row }) => ({ ...row, seq: Number(seq), data: JSON.parse(data) as Data }))
}

export const findLastSeq = async (app: Pick<TestApp, 'db'>): Promise<number> => {
  const { last } = await app.db.read
    .selectFrom('events')
    .select(({ fn }) => fn.max('seq').as('last'))
    .executeTakeFirstOrThrow()
  return Number(last ?? 0)
}

const KINDS: ReadonlySet<string> = new Set(INVENTORY.map(toKind))
const VERBS = { create: 'created', update: 'updated', delete: 'deleted' } as const

const toData = (value: unknown): Data => (value ?? {}) as Data

/** Returns the names of changed fields as an event has them. */
const listChanged = ({ fields }: Item): string[] =>
  Object.entries(fields).flatMap(([name, { from, to }]) => {
    if (name !== 'custom') return [name]
    const [before, after] = [toData(from), toData(to)]
    const names = [...new Set([...Object.keys(before), ...Object.keys(after)])]
    return names.filter((one) => !Bun.deepEquals(before[one], after[one])).map((one) => `custom.${one}`)
  })

/** Returns the expected event, by the history. The data has each field of the item with its last value. */
const toExpected = (item: Item) => {
  const { kind, id, change, fields } = item
  const values = Object.entries(fields).flatMap(([name, { from, to }]) => {
    const value = change === 'delete' ? from : to
    return value === null ? [] : [[name, value] as const]
  })
  return {
    event: `${kind.replaceAll('-', '_')}.${VERBS[change]}`,
    resource_id: id,
    changes: change === 'update' ? listChanged(item).sort() : undefined,
    values: Object.fromEntries(values),
  }
}

type Expected = ReturnType<typeof toExpected>

const toFound = ({ event, resource_id, data }: RecordedEvent, wanted: Expected | undefined) => ({
  event: event === 'device.promoted' ? 'device.created' : event,
  resource_id,
  changes: Array.isArray(data.changes) ? [...(data.changes as string[])].sort() : undefined,
  // Ends of cables have names beside the stored ids.
  values: Object.fromEntries(
    Object.entries(wanted?.values ?? {}).map(([name, value]) => {
      const told = data[name]
      const isEnd = wanted?.event.startsWith('cable.') && (name === 'a' || name === 'b')
      return [
        name,
        isEnd ? Object.fromEntries(Object.keys(toData(value)).map((key) => [key, toData(told)[key]])) : told,
      ]
    }),
  ),
})

const compareKeys = (a: { event: string; resource_id: string }, b: typeof a): number =>
  `${a.resource_id} ${a.event}` < `${b.resource_id} ${b.event}` ? -1 : 1

/** Compares the events of a change with its objects in the history. @returns the number of compared events */
export const expectAsHistory = async (
  { api }: Pick<TestCaller, 'api'>,
  changeId: string,
  events: readonly RecordedEvent[],
): Promise<number> => {
  const items = await api.history.items({ id: changeId })
  const wanted = items
    .filter(({ kind, change, fields }) => KINDS.has(kind) && (change !== 'update' || Object.keys(fields).length > 0))
    .map(toExpected)
    .sort(compareKeys)
  const own = events.filter(({ change_id }) => change_id === changeId)
  const byId = new Map(wanted.map((one) => [`${one.event} ${one.resource_id}`, one]))
  const found = own.map((one) => {
    const name = one.event === 'device.promoted' ? 'device.created' : one.event
    return toFound(one, byId.get(`${name} ${one.resource_id}`))
  })
  expect(found.sort(compareKeys)).toEqual(wanted)
  return own.length
}

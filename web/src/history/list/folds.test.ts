/** Changes of one user with one operation within a minute are one row. */
import { expect, test } from 'bun:test'
import type { Change } from '../../api/contracts.ts'
import { formatRow } from '../sentences/fold.ts'
import { foldChanges, listRows } from './folds.ts'

type ChangeObject = Change['objects'][number]

const START = Date.parse('2026-11-28T14:00:00.000Z')

const change = (id: string, seconds: number, more: Partial<Change> = {}): Change => ({
  ...{ id, at: new Date(START + seconds * 1000).toISOString(), operation: 'devices.update', user_id: 'u1' },
  ...{ username: 'ada', via: 'session', key_id: '', oauth_client: '', tool: '', ip_address: '', request_id: '' },
  ...{
    note: '',
    summary: 'changes 1 device',
    counts: { update: { device: 1 } },
    undoes: null,
    undone_by: null,
    proposal_id: '',
  },
  objects: [{ kind: 'device', id: `device of ${id}`, name: `web-${id}`, change: 'update', fields: [] }],
  ...more,
})
const listIds = (changes: readonly Change[]) => foldChanges(changes).map((fold) => fold.map(({ id }) => id).join(' '))

test('consecutive changes of one user with one operation fold up to a minute before the newest', () => {
  expect(listIds([change('4', 100), change('3', 99), change('2', 40), change('1', 39)])).toEqual(['4 3 2', '1'])
})

test('another user, another operation, or a change between keeps changes apart', () => {
  const other = change('2', 2, { user_id: 'u2', username: 'bob' })
  expect(listIds([change('3', 3), other, change('1', 1)])).toEqual(['3', '2', '1'])
  expect(listIds([change('2', 2, { operation: 'devices.create' }), change('1', 1)])).toEqual(['2', '1'])
})

test('a row has at most 100 changes', () => {
  const changes = Array.from({ length: 250 }, (_, i) => change(`${i}`, -i / 10))
  expect(foldChanges(changes).map((fold) => fold.length)).toEqual([100, 100, 50])
})

test('an opened row has its changes below it, also when a newer change joins it', () => {
  const [newest, ...changes] = [change('4', 4), change('3', 3), change('2', 2)] as const
  const rowsOf = (all: readonly Change[], opened: string[]) =>
    listRows(all, new Set(opened)).map(({ id, level, isExpanded }) => [id, level, isExpanded])
  expect(rowsOf(changes, [])).toEqual([['fold 3', 1, false]])
  expect(rowsOf([newest, ...changes], ['3', '2'])).toEqual([
    ['fold 4', 1, true],
    ['4', 2, undefined],
    ['3', 2, undefined],
    ['2', 2, undefined],
  ])
  expect(rowsOf([newest], ['4'])).toEqual([['4', 1, undefined]])
})

const device = (name: string, more: Partial<ChangeObject> = {}): ChangeObject => ({
  ...{ kind: 'device', id: `id of ${name}`, name, change: 'update', fields: [] },
  ...more,
})

test('changes of one kind to different objects read as one change', () => {
  const changes = ['a', 'b', 'c'].map((name) =>
    change(name, 0, { objects: [device(name, { change: 'create' })], counts: { create: { device: 1 } } }),
  )
  expect(formatRow([change('x', 0, changes[0]), ...changes.slice(1)])).toBe('3 devices created: a, b and 1 other')
})

test('other changes are counted, with the first objects', () => {
  const again = [change('2', 0, { objects: [device('a')] }), change('1', 0, { objects: [device('a')] })] as const
  expect(formatRow(again)).toBe('2 changes: a')
  const many = { objects: [device('b'), device('c'), device('d')], counts: { update: { device: 50 } } }
  expect(formatRow([...again, change('0', 0, many)])).toBe('3 changes: a, b and others')
  expect(formatRow([again[0], change('3', 0, { objects: [device('b')], undoes: '1' })])).toBe('2 devices changed: a, b')
  const undone = again.map((one) => change(one.id, 0, { ...one, undoes: 'x' }))
  expect(formatRow([change('9', 0, { undoes: 'y', objects: [device('b')] }), ...undone])).toBe('3 undos: b, a')
})

// The change record: the order of the objects, and the documents that it keeps.
import { expect, test } from 'bun:test'
import { ChangeRecord } from './change-record.ts'

const MIB = 1024 * 1024

test('the objects are in the order of their first writes, with their last documents', async () => {
  const record = new ChangeRecord()
  record.add('device', { id: 'a', after: '1' })
  record.add('rack', { id: 'b', before: '0', after: '1' })
  record.add('device', { id: 'a', before: '1', after: '2' })
  expect(await record.items()).toEqual([
    { kind: 'device', id: 'a', before: undefined, change: 'create', after: '2', firstWrite: 0, event: undefined },
    { kind: 'rack', id: 'b', before: '0', change: 'update', after: '1', firstWrite: 1, event: undefined },
  ])
})

test('objects that are as before are left out', async () => {
  const record = new ChangeRecord()
  record.add('device', { id: 'a', after: '1' })
  record.add('device', { id: 'a', before: '1' })
  record.add('device', { id: 'b', before: '1', after: '2' })
  record.add('device', { id: 'b', before: '2', after: '1' })
  expect(await record.items()).toEqual([])
})

test('the positions of later writes count from the beginning', async () => {
  const record = new ChangeRecord()
  record.add('device', { id: 'a', after: '1' })
  const since = record.length
  record.add('device', { id: 'b', after: '1' })
  expect((await record.items(since)).map(({ id, firstWrite }) => [id, firstWrite])).toEqual([['b', 1]])
})

test('documents beyond 4 MiB are not kept, and documents of a rolled back savepoint make room', async () => {
  const record = new ChangeRecord()
  const add = (id: string, size: number) => record.add('device', { id, after: 'x'.repeat(size) })
  add('a', MIB)
  const savepoint = record.length
  add('b', 3 * MIB)
  add('c', 1)
  const listKept = async () => (await record.items()).filter(({ after }) => after !== undefined).map(({ id }) => id)
  expect(await listKept()).toEqual(['a', 'b'])
  record.truncate(savepoint)
  add('d', 3 * MIB)
  add('e', 1)
  expect(await listKept()).toEqual(['a', 'd'])
  expect((await record.items()).map(({ id, change }) => [id, change])).toEqual([
    ['a', 'create'],
    ['d', 'create'],
    ['e', 'create'],
  ])
})

const LIMITS = {
  maxObjects: 2,
  tooMany: () => {
    throw new Error('too many')
  },
}

test('objects without a history are recorded for a plan only, and are in no change', async () => {
  const write = { id: 'u', before: '1', after: '2', hasHistory: false } as const
  const plain = new ChangeRecord()
  expect([plain.add('user', write), plain.length]).toEqual([false, 0])
  const planned = new ChangeRecord(LIMITS)
  expect([planned.add('user', write), planned.add('device', { id: 'a', after: '1' })]).toEqual([false, true])
  expect((await planned.items()).map(({ kind }) => kind)).toEqual(['device'])
  expect((await planned.plannedItems()).map(({ kind, change, after }) => [kind, change, after])).toEqual([
    ['user', 'update', '2'],
    ['device', 'create', '1'],
  ])
})

test('a plan has a largest number of objects, without those of a rolled back savepoint', async () => {
  const record = new ChangeRecord(LIMITS)
  const add = (id: string) => record.add('device', { id, after: '1' })
  add('a')
  const savepoint = record.length
  for (const id of ['b', 'b', 'a']) add(id)
  expect(() => add('c')).toThrow('too many')
  record.truncate(savepoint)
  add('c')
  expect((await record.plannedItems()).map(({ id }) => id)).toEqual(['a', 'c'])
})

test('a plan keeps all documents', async () => {
  const record = new ChangeRecord(LIMITS)
  for (const id of ['a', 'b']) record.add('device', { id, after: 'x'.repeat(3 * MIB) })
  expect((await record.plannedItems()).map(({ after }) => after?.length)).toEqual([3 * MIB, 3 * MIB])
})

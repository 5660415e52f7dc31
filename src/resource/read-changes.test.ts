// The states of changed objects, which all features that follow a kind read.
import { expect, test } from 'bun:test'
import { createLocal } from '../database/transaction-state.ts'
import type { ChangedObject } from '../kernel/changes/change-record.ts'
import type { Ctx } from '../kernel/ctx.ts'
import { differsIn, listStates, readChanges } from './read-changes.ts'

type Thing = { readonly id: string; readonly name: string }

const toJson = (name: string): string => JSON.stringify({ id: 'a', name })
const changed = (change: Partial<ChangedObject>): ChangedObject => ({
  ...{ kind: 'thing', id: 'a', change: 'update', before: toJson('old'), after: toJson('new') },
  ...{ firstWrite: 0, event: undefined, ...change },
})

/** Reads with a source that notes the ids for which it is asked. */
const createReader = () => {
  const asked: (readonly string[])[] = []
  // Nothing else of the context is used.
  const ctx = { local: createLocal() } as unknown as Ctx
  const read = (changes: readonly ChangedObject[]) =>
    readChanges<Thing>(ctx, changes, async (_, ids) => {
      asked.push(ids)
      return new Map(ids.map((id) => [id, toJson('found')]))
    })
  return { asked, read }
}

test('documents that the record has kept are not read again', async () => {
  const { asked, read } = createReader()
  expect(await read([changed({})])).toEqual([{ before: { id: 'a', name: 'old' }, after: { id: 'a', name: 'new' } }])
  expect(asked).toEqual([])
})

test('documents that the record has not kept are read once for all features that get the same changes', async () => {
  const { asked, read } = createReader()
  const changes = [changed({ after: undefined }), changed({ id: 'b', change: 'delete', after: undefined })]
  const [first, second] = [await read(changes), await read(changes)]
  expect(asked).toEqual([['a']])
  expect(second).toBe(first)
  expect(first.map(({ after }) => after?.name)).toEqual(['found', undefined])
})

test('other changes of the same transaction are read for themselves', async () => {
  const { read } = createReader()
  await read([changed({})])
  expect(await read([changed({ before: undefined, change: 'create' })])).toEqual([
    { before: undefined, after: { id: 'a', name: 'new' } },
  ])
})

test('an object differs where a field has another value, or where it was made or deleted', () => {
  const [old, renamed] = [
    { id: 'a', name: 'old' },
    { id: 'a', name: 'new' },
  ]
  expect(differsIn({ before: old, after: renamed }, ['name'])).toBe(true)
  expect(differsIn({ before: old, after: renamed }, ['id'])).toBe(false)
  expect(differsIn<Thing>({ before: undefined, after: old }, [])).toBe(true)
  expect(listStates<Thing>({ before: undefined, after: old })).toEqual([old])
})

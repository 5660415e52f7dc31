/** The sentence of a change names its objects. */
import { expect, test } from 'bun:test'
import type { Change } from '../../api/contracts.ts'
import { composeSentence, formatSentence } from './sentence.ts'

type ChangeObject = Change['objects'][number]

const device = (name: string, more: Partial<ChangeObject> = {}): ChangeObject => ({
  ...{ kind: 'device', id: `id of ${name}`, name, change: 'update', fields: [] },
  ...more,
})
const change = (objects: ChangeObject[], counts: Change['counts'], undoes: string | null = null) => ({
  ...{ objects, counts, undoes, summary: 'changes nothing' },
})

test('an update has its fields with their old and new values', () => {
  const fields = [
    { field: 'status', from: 'active', to: 'maintenance' },
    { field: 'datacenter_id', from: null, to: 'dc1' },
    { field: 'tags' },
  ]
  const objects = [device('ams-web-1', { fields, names: { dc1: 'Amsterdam' } })]
  expect(formatSentence(change(objects, { update: { device: 1 } }))).toBe(
    'ams-web-1 status active → maintenance, datacenter none → Amsterdam, tags changed',
  )
})

test('objects of other kinds stand after "with"', () => {
  const objects = [device('ams-old-3', { change: 'delete' })]
  const counts = { delete: { device: 1, relationship: 2, cable: 1 } }
  expect(formatSentence(change(objects, counts))).toBe('ams-old-3 deleted, with 2 relationships and 1 cable')
  expect(formatSentence(change(objects, { ...counts, update: { network: 1 } }))).toBe(
    'ams-old-3 deleted, with 2 relationships, 1 cable and 1 network changed',
  )
})

test('many objects are counted, and two of them are named', () => {
  const objects = ['par-1', 'par-2', 'par-3'].map((name) => device(name, { change: 'create' }))
  expect(formatSentence(change(objects, { create: { device: 20_000 } }))).toBe(
    '20,000 devices created: par-1, par-2 and 19,998 others',
  )
  expect(formatSentence(change(objects.slice(0, 2), { create: { device: 2 } }))).toBe('2 devices created: par-1, par-2')
  expect(formatSentence(change(objects, { create: { device: 3 } }))).toBe('3 devices created: par-1, par-2 and 1 other')
})

test('an undo says what was undone', () => {
  const made = [device('ams-old-2', { change: 'create' })]
  expect(formatSentence(change(made, { create: { device: 1 } }, 'x'))).toBe('Undid: ams-old-2 deleted')
  const back = [device('a', { fields: [{ field: 'os', from: 'new', to: 'old' }] })]
  expect(formatSentence(change(back, { update: { device: 1 } }, 'x'))).toMatch(/^Undid: a .* old → new$/)
})

test('a change without an object that the caller sees has its summary', () => {
  expect(composeSentence(change([], {}))).toEqual([{ text: 'changes nothing' }])
})

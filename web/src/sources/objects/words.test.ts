import { expect, test } from 'bun:test'
import type { SourceObject } from './queries.ts'
import { getSubtitle, getVerdict, isApplicable, listDifferences, listNotes, listObjectValues } from './words.ts'

const OBJECT: SourceObject = {
  ...{ id: 'devices vm/1', source_id: 's', source: 'Lab', resource: 'devices', key: 'vm/1', type: 'vm', place: '' },
  ...{ name: 'web', object_id: null, state: 'changed', action: 'create', fields: {}, kept: {}, why: '', because: '' },
  ...{ message: '', missing_since: null, facts: {}, first_seen_at: '', updated_at: '' },
}

test('an object is called by the action of an apply, or by its state', () => {
  const call = (part: Partial<SourceObject>) => getVerdict({ ...OBJECT, ...part }).text
  expect([call({}), call({ action: 'update' }), call({ state: 'gone', action: 'decommission' })]).toEqual([
    ...['new', 'change', 'decommission'],
  ])
  expect([call({ state: 'kept', action: 'none' }), call({ state: 'failed', action: 'update' })]).toEqual([
    ...['kept', 'refused'],
  ])
})

test('a new object has the values of the source, without the fields that only Plat reads', () => {
  const fields = {
    os: { from: null, to: 'Debian' },
    refs: { from: null, to: { lab: 'vm/1' } },
    role: { from: null, to: '' },
  }
  expect(listDifferences({ ...OBJECT, fields })).toEqual([{ label: 'Operating system', text: 'Debian' }])
})

test('a changed object has both values, and the kept ones with the reason', () => {
  const fields = { os: { from: '', to: 'Debian' } }
  const kept = { description: { here: 'Mine', source: 'Theirs', why: 'edited' as const } }
  expect(listObjectValues({ ...OBJECT, action: 'update', place: 'DC1', fields, kept })).toEqual([
    { label: 'Place', text: 'DC1' },
    { label: 'Operating system', from: 'empty', text: 'Debian' },
    { label: 'Description', text: 'Mine stays (changed by a person); the source says Theirs' },
  ])
})

test('only changes and deletions of a person can be overruled', () => {
  const kept = (why: 'edited' | 'locked') => ({ os: { here: 'a', source: 'b', why } })
  const isOpen = (part: Partial<SourceObject>) => isApplicable({ ...OBJECT, state: 'kept', action: 'none', ...part })
  expect([isOpen({ kept: kept('edited') }), isOpen({ why: 'deleted' })]).toEqual([true, true])
  expect([isOpen({ kept: kept('locked') }), isOpen({ why: 'owner' })]).toEqual([false, false])
})

test('an object that is gone is applied once it is due', () => {
  const gone = { state: 'gone', missing_since: '2026-01-01T00:00:00.000Z' } as const
  expect(isApplicable({ ...OBJECT, ...gone, action: 'delete' })).toBe(true)
  expect(isApplicable({ ...OBJECT, ...gone, action: 'none' })).toBe(false)
  expect(listNotes({ ...OBJECT, ...gone, action: 'none' }).join()).toContain('nothing is done yet')
})

test('a message of the server becomes a sentence', () => {
  expect(listNotes({ ...OBJECT, message: 'the device "web" has its name' })).toEqual(['The device "web" has its name.'])
})

test('an object that a person deleted says so once', () => {
  expect(listNotes({ ...OBJECT, state: 'kept', why: 'deleted', message: 'was deleted here' })).toEqual([
    'Was deleted here.',
    'What a person deletes stays deleted.',
  ])
})

test('the line below the name of a port tells its device', () => {
  expect(getSubtitle({ ...OBJECT, resource: 'ports', key: 'qemu/100 net0', name: 'net0' })).toBe('qemu/100 net0')
  expect(getSubtitle({ ...OBJECT, resource: 'devices', key: 'qemu/100' })).toBe('device')
})

import { describe, expect, test } from 'bun:test'
import { merge } from './merge.ts'

const before = { name: 'a', tags: ['x', 'y'], note: null as string | null, place: { rack: 1 } }

describe('an update', () => {
  test('keeps absent fields', () => {
    expect(merge(before, {}).value).toEqual(before)
  })
  test('keeps undefined fields', () => {
    expect(merge(before, { name: undefined })).toEqual({ value: before, changes: [] })
  })
  test('sets given fields', () => {
    expect(merge(before, { name: 'b', note: 'n' }).value).toEqual({ ...before, name: 'b', note: 'n' })
  })
  test('clears by null', () => {
    expect(merge({ note: 'n' as string | null }, { note: null })).toEqual({ value: { note: null }, changes: ['note'] })
  })
  test('names the changed fields, in the order of the update', () => {
    expect(merge(before, { tags: ['x'], name: 'b' }).changes).toEqual(['tags', 'name'])
  })
  test('to the same changes nothing, whatever the depth', () => {
    expect(merge(before, { name: 'a', tags: ['x', 'y'], note: null, place: { rack: 1 } }).changes).toEqual([])
  })
  test('to another order of a list is a change', () => {
    expect(merge(before, { tags: ['y', 'x'] }).changes).toEqual(['tags'])
  })
  test('does not mutate the earlier object', () => {
    const kept = structuredClone(before)
    merge(before, { name: 'b', tags: [] })
    expect(before).toEqual(kept)
  })
})

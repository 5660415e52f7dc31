import { describe, expect, test } from 'bun:test'
import { RECORD_TYPES } from '../../../src/dns/records/api.ts'
import { DriftKind, RrsetState } from '../../../src/dns/zones/schema.ts'
import {
  formatSettleTitle,
  formatSide,
  formatState,
  getEffect,
  getRefusal,
  KINDS,
  planText,
  STATES,
  TYPES,
} from './labels.ts'
import type { DriftEntry } from './queries.ts'

const entry = (name: string): DriftEntry => ({
  ...{ name, type: 'A', kind: 'changed', plat: ['192.0.2.1'], server: ['192.0.2.9'], plat_ttl: 300, server_ttl: 60 },
})
const plan = { creates: 0, updates: 0, deletes: 0, blocked: 0, conflicts: 0, entries: [] }

test('the states, kinds and types equal the ones of the server', () => {
  expect(STATES).toEqual(RrsetState.options)
  expect(KINDS).toEqual(DriftKind.options)
  expect(TYPES).toEqual(RECORD_TYPES)
})

test('a state has the message of the server, or its meaning', () => {
  expect(formatState({ state: 'conflict', message: 'web-1 and web-2 differ' })).toBe('web-1 and web-2 differ')
  expect(formatState({ state: 'pending', message: '' })).toBe('On its way to the server')
})

describe('a question before drift is settled', () => {
  test('names the one entry, or the number of them', () => {
    expect(formatSettleTitle('push', [entry('www')])).toBe('Push www A?')
    expect(formatSettleTitle('pull', [entry('a'), entry('b')])).toBe('Pull 2 entries?')
  })

  test('says that a push deletes an RRset that only the server has', () => {
    expect(getEffect('push', 'foreign')).toBe('It is deleted on the server.')
  })

  test('is not asked before a push to a watched zone', () => {
    expect([getRefusal('push', { mode: 'watched' }), getRefusal('pull', { mode: 'watched' })]).toEqual([
      'A watched zone is never written',
      undefined,
    ])
  })
})

test('a side of an entry has its values and its TTL', () => {
  expect([formatSide(['192.0.2.1', '192.0.2.2'], 300), formatSide(['x'], null), formatSide([], 60)]).toEqual([
    '192.0.2.1, 192.0.2.2 · TTL 300',
    'x',
    '',
  ])
})

describe('a plan in words', () => {
  test('names the numbers that are not zero', () => {
    expect(planText({ ...plan, creates: 1200, deletes: 1, blocked: 2 })).toBe('1,200 to create, 1 to delete; 2 blocked')
  })

  test('says that nothing is sent', () => {
    expect([planText(plan), planText({ ...plan, conflicts: 1 })]).toEqual([
      'Nothing to send',
      'Nothing to send; 1 in conflict',
    ])
  })
})

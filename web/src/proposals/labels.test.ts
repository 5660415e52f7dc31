// The words of proposals, and the texts of inputs.
import { describe, expect, test } from 'bun:test'
import { formatEntry, type TimelineEntry } from './entry-words.ts'
import {
  formatInput,
  formatItems,
  formatOperation,
  formatState,
  formatSummary,
  groupComments,
  parseInput,
} from './labels.ts'

test.each([
  ['networks.create', { name: 'lan', subnet: '10.0.0.0/24' }, 'New network lan'],
  ['reservations.create', { ip_address: '10.0.0.5' }, 'New reservation 10.0.0.5'],
  ['cables.create', { a: {} }, 'New cable'],
  ['dns-records.create', null, 'New dns record'],
  ['devices.update', { id: 'web-1', name: 'web-2' }, 'Change device'],
  ['pools.delete', { id: 'web' }, 'Delete pool'],
  ['devices.bulk', { operations: [] }, 'Change many devices'],
  ['networks.allocate', { name: 'lan' }, 'Allocate networks'],
  ['discovery.promote-many', {}, 'Promote many discovery'],
])('the operation %s of %p is called %p', (operation, input, text) =>
  expect(formatOperation({ operation, input })).toBe(text),
)

test.each([
  [{ state: 'open', close_reason: '' }, 'open'],
  [{ state: 'closed', close_reason: 'rejected' }, 'rejected'],
  [{ state: 'merged', close_reason: 'merged' }, 'merged'],
] as const)('the state of %p is %p', (proposal, text) => expect(formatState(proposal)).toBe(text))

test.each([
  [{ summary: 'changes nothing', errors: 0 }, 'Changes nothing.'],
  [{ summary: 'created 1 network', errors: 1 }, 'Created 1 network. One operation is refused now.'],
  [{ summary: 'updated 2 devices', errors: 3 }, 'Updated 2 devices. 3 operations are refused now.'],
])('the summary of %p is %p', (proposal, text) => expect(formatSummary(proposal)).toBe(text))

test.each([
  [{ type: 'merged', username: 'ada' }, 'ada merged it.'],
  [{ type: 'closed', username: '' }, 'Plat closed it.'],
  [{ type: 'moved', username: '' }, 'The estate has moved on: it would do something else now.'],
] as const)('the entry %p says %p', (entry, text) => expect(formatEntry(entry)).toBe(text))

describe('a field of an input', () => {
  test.each([['text'], ['12'], [12], [true], [null], [['a', 'b']], [{ ip: '10.0.0.1' }]])(
    'is read back as it was: %p',
    (value) => expect(parseInput(formatInput(value), value)).toEqual(value),
  )

  test('that is no text must be JSON', () => expect(() => parseInput('tags', ['a'])).toThrow(SyntaxError))
})

test('comments stand at their items', () => {
  const entry = { at: '', username: 'ada', type: 'commented', text: '', fingerprint: '', is_current: true } as const
  const entries: TimelineEntry[] = [
    { ...entry, id: '1', kind: 'device', object_id: 'web-01' },
    { ...entry, id: '2', kind: '', object_id: '' },
    { ...entry, id: '3', kind: 'device', object_id: 'web-01' },
  ]
  const groups = groupComments(entries)
  expect([...groups].map(([key, some]) => [key, some.map(({ id }) => id)])).toEqual([['device web-01', ['1', '3']]])
})

test.each([
  ['open', 1, '1 object would change'],
  ['draft', 0, 'No object is changed'],
  ['merged', 1, '1 object changed'],
  ['merged', 2, '2 objects changed'],
  ['closed', 2, 'It changes nothing'],
] as const)('the items of a proposal that is %s, %d of them, have the title %p', (state, total, title) =>
  expect(formatItems(state, total)).toBe(title),
)

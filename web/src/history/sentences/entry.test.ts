import { expect, test } from 'bun:test'
import { formatEntry } from './entry.ts'

const DEVICE = { kind: 'device', id: 'd1' } as const
const entry = { kind: 'device', id: 'd1', name: 'web-1', change: 'update', fields: {} } as const

test('a change of a field says the value before and after it, and names what an id means', () => {
  const fields = { status: { from: 'active', to: 'maintenance' }, datacenter_id: { from: null, to: 'dc-1' } }
  expect(formatEntry({ ...entry, fields, names: { 'dc-1': 'Frankfurt' } }, DEVICE)).toBe(
    'status active → maintenance, datacenter none → Frankfurt',
  )
})

test('a list or a long text is only named, and more than three fields are counted', () => {
  const fields = {
    addresses: { from: [], to: [{ ip: '10.0.0.1' }] },
    description: { from: '', to: 'x'.repeat(81) },
    os: { from: 'a', to: 'b' },
    enabled: { from: true, to: false },
  }
  expect(formatEntry({ ...entry, fields }, DEVICE)).toBe('addresses changed, description changed, OS a → b, and 1 more')
  expect(formatEntry({ ...entry, fields: { enabled: fields.enabled } }, DEVICE)).toBe('enabled yes → no')
})

test('a creation, a deletion and an object that changed with it are one phrase', () => {
  expect(formatEntry({ ...entry, change: 'create' }, DEVICE)).toBe('created')
  expect(formatEntry({ ...entry, change: 'delete' }, DEVICE)).toBe('deleted')
  expect(
    formatEntry({ ...entry, kind: 'pool', name: 'servers', change: 'create' }, { kind: 'network', id: 'n1' }),
  ).toBe('pool servers created')
})

test('a relationship is named by the device at its other end', () => {
  const fields = { parent_id: { from: null, to: 'd1' }, child_id: { from: null, to: 'sw1' } }
  const made = { ...entry, kind: 'relationship', change: 'create', fields, names: { sw1: 'switch 1' } } as const
  expect(formatEntry(made, DEVICE)).toBe('relationship to switch 1 created')
  expect(formatEntry({ ...made, names: {} }, { kind: 'device', id: 'sw1' })).toBe('relationship to d1 created')
})

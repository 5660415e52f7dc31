import { describe, expect, test } from 'bun:test'
import { formatLocalMoment } from '../ui/format.ts'
import {
  formatActor,
  formatHeading,
  formatProgram,
  formatValue,
  getLabel,
  getUndoPermission,
  listDifference,
  listShownFields,
  listUndone,
  splitAroundId,
} from './labels.ts'

describe('a list', () => {
  test('is compared by its entries', () =>
    expect(listDifference({ from: ['a', 'b'], to: ['b', 'c'] })).toEqual({ gone: ['a'], came: ['c'] }))

  test('of objects is compared by their fields', () => {
    const [old, same, fresh] = [{ ip: '10.0.0.1' }, { ip: '10.0.0.2' }, { ip: '10.0.0.1', label: 'eth0' }]
    expect(listDifference({ from: [old, same], to: [same, fresh] })).toEqual({ gone: [old], came: [fresh] })
  })

  test('may not have been there', () =>
    expect(listDifference({ from: null, to: ['a'] })).toEqual({ gone: [], came: ['a'] }))

  test('in another order has no difference', () =>
    expect(listDifference({ from: ['a', 'b'], to: ['b', 'a'] })).toEqual({ gone: [], came: [] }))

  test('is no other value', () => expect(listDifference({ from: 'a', to: 'b' })).toBeUndefined())
})

describe('the text of a value', () => {
  test.each([
    [null, ''],
    ['', ''],
    [[], ''],
    [{}, ''],
    [0, '0'],
    [false, 'false'],
    [['a', 'b'], 'a, b'],
    [
      { ip: '10.0.0.1', label: 'eth0', port: null, switch_port: 'ge-0/0/1' },
      '10.0.0.1 · label eth0 · switch port ge-0/0/1',
    ],
  ])('of %j is "%s"', (value, text) => expect(formatValue(value)).toBe(text))

  test('of an id is the name of its object', () =>
    expect(formatValue({ ip: '10.0.0.1', network_id: 'n1' }, new Map([['n1', 'lab']]))).toBe('10.0.0.1 · network lab'))
})

test('fields that are empty before and after are not shown', () =>
  expect(
    listShownFields({ name: { from: null, to: 'a' }, tags: { from: null, to: [] } }).map(({ name }) => name),
  ).toEqual(['name']))

test('each changed value of a custom field is a field', () =>
  expect(listShownFields({ custom: { from: { a: 1, b: 2, c: ['x'] }, to: { a: 1, b: 3, d: true } } })).toEqual([
    { name: 'b', isCustom: true, field: { from: 2, to: 3 } },
    { name: 'c', isCustom: true, field: { from: ['x'], to: null } },
    { name: 'd', isCustom: true, field: { from: null, to: true } },
  ]))

test('values of custom fields in an address have the labels of their fields', () =>
  expect(
    formatValue([{ ip: '10.0.0.1', custom: { nat: true } }], new Map(), () => ({ label: 'NAT', text: 'Yes' })),
  ).toBe('10.0.0.1 · NAT Yes'))

test('fields have the labels of their forms, and others readable names', () =>
  expect([getLabel('device', 'os'), getLabel('network', 'vlan_id'), getLabel('pool', 'network_id')]).toEqual([
    'OS',
    'VLAN',
    'Network',
  ]))

test('a kind heads its group', () => expect(formatHeading('discovery-lock')).toBe('Field locks'))

const origin = { username: 'anna', via: 'session', oauth_client: '', tool: '', operation: 'devices.update' } as const

test('a change is by its user, and with the program that called', () => {
  expect([formatActor(origin), formatProgram(origin)]).toEqual(['anna', ''])
  expect(formatProgram({ ...origin, via: 'oauth', oauth_client: 'Claude', tool: 'device_update' })).toBe(
    'Claude, device_update',
  )
  expect(formatActor({ ...origin, username: '', via: 'job', operation: 'reservations.expire' })).toBe(
    'reservations.expire',
  )
})

test('a change is undone until its undo is undone', () => {
  const entry = (change_id: string, undoes: string | null = null) => ({ change_id, undoes })
  expect([...listUndone([entry('b', 'a'), entry('a')])]).toEqual(['a'])
  expect([...listUndone([entry('c', 'b'), entry('b', 'a'), entry('a')])]).toEqual(['b'])
})

test('an undo needs the permission to do it by hand', () => {
  expect(getUndoPermission({ kind: 'device', change: 'delete' })).toBe('devices:create')
  expect(getUndoPermission({ kind: 'discovery-rule', change: 'create' })).toBe('discovery:delete')
})

test('a message is split around the change that it names', () => {
  const id = '01a210c5-115c-75de-b11e-93add6f36ac4'
  expect(splitAroundId(`changed later by ${id}, at noon`)).toEqual({
    before: 'changed later by ',
    id,
    after: ', at noon',
  })
  expect(splitAroundId('gone')).toEqual({ before: 'gone', id: '', after: '' })
})

test('a moment fits the field of a browser', () =>
  expect(formatLocalMoment(new Date(2026, 0, 31, 12, 0, 5).toISOString())).toBe('2026-01-31T12:00:05'))

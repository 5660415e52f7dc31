import { describe, expect, test } from 'bun:test'
import type { Device } from '../../api/contracts.ts'
import { buildFormFields } from '../../resource/fields.ts'
import { buildDeviceFields, DEVICE_ORDER } from '../fields.ts'
import { buildPatch, buildSharedPatch, formatCounts, listSharedFields, UNTOUCHED } from './bulk-values.ts'

const fields = listSharedFields(buildFormFields(buildDeviceFields(), DEVICE_ORDER.form))
const patch = (values: Readonly<Record<string, string>>) => buildSharedPatch(fields, { ...UNTOUCHED, values })

describe('a bulk edit', () => {
  test('offers every field that devices can have in common', () => {
    const names = fields.map(({ name }) => name)
    for (const name of ['status', 'make_model', 'location', 'device_type_id', 'os', 'datacenter_id', 'description'])
      expect(names).toContain(name)
    for (const name of ['name', 'hostname', 'asset_tag', 'addresses', 'refs', 'tags']) expect(names).not.toContain(name)
  })

  test('sends only the touched fields', () => {
    expect(patch({})).toBeUndefined()
    expect(patch({ status: 'decommissioned' })).toEqual({ status: 'decommissioned' })
  })

  test('clears a touched field that is empty', () => {
    expect(patch({ os: '', datacenter_id: '' })).toEqual({ os: '', datacenter_id: '' })
  })

  test('adds and removes tags, and keeps the others', () => {
    expect(patch({ add_tags: 'web, db', remove_tags: '' })).toEqual({ add_tags: ['web', 'db'] })
    expect(patch({ add_tags: ' ' })).toBeUndefined()
  })

  test('clears and sets values of custom fields', () => {
    const custom = { owner: 'net', spare: '', roles: [] }
    expect(buildSharedPatch(fields, { values: {}, custom })).toEqual({
      custom: { owner: 'net', spare: null, roles: null },
    })
  })

  test('moves a device to another rack with its height, and in no unit', () => {
    const mount = { rack_id: 'a', position: 3, height: 2, face: 'rear', full_depth: false, slot: '1/1', power_w: 90 }
    // The other fields do not matter here.
    const device = { id: '1', mount } as Device
    const sent = (rack: string, of?: Device) => buildPatch({}, { ...UNTOUCHED, rack }, of)
    expect(sent('b', device)).toEqual({ mount: { ...mount, rack_id: 'b', position: null } })
    expect(sent('a', device)).toEqual({})
    expect(sent('', device)).toEqual({ mount: null })
    expect(sent('b')).toEqual({ mount: { rack_id: 'b', position: null } })
  })
})

describe('the values of many devices', () => {
  test('are counted, the most frequent first and none last', () => {
    const all = [['Debian 13'], ['Debian 12'], [''], [], ['Debian 12'], []]
    expect(formatCounts(all)).toBe('Debian 12: 2, Debian 13: 1, none: 3')
  })

  test('are the three most frequent', () => {
    expect(formatCounts([['a', 'b'], ['a', 'c'], ['d'], ['e']])).toBe('a: 2, b: 1, c: 1, and 2 other values')
  })
})

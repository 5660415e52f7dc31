import { describe, expect, test } from 'bun:test'
import type { Address } from '../../api/contracts.ts'
import { buildFormFields } from '../../resource/fields.ts'
import { buildInput, createEmptyValues } from '../../resource/form-values.ts'
import { buildDeviceFields, DEVICE_ORDER } from '../fields.ts'
import {
  type AddressForm,
  createEmptyAddress,
  filterSentRows,
  formatAddresses,
  parseAddressInput,
  readAddresses,
  writeAddresses,
} from './address-form.ts'

const addresses = { read: formatAddresses, send: parseAddressInput }
const resource = { fields: buildFormFields(buildDeviceFields(), DEVICE_ORDER.form, { addresses }) }
const form = createEmptyValues(resource, { addresses: writeAddresses([createEmptyAddress({ ip: '10.0.0.1' })]) })

describe('the request of a save', () => {
  test('splits lists at commas and drops blanks', () => {
    expect(buildInput(resource, { ...form, tags: ' prod, , web ,' }).tags).toEqual(['prod', 'web'])
  })

  test('leaves out empty address rows', () => {
    const rows = [createEmptyAddress(), createEmptyAddress({ ip: '10.0.0.2', port: '22' })]
    expect(parseAddressInput(writeAddresses(rows))).toEqual([
      {
        ip: '10.0.0.2',
        label: '',
        port: 22,
        switch_port: '',
        interface: '',
        mac_address: '',
        dns_name: '',
        network_id: '',
        pool_id: '',
      },
    ])
    expect(filterSentRows(rows)).toEqual([rows[1] ?? createEmptyAddress()])
  })

  const stored: Address = {
    ...{ ip: '10.0.0.1', port: 22, type: 'vip', label: 'front', network_id: null, switch_port: '', interface: 'eth0' },
    ...{ mac_address: '', dns_name: '', pool_id: null },
  }
  const typed = (changed: Partial<AddressForm>, address = stored) =>
    parseAddressInput(writeAddresses(readAddresses(formatAddresses([address])).map((row) => ({ ...row, ...changed }))))

  test('keeps the type of an address, which the form does not show', () => {
    expect(typed({ label: 'back' })).toMatchObject([{ ip: '10.0.0.1', type: 'vip', label: 'back' }])
    expect(typed({ ip: '2001:db8::1' })).toMatchObject([{ ip: '2001:db8::1', type: 'vip' }])
  })

  test('leaves the type of the family out when the address was changed', () => {
    expect(typed({ ip: '2001:db8::1' }, { ...stored, type: 'ipv4' })[0]).not.toHaveProperty('type')
    expect(typed({ label: 'back' }, { ...stored, type: 'ipv4' })).toMatchObject([{ type: 'ipv4' }])
  })

  test('takes a shown field away that was emptied', () => {
    const inSpace = { ...stored, space_id: 'branch', custom: { owner: 'ann' } }
    const [address] = typed({ space_id: '', custom: '' }, inSpace)
    expect([address?.space_id, address?.custom]).toEqual([undefined, undefined])
  })

  test('names only the fields that changed', () => {
    const typedAgain = writeAddresses([createEmptyAddress({ ip: '10.0.0.1' })])
    expect(buildInput(resource, { ...form, os: 'Debian 13' }, form)).toEqual({ os: 'Debian 13' })
    expect(buildInput(resource, { ...form, addresses: typedAgain }, form)).toEqual({})
    expect(buildInput(resource, { ...form, addresses: writeAddresses([]) }, form)).toEqual({ addresses: [] })
  })

  test('of a new device is every field that can be typed', () => {
    expect(buildInput(resource, form)).toMatchObject({ name: '', status: 'active', datacenter_id: '', domains: [] })
  })
})

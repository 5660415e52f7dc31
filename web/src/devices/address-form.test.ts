import { describe, expect, test } from 'bun:test'
import type { Address } from '../api/contracts.ts'
import { formFields } from '../resource/fields.ts'
import { emptyValues, inputOf } from '../resource/form-values.ts'
import {
  type AddressForm,
  addressInput,
  addressText,
  emptyAddress,
  readAddresses,
  sentRows,
  writeAddresses,
} from './address-form.ts'
import { DEVICE_ORDER, deviceFields } from './fields.ts'

const addresses = { read: addressText, send: addressInput }
const resource = { fields: formFields(deviceFields(), DEVICE_ORDER.form, { addresses }) }
const form = emptyValues(resource, { addresses: writeAddresses([emptyAddress({ ip: '10.0.0.1' })]) })

describe('the request of a save', () => {
  test('splits lists at commas and drops blanks', () => {
    expect(inputOf(resource, { ...form, tags: ' prod, , web ,' }).tags).toEqual(['prod', 'web'])
  })

  test('leaves out empty address rows', () => {
    const rows = [emptyAddress(), emptyAddress({ ip: '10.0.0.2', port: '22' })]
    expect(addressInput(writeAddresses(rows))).toEqual([
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
    expect(sentRows(rows)).toEqual([rows[1] ?? emptyAddress()])
  })

  const stored: Address = {
    ...{ ip: '10.0.0.1', port: 22, type: 'vip', label: 'front', network_id: null, switch_port: '', interface: 'eth0' },
    ...{ mac_address: '', dns_name: '', pool_id: null },
  }
  const typed = (changed: Partial<AddressForm>, address = stored) =>
    addressInput(writeAddresses(readAddresses(addressText([address])).map((row) => ({ ...row, ...changed }))))

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
    const typedAgain = writeAddresses([emptyAddress({ ip: '10.0.0.1' })])
    expect(inputOf(resource, { ...form, os: 'Debian 13' }, form)).toEqual({ os: 'Debian 13' })
    expect(inputOf(resource, { ...form, addresses: typedAgain }, form)).toEqual({})
    expect(inputOf(resource, { ...form, addresses: writeAddresses([]) }, form)).toEqual({ addresses: [] })
  })

  test('of a new device is every field that can be typed', () => {
    expect(inputOf(resource, form)).toMatchObject({ name: '', status: 'active', datacenter_id: '', domains: [] })
  })
})

import { describe, expect, test } from 'bun:test'
import { formFields } from '../resource/fields.ts'
import { emptyValues, inputOf } from '../resource/resource.ts'
import { addressInput, addressText, emptyAddress, sentRows, writeAddresses } from './address-form.ts'
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

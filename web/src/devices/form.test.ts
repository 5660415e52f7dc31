import { describe, expect, test } from 'bun:test'
import { changesBetween, emptyAddress, emptyForm, inputOf, sentAddresses } from './form.ts'

const form = emptyForm({ ip: '10.0.0.1' })

describe('what a save sends', () => {
  test('splits lists at commas and drops blanks', () => {
    expect(inputOf({ ...form, tags: ' prod, , web ,' }).tags).toEqual(['prod', 'web'])
  })

  test('leaves out address rows in which nothing stands', () => {
    const addresses = [emptyAddress(), emptyAddress({ ip: '10.0.0.2', port: '22' })]
    expect(inputOf({ ...form, addresses }).addresses).toEqual([
      { ip: '10.0.0.2', label: '', port: 22, switch_port: '', network_id: '', pool_id: '' },
    ])
    expect(sentAddresses({ ...form, addresses })).toEqual([addresses[1] ?? emptyAddress()])
  })

  test('names only the fields that changed', () => {
    expect(changesBetween(form, { ...form, os: 'Debian 13' })).toEqual({ os: 'Debian 13' })
    expect(changesBetween(form, { ...form, addresses: [emptyAddress({ ip: '10.0.0.1' })] })).toEqual({})
    expect(changesBetween(form, { ...form, addresses: [] })).toEqual({ addresses: [] })
  })
})

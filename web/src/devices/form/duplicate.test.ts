import { describe, expect, test } from 'bun:test'
import type { Device } from '../../api/contracts.ts'
import { buildCopy, expandDeviceNames, formatNames, suggestPattern } from './duplicate.ts'

const DEVICE = {
  ...{ id: 'd', name: 'ams-srv-01', hostname: 'ams-srv-01.example.net', description: 'A server', make_model: 'R650' },
  ...{ os: 'Debian 13', status: 'active', datacenter_id: 'ams', username: 'root', location: 'Hall 4', tags: ['web'] },
  ...{ domains: ['example.net'], device_type_id: 't', custom: { owner: 'net', serial: 'S1' } },
  ...{ refs: { netbox: '7' }, managed_by: 'code', created_at: '', updated_at: '' },
  addresses: [{ ip: '10.0.0.1' }],
  mount: { rack_id: 'r', position: 3 },
  // The other fields of addresses and places do not matter here.
} as unknown as Device

describe('copies of a device', () => {
  test('have all but its name, addresses, place, refs and owner', () => {
    const { name, hostname, addresses, ...others } = buildCopy(DEVICE, { name: 'ams-srv-02' }, new Set(['serial']))
    expect({ name, hostname, addresses }).toEqual({
      name: 'ams-srv-02',
      hostname: 'ams-srv-02.example.net',
      addresses: [],
    })
    expect(Object.keys(others).sort()).toEqual(
      [
        ...['custom', 'datacenter_id', 'description', 'device_type_id', 'domains', 'location', 'make_model', 'os'],
        ...['status', 'tags', 'username'],
      ].sort(),
    )
    expect(others).toMatchObject({ custom: { owner: 'net' }, tags: ['web'], status: 'active' })
  })

  test('have no host name that does not follow from the name', () => {
    for (const hostname of ['www.example.net', 'ams-srv-011.example.net', ''])
      expect(buildCopy({ ...DEVICE, hostname }, { name: 'b' }, new Set()).hostname).toBe('')
  })

  test('have an address each', () => {
    const address = { ip: '10.0.0.9', network_id: 'n', pool_id: 'p' }
    expect(buildCopy(DEVICE, { name: 'b', address }, new Set()).addresses as unknown).toEqual([address])
  })

  test('are named by a pattern, at most 500 at once', () => {
    const expanded = expandDeviceNames('ams-srv-[02-11]')
    expect('names' in expanded && formatNames(expanded.names)).toBe('10 devices: ams-srv-02 … ams-srv-11')
    expect(expandDeviceNames('x[1-500]')).toHaveProperty('names.length', 500)
    expect(expandDeviceNames('x[1-501]')).toEqual({ problem: 'These are more than 500 devices' })
  })

  test.each([
    ['ams-srv-01', 'ams-srv-[02-11]'],
    ['web9.lan', 'web[10-19].lan'],
    ['core', 'core-[1-10]'],
  ])('of %p may be named %p', (name, pattern) => expect(suggestPattern(name)).toBe(pattern))
})

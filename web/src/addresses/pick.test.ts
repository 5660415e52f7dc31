import { describe, expect, test } from 'bun:test'
import { computeUsableRange, findHoldingPool, pickAnother, pickPoolName } from './pick.ts'

describe('another free address', () => {
  const ips = ['10.0.0.9', '10.0.0.10', '10.0.1.2']
  test('is the next one, and behind the last one the lowest', () => {
    expect([pickAnother(ips, '10.0.0.9'), pickAnother(ips, '10.0.0.99')]).toEqual(['10.0.0.10', '10.0.1.2'])
    expect([pickAnother(ips, '10.0.1.2'), pickAnother(ips, '10.0.3.1')]).toEqual(['10.0.0.9', '10.0.0.9'])
  })
  test('is not the present one', () => {
    expect([pickAnother(['10.0.0.9'], '10.0.0.9'), pickAnother([], '10.0.0.9')]).toEqual([undefined, undefined])
  })
})

describe('the pool of an address', () => {
  const pools = [
    { id: 'small', name: 'small', start_ip: '10.0.0.5', end_ip: '10.0.0.6' },
    { id: 'wide', name: 'wide', start_ip: '10.0.0.1', end_ip: '10.0.0.9' },
    { id: 'six', name: 'six', start_ip: '2001:db8::', end_ip: '2001:db8::ffff' },
  ]
  const find = (ip: string) => findHoldingPool(pools, ip)?.id
  test('is the smallest one that holds it', () => {
    expect([find('10.0.0.4'), find('10.0.0.5'), find('10.0.0.10')]).toEqual(['wide', 'small', undefined])
    expect([find('2001:db8::1'), find('::a00:5'), find('x')]).toEqual(['six', undefined, undefined])
  })
})

describe('a pool of all addresses of a network', () => {
  test('leaves out the ones that no host gets', () => {
    expect(computeUsableRange('10.0.0.0/24')).toEqual({ start_ip: '10.0.0.1', end_ip: '10.0.0.254' })
    expect(computeUsableRange('10.0.0.0/31')).toEqual({ start_ip: '10.0.0.0', end_ip: '10.0.0.1' })
    const six = { start_ip: '2001:db8::1', end_ip: '2001:db8::ffff:ffff:ffff:ffff' }
    expect(computeUsableRange('2001:db8::/64')).toEqual(six)
  })
  test('has a name that no other pool has', () => {
    expect(pickPoolName('web', [])).toBe('web')
    expect(pickPoolName('web', ['Web', 'web 2'])).toBe('web 3')
  })
})

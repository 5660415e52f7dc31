import { expect, test } from 'bun:test'
import { findSubnetError, parseSubnets } from './subnets.ts'

test('subnets are separated by lines, spaces or commas', () => {
  expect(parseSubnets(' 10.0.0.0/8,192.0.2.0/24\n\n2001:db8::/32 ')).toEqual([
    '10.0.0.0/8',
    '192.0.2.0/24',
    '2001:db8::/32',
  ])
})

test('an error names the subnet that was refused', () => {
  const text = '10.0.0.0/8\n10.0.0.300/24'
  expect(findSubnetError(text, { 'subnets[1]': 'is wrong' })).toBe('10.0.0.300/24 is wrong')
  expect(findSubnetError(text, { subnets: 'are too many' })).toBe('are too many')
  expect(findSubnetError(text, { name: 'is taken' })).toBeUndefined()
})

import { expect, test } from 'bun:test'
import { subnetError, subnetsOf } from './subnets.ts'

test('subnets are separated by lines, spaces or commas', () => {
  expect(subnetsOf(' 10.0.0.0/8,192.0.2.0/24\n\n2001:db8::/32 ')).toEqual([
    '10.0.0.0/8',
    '192.0.2.0/24',
    '2001:db8::/32',
  ])
})

test('an error names the subnet that was refused', () => {
  const text = '10.0.0.0/8\n10.0.0.300/24'
  expect(subnetError(text, { 'subnets[1]': 'is wrong' })).toBe('10.0.0.300/24 is wrong')
  expect(subnetError(text, { subnets: 'are too many' })).toBe('are too many')
  expect(subnetError(text, { name: 'is taken' })).toBeUndefined()
})

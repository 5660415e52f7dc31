import { expect, test } from 'bun:test'
import { parseSubnets } from './parse-subnets.ts'

test('a line is a subnet, and a name may follow after a blank, a comma or a tab', () => {
  const { good, wrong } = parseSubnets(
    '10.0.0.0/8 Company\n10.1.0.0/16,Frankfurt am Main\r\n10.2.0.0/16\tParis\n2001:db8::/32\n',
  )
  expect(good.map(({ subnet, name }) => [subnet, name])).toEqual([
    ['10.0.0.0/8', 'Company'],
    ['10.1.0.0/16', 'Frankfurt am Main'],
    ['10.2.0.0/16', 'Paris'],
    ['2001:db8::/32', '2001:db8::/32'],
  ])
  expect(wrong).toEqual([])
})

test('a wrong line is named by its number, and empty lines count', () => {
  const { good, wrong } = parseSubnets('10.0.0.0/8\n\n10.1.300.0/24 Office\nsubnet,name\n10.0.0.1')
  expect(good.map(({ line }) => line)).toEqual([1])
  expect(wrong).toEqual([
    'Line 3: 10.1.300.0/24 is not a subnet',
    'Line 4: subnet is not a subnet',
    'Line 5: 10.0.0.1 is not a subnet',
  ])
})

test('quotes of a CSV file are no part of a name', () => {
  expect(parseSubnets('"10.0.0.0/8","Company, Inc."').good).toEqual([
    { line: 1, subnet: '10.0.0.0/8', name: 'Company, Inc.' },
  ])
})

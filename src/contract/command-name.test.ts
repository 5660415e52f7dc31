import { expect, test } from 'bun:test'
import { getCommandWords, getToolName, toSingular } from './command-name.ts'

test.each([
  ['datacenters', 'datacenter'],
  ['relationships', 'relationship'],
  ['discoveries', 'discovery'],
  ['access', 'access'],
  ['search', 'search'],
])('the singular of %s is %s', (noun, one) => {
  expect(toSingular(noun)).toBe(one)
})

test('a command is the singular noun and the verb, unless the contract names another', () => {
  expect(getCommandWords({ name: 'devices.create' })).toEqual(['device', 'create'])
  expect(getCommandWords({ name: 'pools.all', cli: { command: 'pool list' } })).toEqual(['pool', 'list'])
  expect(getCommandWords({ name: 'search.all', cli: { command: 'search' } })).toEqual(['search'])
})

test('a tool has the words of the command, joined by underscores', () => {
  expect(getToolName({ name: 'pools.next-ip' })).toBe('pool_next_ip')
})

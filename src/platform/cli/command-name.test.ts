import { expect, test } from 'bun:test'
import { commandOf, singular, toolName } from './command-name.ts'

test.each([
  ['datacenters', 'datacenter'],
  ['relationships', 'relationship'],
  ['discoveries', 'discovery'],
  ['access', 'access'],
  ['search', 'search'],
])('the singular of %s is %s', (noun, one) => {
  expect(singular(noun)).toBe(one)
})

test('a command is the singular noun and the verb, unless the contract names another', () => {
  expect(commandOf({ name: 'devices.create' })).toEqual(['device', 'create'])
  expect(commandOf({ name: 'pools.all', cli: { command: 'pool list' } })).toEqual(['pool', 'list'])
  expect(commandOf({ name: 'search.all', cli: { command: 'search' } })).toEqual(['search'])
})

test('a tool has the words of the command, joined by underscores', () => {
  expect(toolName({ name: 'pools.next-ip' })).toBe('pool_next_ip')
})

import { expect, test } from 'bun:test'
import { contracts } from '../../features/index.ts'
import { choicesOf, kindOf, refusesNull, schemaOf, settled } from './schema.ts'

test.each([
  ['a union with null', { anyOf: [{ type: 'boolean' }, { type: 'null' }] }],
  ['a list of a type and null', { type: ['boolean', 'null'] }],
])('%s is the type itself, and takes null', (_, schema) => {
  expect([settled(schema).type, kindOf(schema), refusesNull(schema)]).toEqual(['boolean', 'boolean', false])
})

test('a field that may be cleared is a switch', () => {
  const { properties = {} } = schemaOf(contracts.webhooks.create.input)
  expect(kindOf(properties.enabled ?? {})).toBe('boolean')
})

test('the choices of a union are those of its parts, without the empty one', () => {
  const { properties = {} } = schemaOf(contracts.dnsZones.create.input)
  expect(choicesOf(properties.mode ?? {})).toEqual(['managed', 'watched'])
  expect(choicesOf(properties.subnet ?? {})).toEqual([])
})

import { expect, test } from 'bun:test'
import { contracts } from '../app/contracts.ts'
import { getInputSchema, getKind, listChoices, refusesNull, stripNull } from './input-schema.ts'

test.each([
  ['a union with null', { anyOf: [{ type: 'boolean' }, { type: 'null' }] }],
  ['a list of a type and null', { type: ['boolean', 'null'] }],
])('%s is the type itself, and takes null', (_, schema) => {
  expect([stripNull(schema).type, getKind(schema), refusesNull(schema)]).toEqual(['boolean', 'boolean', false])
})

test('a field that may be cleared is a switch', () => {
  const { properties = {} } = getInputSchema(contracts.webhooks.create.input)
  expect(getKind(properties.enabled ?? {})).toBe('boolean')
})

test('a union has the choices of its parts, without the empty one', () => {
  const { properties = {} } = getInputSchema(contracts.dnsZones.create.input)
  expect(listChoices(properties.mode ?? {})).toEqual(['managed', 'watched'])
  expect(listChoices(properties.subnet ?? {})).toEqual([])
})

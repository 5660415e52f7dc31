import { describe, expect, test } from 'bun:test'
import type { FieldSchema } from '../../../contract/input-schema.ts'
import { readValue } from './values.ts'

const nullable = (schema: FieldSchema): FieldSchema => ({ anyOf: [schema, { type: 'null' }] })
const number = nullable({ type: 'integer' })
const addresses = nullable({
  type: 'array',
  items: {
    type: 'object',
    required: ['ip'],
    properties: {
      ip: { type: 'string' },
      port: number,
      label: nullable({ type: 'string' }),
      network_id: nullable({ type: 'string', ref: 'networks' }),
    },
  },
})
const read = (schema: FieldSchema, ...texts: string[]) => readValue({ field: 'f', schema }, texts)

describe('one value', () => {
  test.each<[string, FieldSchema, string[], unknown]>([
    ['the last text wins', { type: 'string' }, ['a', 'b'], 'b'],
    ['a number', number, ['100'], 100],
    ['what is no number stays text', number, ['ten'], 'ten'],
    ['text stays text', nullable({ type: 'string' }), ['007'], '007'],
    ['a switch', { type: 'boolean' }, ['false'], false],
    ['a list', nullable({ type: 'array', items: { type: 'string' } }), ['a,b', '[c]'], ['a,b', '[c]']],
    ['a list of numbers, whole', { type: 'array', items: { type: 'integer' } }, ['[1,2]', '3'], [1, 2, 3]],
    [
      'a record',
      { type: 'object', additionalProperties: { type: 'string' } },
      ['X-A=1=2', 'b='],
      { 'X-A': '1=2', b: '' },
    ],
    ['a record as JSON', { type: 'object', additionalProperties: {} }, ['{"a":{"b":1}}'], { a: { b: 1 } }],
    ['either of two forms', { anyOf: [{ type: 'string' }, { type: 'integer' }] }, ['5'], '5'],
    ['a number, or a text in its place', { anyOf: [{ type: 'integer' }, { type: 'string' }] }, ['5'], 5],
    ['the text in the place of a number', { anyOf: [{ type: 'integer' }, { type: 'string' }] }, ['next'], 'next'],
  ])('%s', (_, schema, texts, value) => {
    expect(read(schema, ...texts)).toEqual(value)
  })
})

describe('nested objects', () => {
  test.each<[string, unknown]>([
    ['10.0.0.5', { ip: '10.0.0.5' }],
    ['fe80::1', { ip: 'fe80::1' }],
    ['ip=10.0.0.6,label=mgmt,port=443', { ip: '10.0.0.6', label: 'mgmt', port: 443 }],
    ['10.0.0.6,label=rack 1, left,port=443', { ip: '10.0.0.6', label: 'rack 1, left', port: 443 }],
    ['ip=10.0.0.6,network=lan', { ip: '10.0.0.6', network_id: 'lan' }],
    ['ip=10.0.0.6,network-id=lan', { ip: '10.0.0.6', network_id: 'lan' }],
    ['{"ip":"10.0.0.7","port":null}', { ip: '10.0.0.7', port: null }],
    ['ip=10.0.0.6,lable=x', { ip: '10.0.0.6', lable: 'x' }],
    ['ip=10.0.0.6,label=a=b', { ip: '10.0.0.6', label: 'a=b' }],
  ])('%s', (text, value) => {
    expect(read(addresses, text)).toEqual([value])
  })

  test('a whole list as JSON', () => {
    expect(read(addresses, '[{"ip":"10.0.0.1"},{"ip":"10.0.0.2"}]', '10.0.0.3')).toEqual([
      { ip: '10.0.0.1' },
      { ip: '10.0.0.2' },
      { ip: '10.0.0.3' },
    ])
  })

  test.each([
    ['{"ip":', 'f: broken JSON'],
    ['[{"ip":', 'f: broken JSON'],
  ])('%s', (text, message) => {
    expect(() => read(addresses, text)).toThrow(message)
  })

  test('a record entry without a key', () => {
    expect(() => read({ type: 'object' }, 'novalue')).toThrow('f: "novalue" is not KEY=VALUE')
  })

  test('__proto__ is a key like any other', () => {
    const made = read({ type: 'object', additionalProperties: {} }, '__proto__=x')
    expect(Object.keys(made ?? {})).toEqual(['__proto__'])
  })
})

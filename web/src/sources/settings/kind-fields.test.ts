import { describe, expect, test } from 'bun:test'
import { buildInput, readValues } from '../../resource/form-values.ts'
import type { FieldSpec } from '../../resource/resource.ts'
import { buildOptionField, flattenOptions, nestInput } from './kind-fields.tsx'

const build = (type: 'text' | 'number' | 'flag' | 'texts' | 'object', usual: unknown): FieldSpec =>
  buildOptionField({ name: 'one', type, default: usual, description: 'Says what', required: false })

/** Returns what a form sends of a typed text. */
const send = (field: FieldSpec, text: string): unknown =>
  buildInput({ fields: [field] }, { 'options.one': text })['options.one']

describe('an option', () => {
  test.each([
    ['text', '', 'x', 'x'],
    ['text', '', ' ', null],
    ['number', 5, '7', 7],
    ['number', 5, 'many', 'many'],
    ['flag', true, 'false', false],
    ['texts', [], 'eu-1\n\n us-2 ', ['eu-1', 'us-2']],
    ['object', {}, '{"a":"b"}', { a: 'b' }],
    ['object', {}, '{a', '{a'],
  ] as const)('of type %s with the default %p sends %p as %p', (type, usual, text, sent) =>
    expect(send(build(type, usual), text)).toEqual(sent),
  )

  test('that is absent has the default of its kind in the form', () => {
    const read = (field: FieldSpec) => readValues({ fields: [field] }, {})['options.one']
    expect([build('flag', true), build('number', 5), build('text', 'virsh')].map(read)).toEqual(['true', '5', 'virsh'])
  })
})

describe('the input of a form', () => {
  test('has options and secrets under their names, beside the options that stay', () => {
    const input = { name: 'lab', 'options.networks': false, 'secrets.token': 's' }
    expect(nestInput(input, { regions: ['eu-1'] })).toEqual({
      ...{ name: 'lab', options: { regions: ['eu-1'], networks: false }, secrets: { token: 's' } },
    })
  })

  test('names neither of them if nothing of them has changed', () => {
    expect(nestInput({ name: 'lab' }, { regions: ['eu-1'] })).toEqual({ name: 'lab' })
  })
})

test('the options of a source are read under the names of their fields, without the owner of its objects', () => {
  const source = { options: { networks: false }, managed_by: 'source:lab' }
  // Only these fields are read.
  const flat = flattenOptions(source as unknown as Parameters<typeof flattenOptions>[0])
  expect(flat).toMatchObject({ 'options.networks': false, managed_by: '' })
})

import { describe, expect, test } from 'bun:test'
import {
  createField,
  describeName,
  EMPTY,
  type FieldDraft,
  moveField,
  toDefinitions,
  toInput,
  toRowErrors,
} from './draft.ts'

const field = (key: number, part: Partial<FieldDraft>): FieldDraft => ({ ...createField(key), ...part })

const DRAFT = {
  ...EMPTY,
  name: ' Circuits ',
  fields: [
    field(0, { label: 'Provider', type: 'reference', target: 'providers' }),
    field(1, { label: ' ' }),
    field(2, { label: 'Status', type: 'choice', choices: 'planned, active,, planned' }),
    field(3, { label: 'provider, Commit' }),
  ],
}

test.each([
  ['Circuits', 'New circuit, /kinds/circuits'],
  ['AS numbers', 'New AS number, /kinds/as-numbers'],
  ['  ', ''],
])('the name %p tells %p', (name, text) => {
  expect(describeName(name)).toBe(text)
})

describe('the call of a new kind', () => {
  test('has the fields with a label, in their order, each with a name of its own', () => {
    expect(toInput(DRAFT)).toMatchObject({
      name: 'Circuits',
      unique_names: true,
      fields: [
        { name: 'provider', label: 'Provider', type: 'reference', reference_to: 'providers' },
        { name: 'status', label: 'Status', type: 'choice', choices: ['planned', 'active'] },
        { name: 'provider_2', label: 'provider', type: 'text' },
        { name: 'commit', label: 'Commit', type: 'text' },
      ],
    })
  })

  test('its errors stand at the rows that they name', () => {
    const errors = { 'fields[1].choices': 'must not be empty', 'fields[3].name': 'is taken', name: 'is required' }
    expect([...toRowErrors(DRAFT, errors)]).toEqual([
      [2, 'choices must not be empty'],
      [3, 'is taken'],
    ])
  })
})

test('the form of a new kind has its fields', () => {
  expect(toDefinitions(DRAFT).map(({ name, type, choices }) => [name, type, choices])).toEqual([
    ['provider', 'reference', []],
    ['status', 'choice', ['planned', 'active']],
    ['provider_2', 'text', []],
    ['commit', 'text', []],
  ])
})

test('a row is moved by a step, and not beyond the end', () => {
  const keys = (fields: readonly FieldDraft[]) => fields.map(({ key }) => key)
  expect(keys(moveField(DRAFT.fields, 2, -1))).toEqual([0, 2, 1, 3])
  expect(keys(moveField(DRAFT.fields, 3, 1))).toEqual([0, 1, 2, 3])
  expect(keys(moveField(DRAFT.fields, 0, -1))).toEqual([0, 1, 2, 3])
})

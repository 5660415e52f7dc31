import { describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { contracts } from '../../../src/features/index.ts'
import { deviceFields } from '../devices/fields.ts'
import { cellKinds, type Fields, formFields, shownFields, tableSpec } from './fields.ts'

/** The file that declares the fields of a resource, and the declaration. */
const DECLARED = { devices: ['web/src/devices/fields.ts', deviceFields()] } as const

type Resource = keyof typeof DECLARED
const resources = Object.keys(DECLARED) as Resource[]

const properties = (schema: z.ZodType | (() => z.ZodType)): string[] => {
  const made = typeof schema === 'function' ? schema() : schema
  return Object.keys(z.toJSONSchema(made, { io: 'input', unrepresentable: 'any' }).properties ?? {})
}

/** "serial of devices is missing in web/src/devices/fields.ts" */
const missing = (resource: Resource, wanted: readonly string[], shown: readonly string[]): string[] =>
  wanted
    .filter((name) => !shown.includes(name))
    .map((name) => `${name} of ${resource} is missing in ${DECLARED[resource][0]}`)

describe.each(resources)('the fields of %s', (resource) => {
  const [file, fields] = DECLARED[resource]

  test('are all declared', () => {
    expect(readFileSync(join(import.meta.dirname, '../../..', file), 'utf8')).toContain('Fields<')
    expect(missing(resource, properties(contracts[resource].get.output), Object.keys(fields))).toEqual([])
  })

  test('can all be typed that the contract takes', () => {
    const typed = formFields(fields).map(({ name }) => name)
    const taken = properties(contracts[resource].update.input).filter((name) => !/^(id|add_.*|remove_.*)$/.test(name))
    expect(missing(resource, taken, typed)).toEqual([])
  })

  test('are the columns of the files that an import takes', () => {
    expect(missing(resource, properties(contracts[resource].create.input), Object.keys(cellKinds(fields)))).toEqual([])
  })
})

test('a field that is not declared is named with the file', () => {
  expect(missing('devices', ['colour'], Object.keys(deviceFields()))).toEqual([
    'colour of devices is missing in web/src/devices/fields.ts',
  ])
})

describe('a field with nothing but a label', () => {
  const fields: Fields<{ id: string; serial: string }> = {
    id: { label: 'ID', form: false, column: false, isSearched: false },
    serial: { label: 'Serial number' },
  }
  const row = { id: '1', serial: 'AB-7' }

  test('can be typed, and is shown, compared, exported, searched, sorted and filtered', () => {
    expect(formFields(fields)).toEqual([{ name: 'serial', label: 'Serial number' }])
    expect(shownFields(fields, 'isDetail').map(({ name }) => name)).toEqual(['id', 'serial'])
    expect(shownFields(fields, 'isCompared').map(({ name }) => name)).toEqual(['id', 'serial'])
    expect(cellKinds(fields)).toEqual({ id: 'text', serial: 'text' })
    const spec = tableSpec(fields)
    expect([spec.text(row), spec.sorts.serial?.(row), spec.fields.serial?.(row, 'b-7')]).toEqual(['AB-7', 'AB-7', true])
  })
})

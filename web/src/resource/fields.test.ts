import { describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { z } from 'zod'
import { contracts } from '../../../src/app/contracts.ts'
import { isFieldOfCall } from '../../../src/contract/fields/history-fields.ts'
import type { AnyOperation } from '../../../src/kernel/operation.ts'
import { toSortKey } from '../../../src/net/name-order.ts'
import { buildDeviceFields } from '../devices/fields.ts'
import { buildFormFields, buildTableSpec, type Fields, listCellKinds, listShownFields } from './fields.ts'

/** Every folder of a resource that declares its fields, by the name of its contract. */
const files = new Bun.Glob('*/fields.ts').scanSync({ cwd: join(import.meta.dirname, '..') })
const modules = await Promise.all(
  [...files]
    .map((file) => file.slice(0, file.indexOf('/')))
    .filter((folder) => folder in contracts)
    .map(async (folder) => {
      const { fields } = (await import(`../${folder}/fields.ts`)) as { fields: Fields<object> }
      return [folder, fields] as const
    }),
)

type Crud = Readonly<Record<'get' | 'create' | 'update', AnyOperation>>
// Every resource has these operations.
const operationsOf = (resource: string): Crud => Reflect.get(contracts, resource) as Crud

const properties = (schema: z.ZodType | (() => z.ZodType)): string[] => {
  const made = typeof schema === 'function' ? schema() : schema
  const names = Object.keys(z.toJSONSchema(made, { io: 'input', unrepresentable: 'any' }).properties ?? {})
  // Fields of every write are no fields of the resource.
  return names.filter((name) => !isFieldOfCall(name))
}

/** "serial of devices is missing in web/src/devices/fields.ts" */
const missing = (resource: string, wanted: readonly string[], shown: readonly string[]): string[] =>
  wanted
    .filter((name) => !shown.includes(name))
    .map((name) => `${name} of ${resource} is missing in web/src/${resource}/fields.ts`)

describe.each(modules)('the fields of %s', (resource, fields) => {
  const { get, create, update } = operationsOf(resource)

  test('are all declared', () => {
    expect(missing(resource, properties(get.output), Object.keys(fields))).toEqual([])
  })

  test('can all be typed that the contract takes', () => {
    const typed = buildFormFields(fields).map(({ name }) => name)
    const taken = properties(update.input).filter((name) => !/^(id|add_.*|remove_.*)$/.test(name))
    expect(missing(resource, taken, typed)).toEqual([])
  })

  test('are the columns of the files that an import takes', () => {
    expect(missing(resource, properties(create.input), Object.keys(listCellKinds(fields)))).toEqual([])
  })
})

test('of devices, datacenters and networks are checked here', () => {
  expect(modules.map(([resource]) => resource)).toEqual(expect.arrayContaining(['datacenters', 'devices', 'networks']))
})

test('a field that is not declared is named with the file', () => {
  expect(missing('devices', ['colour'], Object.keys(buildDeviceFields()))).toEqual([
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
    expect(buildFormFields(fields)).toEqual([{ name: 'serial', label: 'Serial number' }])
    expect(listShownFields(fields, 'isDetail').map(({ name }) => name)).toEqual(['id', 'serial'])
    expect(listShownFields(fields, 'isCompared').map(({ name }) => name)).toEqual(['id', 'serial'])
    expect(listCellKinds(fields)).toEqual({ id: 'text', serial: 'text' })
    const spec = buildTableSpec(fields)
    expect([spec.text(row), spec.sorts.serial?.(row), spec.fields.serial?.(row, 'b-7')]).toEqual([
      ...['AB-7', toSortKey('AB-7'), true],
    ])
  })
})

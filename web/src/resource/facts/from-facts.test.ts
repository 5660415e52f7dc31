/** The defaults of fields by their facts, and what all resources have by theirs. */
import { describe, expect, test } from 'bun:test'
import { z } from 'zod'
import { contracts } from '../../../../src/app/contracts.ts'
import { isFieldOfCall } from '../../../../src/contract/fields/history-fields.ts'
import { FACTS, RESOURCES, toContractName } from '../../../../src/inventory/resources.ts'
import type { AnyOperation } from '../../../../src/kernel/operation.ts'
import { CUSTOM_RESOURCES, REFERENCE_TARGETS } from '../../../../src/resource/custom/fields.ts'
import { RESOURCE_TITLES, TARGETS } from '../../custom-fields/definition-titles.ts'
import { RESOURCE_KEYS } from '../../live/keys.ts'
import { buildFormFields, buildTableSpec, listCellKinds } from '../fields.ts'
import { buildFields, listFileCells, toLabel } from './from-facts.ts'

const toObject = (schema: z.ZodType | (() => z.ZodType)): z.ZodType =>
  typeof schema === 'function' ? schema() : schema

const listInputs = (resource: (typeof RESOURCES)[number]['name']): string[] => {
  const { create }: { readonly create: AnyOperation } = contracts[toContractName(resource)]
  const { properties = {} } = z.toJSONSchema(toObject(create.input), { io: 'input', unrepresentable: 'any' })
  return Object.keys(properties).filter((name) => !isFieldOfCall(name) && !APART[resource]?.includes(name))
}

/** In files, the fields of a kind are rows of their own. */
const APART: Readonly<Record<string, readonly string[]>> = { kinds: ['fields'] }

/** The operation names the parent by the device in its path. */
const RENAMED: Readonly<Record<string, string>> = { device_id: 'parent_id' }

describe.each(RESOURCES)('the files of $name', (facts) => {
  test('have a column for each field that a create takes, and no other', () => {
    const renamed = (name: string) => (facts.name === 'relationships' ? (RENAMED[name] ?? name) : name)
    expect(Object.keys(listFileCells(facts)).toSorted()).toEqual(listInputs(facts.name).map(renamed).toSorted())
  })
})

test('the editor of custom fields has the resources of the server, and references name the same', () => {
  expect(Object.keys(RESOURCE_TITLES).toSorted()).toEqual([...CUSTOM_RESOURCES].toSorted())
  expect(TARGETS.toSorted()).toEqual([...REFERENCE_TARGETS].toSorted())
})

test('an event refreshes the lists of its resource, and the lists that are computed from it', () => {
  const others = RESOURCES.filter(({ name }) => name !== 'devices')
  expect(others.filter(({ name }) => !RESOURCE_KEYS[name]?.includes(name))).toEqual([])
  expect(RESOURCE_KEYS.networks).toEqual(expect.arrayContaining(['networks', 'network', 'vlans', 'pools', 'dashboard']))
  expect(RESOURCE_KEYS.devices).toEqual(
    expect.arrayContaining(['networks', 'pools', 'racks', 'dns-zones', 'dashboard']),
  )
  expect(RESOURCE_KEYS.devices).not.toContain('device')
  expect(RESOURCE_KEYS['custom-fields']).toEqual(
    expect.arrayContaining(['device', 'cables', 'ports', 'racks', 'reservations', 'me']),
  )
})

test('a label has the words of the name, without the end of an id', () => {
  expect(['part_number', 'datacenter_id', 'network_ids', 'mac_address', 'os'].map(toLabel)).toEqual([
    'Part number',
    'Datacenter',
    'Networks',
    'MAC address',
    'OS',
  ])
})

describe('a field without a difference', () => {
  const racks = buildFields(FACTS.racks, {}, { names: new Map([['d1', 'ams']]) })
  const controls = Object.fromEntries(buildFormFields(racks).map((field) => [field.name, field]))

  test('has the control of its type, with the description as its hint', () => {
    expect(controls.height).toMatchObject({ kind: 'number', initial: '42', hint: 'The height in units' })
    expect(controls.datacenter_id).toMatchObject({ kind: 'reference', label: 'Datacenter' })
    expect(controls.description).toMatchObject({ kind: 'area' })
    expect(controls.name).toMatchObject({ isRequired: true })
    expect(controls.numbering?.options).toEqual([
      ['bottom_up', 'Bottom up'],
      ['top_down', 'Top down'],
    ])
  })

  test('is searched, sorted and filtered by its type', () => {
    const spec = buildTableSpec(racks)
    // The spec reads these fields of a rack.
    const row = { height: 42, datacenter_id: 'd1', numbering: 'top_down', location: 'Room' } as never
    expect(spec.sorts.height?.(row)).toBe(42)
    expect([spec.fields.datacenter?.(row, 'am'), spec.fields.numbering?.(row, 'top'), spec.fields.height]).toEqual([
      true,
      true,
      undefined,
    ])
    expect(spec.facets.datacenter?.(row)).toEqual(['ams'])
  })

  test('has a cell by its type', () => {
    expect(listCellKinds(racks)).toMatchObject({ height: 'number', name: 'text', refs: 'record' })
  })
})

describe('a difference', () => {
  test('changes the parts that it names, and an empty hint takes the hint away', () => {
    const racks = buildFields(FACTS.racks, { height: { form: { hint: '', isHalf: true }, column: false } })
    expect(racks.height.form).toEqual({ kind: 'number', initial: '42', isHalf: true })
    expect(racks.height.column).toBe(false)
    expect(racks.height.label).toBe('Height')
  })
})

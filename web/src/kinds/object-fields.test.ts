import { expect, test } from 'bun:test'
import { buildFormFields, buildTableSpec, listColumnFields } from '../resource/fields.ts'
import { isShown } from '../resource/form-values.ts'
import type { KindObject } from './known-kinds.ts'
import { buildObjectFields } from './object-fields.ts'

const KIND = { id: 'tenants', singular: 'Tenant', nested: false, located: false }

const object = (id: string, parent_id: string | null): KindObject => ({
  ...{ id, kind_id: 'tenants', name: id, parent_id, datacenter_id: null, description: '' },
  ...{ refs: {}, managed_by: '', created_at: '', updated_at: '' },
})

test('the form of an object asks for a parent only where the kind is nested, and for a datacenter only where it is located', () => {
  const listFormFields = (kind: typeof KIND) =>
    buildFormFields(buildObjectFields(kind))
      .filter((field) => isShown(field, {}, true))
      .map(({ name }) => name)
  const names = listFormFields(KIND)
  expect(['parent_id', 'datacenter_id'].filter((name) => names.includes(name))).toEqual([])
  expect(listFormFields({ ...KIND, nested: true })).toContain('parent_id')
  expect(listFormFields({ ...KIND, located: true })).toContain('datacenter_id')
})

test('the list of a kind has no column for a parent or a datacenter that its objects cannot have', () => {
  const listColumns = (kind: typeof KIND) => listColumnFields(buildObjectFields(kind)).map(({ name }) => name)
  expect(listColumns(KIND)).toEqual(['name', 'description', 'updated_at'])
  expect(listColumns({ ...KIND, nested: true, located: true })).toEqual(
    expect.arrayContaining(['parent_id', 'datacenter_id']),
  )
})

test('the list of a nested kind is ordered as a tree', () => {
  const objects = [object('b', null), object('a', null), object('a-child', 'b')]
  const { sorts } = buildTableSpec(buildObjectFields({ ...KIND, nested: true }, { objects }))
  const getKey = (one: KindObject) => String(sorts.name?.(one))
  expect(objects.toSorted((x, y) => (getKey(x) < getKey(y) ? -1 : 1)).map(({ id }) => id)).toEqual([
    'a',
    'b',
    'a-child',
  ])
})

test('the filter by datacenter takes the objects in those below it along', () => {
  const datacenters = [
    { id: 'r', name: 'Region' },
    { id: 's', name: 'Site', parent_id: 'r' },
  ]
  const { fields } = buildTableSpec(buildObjectFields({ ...KIND, located: true }, { datacenters }))
  const isIn = (datacenter_id: string | null, value: string) =>
    fields.dc?.({ ...object('a', null), datacenter_id }, value)
  expect([isIn('s', 'region'), isIn('s', 'site'), isIn('r', 'site'), isIn(null, 'region')]).toEqual([
    ...[true, true, false, false],
  ])
})

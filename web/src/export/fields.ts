/** The fields of every resource that can be imported, and how each is written in the cell of a CSV. */

import type { CellKind } from '../../../src/base/csv/cells.ts'
import { CUSTOM } from '../../../src/base/csv/custom-columns.ts'
import type { Resource } from '../../../src/inventory/resources.ts'
import { listFileCells } from '../resource/facts/from-facts.ts'
import { IMPORTED } from '../resource/facts/menu-order.ts'

export type ResourceName = Resource
type Cells = Readonly<Record<string, CellKind>>
/** By the names of the resources. */
export const FIELDS =
  // One entry for each of the resources.
  Object.fromEntries(IMPORTED.map((facts) => [facts.name, listFileCells(facts)])) as Readonly<
    Record<ResourceName, Cells>
  >
/** In the order of the menu. */
export const RESOURCES: readonly ResourceName[] = IMPORTED.map(({ name }) => name)

export const findResource = (text: string | undefined): ResourceName | undefined =>
  RESOURCES.find((one) => one === text)

/** Returns the fields that columns of a file may hold. @param custom columns of custom fields */
export const listColumnFields = (resource: ResourceName, custom: readonly string[]): readonly string[] => [
  ...Object.keys(FIELDS[resource]).filter((field) => field !== CUSTOM || custom.length > 0),
  ...custom,
]

export type ImportRow = Readonly<Record<string, unknown>>

/** Returns the name of a row. */
export const getRowName = (row: ImportRow): string =>
  [row.name, row.ip_address, row.id, row.parent_id].find((one) => typeof one === 'string' && one !== '')?.toString() ??
  ''

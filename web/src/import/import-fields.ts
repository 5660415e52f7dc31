/** The fields that a column of an imported file may hold. */
import { CUSTOM } from '../../../src/base/csv/custom-columns.ts'
import { listSheetFields, type Sheet } from '../../../src/base/sheets/sheet.ts'
import { FACTS } from '../../../src/inventory/resources.ts'
import { getSheet } from '../../../src/inventory/sheets.ts'
import type { ResourceName } from '../export/fields.ts'

export const getImportSheet = (resource: ResourceName): Sheet => getSheet(resource)

/** A datacenter is found by its name or its id in one column. */
export const DATACENTER = 'datacenter'
export const DATACENTER_ID = 'datacenter_id'

/** Returns the fields that a column may hold, in the order of files. @param custom columns of custom fields */
export const listImportFields = (resource: ResourceName, custom: readonly string[]): readonly string[] => [
  ...listSheetFields(getImportSheet(resource)).filter(
    (field) => field !== DATACENTER && (field !== CUSTOM || custom.length > 0),
  ),
  ...custom,
]

/** Returns the fields that name an object in the place of its id, which only an estate document has. */
export const listNameFields = (resource: ResourceName): readonly string[] => {
  const { fields } = getImportSheet(resource)
  return Object.keys(fields).filter(
    (field) => !Object.hasOwn(FACTS[resource].fields, field) && Object.hasOwn(fields, `${field}_id`),
  )
}

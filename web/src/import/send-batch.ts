/** Sends mapped rows: as rows, or as an estate document if they name objects in the place of ids. */
import type { ApplyResult, ImportQuery } from '../../../src/exchange/estate/api.ts'
import type { ImportRow, ResourceName } from '../export/fields.ts'
import { listNameFields } from './import-fields.ts'
import { type ImportResult, type SendOptions, sendDocument, sendRows } from './send.ts'

export type Batch = {
  readonly resource: ResourceName
  readonly rows: readonly ImportRow[]
  /** Names of objects that are not there, by their resource: they are made as well. */
  readonly missing: ReadonlyMap<string, readonly string[]>
}

export type Sent = { readonly result: ImportResult; readonly plan?: ApplyResult }

const namesSpace = ({ addresses }: ImportRow): boolean =>
  Array.isArray(addresses) && addresses.some((one) => typeof one === 'object' && one !== null && 'space' in one)

/** True for rows that only an estate document may hold. */
const isDocument = ({ resource, rows, missing }: Batch): boolean => {
  if (missing.size > 0) return true
  const fields = listNameFields(resource)
  return rows.some((row) => fields.some((field) => row[field] !== undefined) || namesSpace(row))
}

const buildDocument = ({ resource, rows, missing }: Batch, empty: ImportQuery['empty']) => ({
  ...Object.fromEntries([...missing].map(([to, names]) => [to, names.map((name) => ({ name }))])),
  [resource]: rows,
  lists: 'add' as const,
  empty,
})

/** Returns the result of an apply in the form of an import. Errors of the objects that are made as well count as the first row's. */
const toImportResult = (resource: ResourceName, { counts, errors, failed_rows = {} }: ApplyResult): ImportResult => {
  const { created = 0, updated = 0, unchanged = 0, failed = 0 } = counts[resource] ?? {}
  const others = errors.filter((one) => one.resource !== resource)
  return {
    ...{ created, updated, unchanged, failed: failed + others.length },
    errors: [
      ...others.map((one) => ({ ...one, row: 1, error: `${one.resource} ${one.name}: ${one.error}`, details: [] })),
      ...errors.filter((one) => one.resource === resource).map((one) => ({ ...one, row: one.row + 1 })),
    ],
    failed_rows: (failed_rows[resource] ?? []).map((row) => row + 1),
  }
}

export const sendBatch = async (batch: Batch, options: SendOptions): Promise<Sent> => {
  const { resource, rows } = batch
  if (!isDocument(batch)) return { result: await sendRows(resource, rows, options) }
  const document = { ...buildDocument(batch, options.empty ?? 'keep'), atomic: !options.isDryRun }
  const { result } = await sendDocument(document, options)
  const imported = toImportResult(resource, result)
  const plan = { ...result, changes: result.changes.filter((change) => change.resource === resource) }
  return {
    result: imported,
    ...(options.isDryRun && imported.failed === 0 && { plan: { ...plan, changes_total: plan.changes.length } }),
  }
}

/** The rows of an import as they are reviewed, each with the result that the plan has for it. Pure functions. */
import { formatPlace, locateCell, type MappedTable } from '../../../../src/base/sheets/locate.ts'
import type { ApplyResult } from '../../../../src/exchange/estate/api.ts'
import { getRowName, type ResourceName } from '../../export/fields.ts'
import { listChangedFields, listValues, type Value } from '../../table/plan/values.ts'
import { buildKey, type Documents, listAll, listNumbers, type SheetSource } from '../draft.ts'
import { getErrorLabel } from '../labels.ts'

export type Verdict = 'refused' | 'new' | 'change' | 'unchanged' | 'good'

export type ReviewRow = {
  readonly key: string
  readonly resource: ResourceName
  /** The place in the list of its resource; undefined for a row that cannot be read. */
  readonly at: number | undefined
  /** The row of the file, or the place in the list; 1 is the first. */
  readonly number: number
  readonly name: string
  readonly verdict: Verdict
  readonly messages: readonly string[]
  readonly values: readonly Value[]
}

const listChanges = (resource: ResourceName, { fields = {}, managed_by }: ApplyResult['changes'][number]): Value[] =>
  listChangedFields(resource, { ...fields, ...(managed_by && { managed_by }) })

type Detail = { readonly field: string; readonly message: string }

export const buildTable = ({ cells }: SheetSource): MappedTable => {
  const places = new Map(cells.numbers.map((number, at) => [number, at]))
  return {
    columns: cells.columns.map(({ name }) => name),
    fields: cells.columns.map(({ field }) => field),
    getCells: (number) => cells.rows[places.get(number) ?? -1],
  }
}

/** @example formatError(...) // 'Status: must be one of active, planned (line 3, column Status, "asleep")' */
const formatError = (
  resource: ResourceName,
  { field, message }: Detail,
  locate: ((field: string) => string) | undefined,
): string => {
  const text = field === '' ? message : `${getErrorLabel(resource, field)}: ${message}`
  const place = locate?.(field) ?? ''
  return place === '' ? text : `${text} (${place})`
}

type Reviewed = {
  readonly documents: Documents
  readonly sheet: SheetSource | undefined
  readonly plan: ApplyResult | undefined
  /** Errors of a later try, by the keys of rows. */
  readonly refused: ReadonlyMap<string, readonly string[]>
}

const NOT_SHOWN = 'It is refused. Its error is shown when the others are corrected.'

/** Returns the errors of a plan by the keys of rows. @param getAt the place of a row that was sent */
export const listMessages = (
  { errors, failed_rows = {} }: Pick<ApplyResult, 'errors' | 'failed_rows'>,
  getAt: (resource: ResourceName, row: number) => number = (_, row) => row,
  locate?: (resource: ResourceName, at: number, field: string) => string,
): Map<string, readonly string[]> => {
  const found = new Map<string, readonly string[]>()
  // The names are those of the document that was sent.
  for (const [resource, rows] of Object.entries(failed_rows))
    for (const row of rows) found.set(buildKey(resource, getAt(resource as ResourceName, row)), [NOT_SHOWN])
  for (const { resource, row, error, details } of errors) {
    const at = getAt(resource, row)
    const own = locate && ((field: string) => locate(resource, at, field))
    const messages = details.map((detail) => formatError(resource, detail, own))
    found.set(buildKey(resource, at), messages.length > 0 ? messages : [error])
  }
  return found
}

export const createLocator = (sheet: SheetSource | undefined) => {
  const table = sheet && buildTable(sheet)
  return (resource: ResourceName, at: number, field: string): string => {
    const origin = sheet && resource === sheet.resource ? sheet.cells.origins[at] : undefined
    if (!sheet || !table || origin === undefined) return ''
    const place = locateCell(table, origin, field)
    return [`${sheet.cells.unit} ${place.number}`, formatPlace(place)].filter((part) => part !== '').join(', ')
  }
}

const listRejected = ({ resource, cells }: SheetSource): ReviewRow[] => {
  const columns = cells.columns.map(({ name }) => name)
  return cells.rejected.map(({ number, column, message }) => {
    const own = cells.rows[cells.numbers.indexOf(number)] ?? []
    return {
      ...{
        key: `rejected ${number}`,
        resource,
        at: undefined,
        number,
        name: own.find((cell) => cell.trim() !== '') ?? '',
      },
      verdict: 'refused',
      messages: [`${column === undefined ? '' : `${column}: `}${message} (${cells.unit} ${number})`],
      values: own.flatMap((text, at) => (text === '' ? [] : [{ label: columns[at] || `Column ${at + 1}`, text }])),
    }
  })
}

/** Returns all rows in the order of the file, or of their resources. */
export const listReviewRows = ({ documents, sheet, plan, refused }: Reviewed): ReviewRow[] => {
  const changes = new Map(
    plan?.changes.flatMap((change) =>
      change.row === undefined ? [] : [[buildKey(change.resource, change.row), change] as const],
    ),
  )
  const isWhole = plan !== undefined && plan.changes.length === plan.changes_total
  const messages = new Map([...(plan ? listMessages(plan, undefined, createLocator(sheet)) : []), ...refused])
  const rows = listAll(documents).map(({ resource, at, row }): ReviewRow => {
    const key = buildKey(resource, at)
    const change = changes.get(key)
    const errors = messages.get(key) ?? []
    const [first] = sheet && resource === sheet.resource ? listNumbers(sheet, at) : []
    const verdict: Verdict =
      errors.length > 0
        ? 'refused'
        : change
          ? change.action === 'create'
            ? 'new'
            : 'change'
          : isWhole
            ? 'unchanged'
            : 'good'
    return {
      ...{ key, resource, at, number: first ?? at + 1, verdict, messages: errors },
      name: getRowName(row) || change?.name || '',
      values: change?.action === 'update' ? listChanges(resource, change) : listValues(resource, row),
    }
  })
  if (!sheet) return rows
  const all = [...rows, ...listRejected(sheet)]
  const isSheet = ({ resource }: ReviewRow) => resource === sheet.resource
  return [...all.filter((row) => !isSheet(row)), ...all.filter(isSheet).sort((a, b) => a.number - b.number)]
}

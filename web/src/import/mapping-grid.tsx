/** Which column is which field. */
import { MERGED_FIELD } from '../../../src/base/sheets/guess-columns.ts'
import type { ResourceName } from '../export/fields.ts'
import { SelectField } from '../ui/field.tsx'
import css from './import.module.css'
import { listImportFields } from './import-fields.ts'
import type { Mapping } from './mapping.ts'
import type { Source } from './read.ts'

const SAMPLES = 3

const formatSample = (source: Source, column: number): string =>
  source.rows
    .map((row) => row[column])
    .filter((cell) => cell !== undefined && cell !== null && cell !== '')
    .slice(0, SAMPLES)
    .map((cell) => (typeof cell === 'object' ? JSON.stringify(cell) : String(cell)))
    .join(' · ')

type Props = {
  readonly resource: ResourceName
  /** Columns of custom fields. */
  readonly custom: readonly string[]
  readonly source: Source
  readonly mapping: Mapping
  readonly onChange: (mapping: Mapping) => void
}

export const MappingGrid = ({ resource, custom, source, mapping, onChange }: Props) => {
  const fields = listImportFields(resource, custom)
  return (
    <ul className={css.mapping} aria-label="Columns">
      {source.columns.map((column, at) => (
        // Two columns may have one name.
        // biome-ignore lint/suspicious/noArrayIndexKey: a column is its place
        <li key={at} data-unused={mapping[at] === '' || undefined}>
          <SelectField
            label={column === '' ? `Column ${at + 1}` : column}
            hint={formatSample(source, at) || 'empty'}
            value={mapping[at] ?? ''}
            onChange={(field) =>
              // A field is filled from one column: the other one loses it. Addresses may be in several.
              onChange(
                mapping.map((old, other) =>
                  other === at ? field : old === field && field !== MERGED_FIELD ? '' : old,
                ),
              )
            }
            options={[['', 'Leave out'], ...fields.map((field) => [field, field] as const)]}
          />
        </li>
      ))}
    </ul>
  )
}

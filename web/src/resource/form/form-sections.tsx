/** The fields of a form under the headings of their sections. The last section is closed unless one of its fields is set or wrong. */
import { type ReactNode, useState } from 'react'
import css from '../../ui/field.module.css'
import { MORE } from '../fields.ts'
import type { FieldSpec } from '../resource.ts'

/** One field in each line, or two that are half as wide. */
const splitIntoLines = (fields: readonly FieldSpec[]): FieldSpec[][] => {
  const lines: FieldSpec[][] = []
  for (const field of fields) {
    const last = lines.at(-1)
    if (field.isHalf && last?.length === 1 && last[0]?.isHalf) last.push(field)
    else lines.push([field])
  }
  return lines
}

/** Returns runs of fields with one heading. */
const splitIntoSections = (fields: readonly FieldSpec[]): FieldSpec[][] => {
  const sections: FieldSpec[][] = []
  for (const field of fields) {
    const last = sections.at(-1)
    if (last && (last[0]?.section ?? '') === (field.section ?? '')) last.push(field)
    else sections.push([field])
  }
  return sections
}

/** @example listLabels(['Description', 'Tags']) // 'Description, tags' */
const listLabels = (labels: readonly string[]): string =>
  labels.map((label, at) => (at === 0 ? label : label.replace(/^[A-Z](?=[a-z])/, (c) => c.toLowerCase()))).join(', ')

type Props = {
  readonly fields: readonly FieldSpec[]
  /** True if a field of the last section is set. */
  readonly isOpen: boolean
  readonly renderField: (field: FieldSpec) => ReactNode
}

export const FormSections = ({ fields, isOpen, renderField }: Props) => {
  /** Undefined until the user has opened or closed it. */
  const [chosen, setChosen] = useState<boolean>()
  const renderLines = (some: readonly FieldSpec[]) =>
    splitIntoLines(some).map((line) =>
      line.length === 1 ? (
        line.map(renderField)
      ) : (
        <div key={line[0]?.name} className={css.two}>
          {line.map(renderField)}
        </div>
      ),
    )
  const more = fields.filter(({ section }) => section === MORE)
  return (
    <>
      {splitIntoSections(fields.filter(({ section }) => section !== MORE)).map((some) => (
        <section key={some[0]?.name} className={css.fields}>
          {some[0]?.section && <h3 className={css.section}>{some[0].section}</h3>}
          {renderLines(some)}
        </section>
      ))}
      {more.length > 0 && (
        <details
          className={css.more}
          open={chosen ?? isOpen}
          onToggle={({ currentTarget }) => {
            if (currentTarget.open !== (chosen ?? isOpen)) setChosen(currentTarget.open)
          }}
        >
          <summary>
            <span>{MORE}</span>
            <span className="muted truncate" aria-hidden="true">
              {listLabels(more.map(({ label }) => label))}
            </span>
          </summary>
          <div className={css.fields}>{renderLines(more)}</div>
        </details>
      )}
    </>
  )
}

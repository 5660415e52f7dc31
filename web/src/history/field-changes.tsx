/** The fields of an item: the old and the new value of each, of a list the entries that came and went. */
import { useState } from 'react'
import type { HistoryItem } from '../api/contracts.ts'
import css from './history.module.css'
import { useNames } from './use-names.ts'
import { labelOf, listDifference, type Names, shownFields, valueText } from './words.ts'

type ValueProps = { readonly sign: '−' | '+'; readonly value: unknown; readonly names: Names }

const Value = ({ sign, value, names }: ValueProps) => {
  const text = valueText(value, names)
  return (
    <dd className={sign === '−' ? css.gone : css.came}>
      <span aria-hidden="true">{sign}</span>
      <span className="sr">{sign === '−' ? 'Before: ' : 'After: '}</span>
      {text === '' ? <span className="muted">empty</span> : <span className={css.value}>{text}</span>}
    </dd>
  )
}

type FieldProps = {
  readonly item: Pick<HistoryItem, 'kind' | 'change'>
  readonly name: string
  readonly field: HistoryItem['fields'][string]
  readonly names: Names
}

const Field = ({ item: { kind, change }, name, field, names }: FieldProps) => {
  const list = listDifference(field)
  const { gone, came } = list ?? {
    gone: change === 'create' ? [] : [field.from],
    came: change === 'delete' ? [] : [field.to],
  }
  return (
    <div className={css.field}>
      <dt>{labelOf(kind, name)}</dt>
      {gone.map((value) => (
        <Value key={`- ${JSON.stringify(value)}`} sign="−" value={value} names={names} />
      ))}
      {came.map((value) => (
        <Value key={`+ ${JSON.stringify(value)}`} sign="+" value={value} names={names} />
      ))}
      {gone.length + came.length === 0 && <dd className="muted">In another order</dd>}
    </div>
  )
}

type Props = { readonly item: HistoryItem; readonly names: Names }

const FieldList = ({ item, names }: Props) => (
  <dl className={css.fields}>
    {shownFields(item.fields).map(([name, field]) => (
      <Field key={name} item={item} name={name} field={field} names={names} />
    ))}
  </dl>
)

/** The names are requested when the fields are opened. */
const OpenedList = ({ item, names }: Props) => {
  const own = useNames([item])
  return <FieldList item={item} names={new Map([...names, ...own])} />
}

/** All fields of an object that was created or deleted, behind a line that opens them. */
const AllFields = (props: Props) => {
  const [isOpen, setOpen] = useState(false)
  return (
    <details onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>{props.item.change === 'create' ? 'Its fields' : 'Its fields until then'}</summary>
      {isOpen && <OpenedList {...props} />}
    </details>
  )
}

export const FieldChanges = (props: Props) => {
  if (shownFields(props.item.fields).length === 0) return null
  return props.item.change === 'update' ? <FieldList {...props} /> : <AllFields {...props} />
}

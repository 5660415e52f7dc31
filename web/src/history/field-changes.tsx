/** The fields of an item: the old and the new value of each, of a list the entries that came and went. */
import type { HistoryItem } from '../api/contracts.ts'
import css from './history.module.css'
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

export const FieldChanges = ({ item, names }: Props) => {
  const fields = shownFields(item.fields)
  if (fields.length === 0) return null
  const list = (
    <dl className={css.fields}>
      {fields.map(([name, field]) => (
        <Field key={name} item={item} name={name} field={field} names={names} />
      ))}
    </dl>
  )
  if (item.change === 'update') return list
  return (
    <details>
      <summary>{item.change === 'create' ? 'Its fields' : 'Its fields until then'}</summary>
      {list}
    </details>
  )
}

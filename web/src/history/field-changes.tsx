/** The fields of an item: the old and the new value of each, of a list the entries that came and went. */
import { useMemo, useState } from 'react'
import type { HistoryItem } from '../api/contracts.ts'
import css from './history.module.css'
import { formatValue, getLabel, listDifference, listShownFields, type Names } from './labels.ts'
import { useCustomWords } from './use-custom-words.ts'

type ValueProps = { readonly sign: '−' | '+'; readonly text: string }

const Value = ({ sign, text }: ValueProps) => (
  <dd className={sign === '−' ? css.gone : css.came}>
    <span aria-hidden="true">{sign}</span>
    <span className="sr">{sign === '−' ? 'Before: ' : 'After: '}</span>
    {text === '' ? <span className="muted">empty</span> : <span className={css.value}>{text}</span>}
  </dd>
)

type FieldProps = {
  readonly change: HistoryItem['change']
  readonly label: string
  readonly field: HistoryItem['fields'][string]
  readonly toText: (value: unknown) => string
}

const Field = ({ change, label, field, toText }: FieldProps) => {
  const list = listDifference(field)
  const { gone, came } = list ?? {
    gone: change === 'create' ? [] : [field.from],
    came: change === 'delete' ? [] : [field.to],
  }
  return (
    <div className={css.field}>
      <dt>{label}</dt>
      {gone.map((value) => (
        <Value key={`- ${JSON.stringify(value)}`} sign="−" text={toText(value)} />
      ))}
      {came.map((value) => (
        <Value key={`+ ${JSON.stringify(value)}`} sign="+" text={toText(value)} />
      ))}
      {gone.length + came.length === 0 && <dd className="muted">In another order</dd>}
    </div>
  )
}

type Props = { readonly item: HistoryItem }

const FieldList = ({ item }: Props) => {
  const { kind, change, fields } = item
  const names: Names = useMemo(() => new Map(Object.entries(item.names ?? {})), [item])
  const { own, inside } = useCustomWords(item, names)
  return (
    <dl className={css.fields}>
      {listShownFields(fields).map(({ name, isCustom, field }) => (
        <Field
          key={isCustom ? `custom.${name}` : name}
          change={change}
          label={isCustom ? own(name, null).label : getLabel(kind, name)}
          field={field}
          toText={(value) => (isCustom ? own(name, value).text : formatValue(value, names, inside))}
        />
      ))}
    </dl>
  )
}

/** All fields of an object that was created or deleted, behind a line that opens them. */
const AllFields = (props: Props) => {
  const [isOpen, setOpen] = useState(false)
  return (
    <details onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>{props.item.change === 'create' ? 'Its fields' : 'Its fields until then'}</summary>
      {isOpen && <FieldList {...props} />}
    </details>
  )
}

export const FieldChanges = (props: Props) => {
  if (listShownFields(props.item.fields).length === 0) return null
  return props.item.change === 'update' ? <FieldList {...props} /> : <AllFields {...props} />
}

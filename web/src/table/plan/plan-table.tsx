/** The rows of a plan with all of their values, the result of each, and a checkbox. */
import type { ReactNode } from 'react'
import { Checkbox } from '../../ui/field.tsx'
import { Badge, type Tone } from '../../ui/primitives.tsx'
import css from './plan-table.module.css'
import type { Value } from './values.ts'

export type PlanRow = {
  readonly key: string
  /** The second column, which a phone leaves out. */
  readonly lead: ReactNode
  /** Undefined while it is not known. */
  readonly result: { readonly tone: Tone; readonly text: string } | undefined
  readonly name: ReactNode
  /** The name in the labels of controls. */
  readonly title: string
  readonly noun: string
  readonly messages: readonly string[]
  /** True if the messages are errors. */
  readonly isWrong?: boolean
  readonly values: readonly Value[]
  readonly isSelectable: boolean
  /** Controls below the values. */
  readonly actions?: ReactNode
}

type RowProps = Pick<Props, 'verb' | 'isSelected' | 'onSelect'> & { readonly row: PlanRow }

const Row = ({ row, verb, isSelected, onSelect }: RowProps) => {
  const { key, lead, result, name, title, noun, messages, isWrong, values, isSelectable, actions } = row
  return (
    <tr>
      <td>
        <Checkbox
          aria-label={`${verb} ${title}`}
          checked={isSelectable && isSelected(key)}
          disabled={!isSelectable}
          onChange={(event) => onSelect([key], event.target.checked)}
        />
      </td>
      <td className="num">{lead}</td>
      <td>{result ? <Badge tone={result.tone}>{result.text}</Badge> : <span className="muted">…</span>}</td>
      <td>
        <b>{name}</b>
        {noun !== lead && <div className="muted">{noun}</div>}
      </td>
      <td>
        {messages.length > 0 && (
          <ul className={css.messages} data-wrong={isWrong || undefined}>
            {messages.map((message) => (
              <li key={message}>{message}</li>
            ))}
          </ul>
        )}
        <ul className={css.values}>
          {values.map(({ label, text, from }) => (
            <li key={label}>
              <span className="muted">{label}</span> {from !== undefined && <>{from} → </>}
              {text}
            </li>
          ))}
        </ul>
        {actions}
      </td>
    </tr>
  )
}

type Props = {
  readonly label: string
  /** Before the names of rows, and "all". */
  readonly verb: string
  /** The head of the second column. */
  readonly lead: string
  readonly rows: readonly PlanRow[]
  /** All rows that the checkbox in the head is about; the shown rows by default. */
  readonly all?: readonly Pick<PlanRow, 'key' | 'isSelectable'>[]
  readonly isSelected: (key: string) => boolean
  readonly onSelect: (keys: readonly string[], isOn: boolean) => void
}

export const PlanTable = ({ label, verb, lead, rows, all = rows, isSelected, onSelect }: Props) => {
  const open = all.filter(({ isSelectable }) => isSelectable).map(({ key }) => key)
  const selected = open.filter(isSelected).length
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling element must be reachable by keyboard
    <section className={css.scroller} tabIndex={0} aria-label={label}>
      <table className={css.rows}>
        <thead>
          <tr>
            <th scope="col">
              <Checkbox
                aria-label={`${verb} all`}
                checked={open.length > 0 && selected === open.length}
                isMixed={selected > 0 && selected < open.length}
                disabled={open.length === 0}
                onChange={(event) => onSelect(open, event.target.checked)}
              />
            </th>
            <th scope="col">{lead}</th>
            <th scope="col">Result</th>
            <th scope="col">Name</th>
            <th scope="col">Values</th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <Row key={row.key} row={row} verb={verb} isSelected={isSelected} onSelect={onSelect} />
          ))}
        </tbody>
      </table>
    </section>
  )
}

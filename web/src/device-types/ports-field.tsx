/** The ports of a device type in its form: one in each line, and many by a pattern such as `Gi0/[1-48]`. */
import { Trash2 } from 'lucide-react'
import { type KeyboardEvent, useState } from 'react'
import { KINDS } from '../ports/fields.ts'
import { expandNames } from '../ports/range.ts'
import { useFocusRow } from '../resource/form/use-focus-row.ts'
import type { ControlInput } from '../resource/resource.ts'
import { Button } from '../ui/button.tsx'
import { cx } from '../ui/cx.ts'
import fieldCss from '../ui/field.module.css'
import { SelectField, TextField } from '../ui/field.tsx'
import { plural } from '../ui/format.ts'
import css from './device-types.module.css'
import { type PortRow, readPorts, type TypePort, withNames, writePorts } from './ports-text.ts'

const SIDES = [
  ['false', 'One side'],
  ['true', 'Front and rear'],
] as const

const parseKind = (text: string): TypePort['kind'] => KINDS.map(([one]) => one).find((one) => one === text) ?? 'network'

type LineProps = {
  readonly row: PortRow
  readonly error: string | undefined
  readonly onChange: (change: Partial<TypePort>) => void
  readonly onRemove: () => void
}

const PortLine = ({ row: { name, kind, type, pass_through }, error, onChange, onRemove }: LineProps) => (
  <>
    <tr data-row="">
      <td>
        <input
          aria-label={`Name of ${name}`}
          aria-invalid={error !== undefined}
          className={cx(fieldCss.control, 'mono')}
          value={name}
          onChange={(event) => onChange({ name: event.target.value })}
        />
      </td>
      <td>
        <select
          aria-label={`Kind of ${name}`}
          className={fieldCss.control}
          value={kind}
          onChange={(event) => onChange({ kind: parseKind(event.target.value) })}
        >
          {KINDS.map(([one, text]) => (
            <option key={one} value={one}>
              {text}
            </option>
          ))}
        </select>
      </td>
      <td>
        <input
          aria-label={`Type of ${name}`}
          className={fieldCss.control}
          value={type}
          onChange={(event) => onChange({ type: event.target.value })}
        />
      </td>
      <td>
        <select
          aria-label={`Sides of ${name}`}
          className={fieldCss.control}
          value={String(pass_through)}
          onChange={(event) => onChange({ pass_through: event.target.value === 'true' })}
        >
          {SIDES.map(([one, text]) => (
            <option key={one} value={one}>
              {text}
            </option>
          ))}
        </select>
      </td>
      <td>
        <Button isIcon look="quiet" aria-label={`Remove ${name}`} onClick={onRemove}>
          <Trash2 size={15} aria-hidden="true" />
        </Button>
      </td>
    </tr>
    {error !== undefined && (
      <tr>
        <td colSpan={5} className={css.error}>
          {error}
        </td>
      </tr>
    )}
  </>
)

const formatHint = (pattern: string): string => {
  const expanded = expandNames(pattern)
  if ('problem' in expanded) return expanded.problem
  const { names } = expanded
  return names.length === 0 ? 'Gi0/[1-48] is 48 ports' : `${plural(names.length, 'port')}, to ${names.at(-1)}`
}

const Adder = ({ onAdd }: { readonly onAdd: (names: readonly string[], shape: Omit<TypePort, 'name'>) => void }) => {
  const [pattern, setPattern] = useState('')
  const [kind, setKind] = useState('network')
  const [type, setType] = useState('')
  const [isPanel, setPanel] = useState('false')
  const expanded = expandNames(pattern)
  const names = 'problem' in expanded ? [] : expanded.names
  const add = () => {
    if (names.length === 0) return
    onAdd(names, { kind: parseKind(kind), type: type.trim(), pass_through: isPanel === 'true' })
    setPattern('')
  }
  const onKey = (event: KeyboardEvent) => {
    // With Ctrl it sends the form.
    if (event.key !== 'Enter' || event.ctrlKey || event.metaKey) return
    // It adds the ports, and does not save the form.
    event.preventDefault()
    add()
  }
  return (
    <div className={css.adder}>
      <TextField
        label="Add ports"
        isMono
        placeholder="Gi0/[1-48]"
        value={pattern}
        onChange={setPattern}
        onKeyDown={onKey}
        hint={formatHint(pattern)}
      />
      <SelectField label="Kind" value={kind} onChange={setKind} options={KINDS} />
      <TextField label="Type" value={type} onChange={setType} onKeyDown={onKey} hint="Such as 1000base-t" />
      <SelectField label="Sides" value={isPanel} onChange={setPanel} options={SIDES} />
      <Button onClick={add} disabled={names.length === 0}>
        Add
      </Button>
    </div>
  )
}

export const PortsField = ({ value, onChange, errors }: ControlInput) => {
  const rows = readPorts(value)
  const { list, focusRow } = useFocusRow()
  const save = (next: readonly PortRow[]) => onChange(writePorts(next))
  const findError = (index: number) =>
    Object.entries(errors).find(([field]) => field.startsWith(`ports[${index}]`))?.[1]
  return (
    <fieldset ref={list} className={css.ports}>
      <legend>Ports of new devices</legend>
      {errors.ports !== undefined && <p className={css.error}>{errors.ports}</p>}
      {rows.length > 0 && (
        <div className={css.scroll}>
          <table className={css.table}>
            <thead>
              <tr>
                <th>Name</th>
                <th>Kind</th>
                <th>Type</th>
                <th>Sides</th>
                <th>
                  <span className="sr">Actions</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {rows.map((row, index) => (
                <PortLine
                  key={row.key}
                  row={row}
                  error={findError(index)}
                  onChange={(change) => save(rows.map((one) => (one.key === row.key ? { ...one, ...change } : one)))}
                  onRemove={() => {
                    focusRow(index - 1)
                    save(rows.filter(({ key }) => key !== row.key))
                  }}
                />
              ))}
            </tbody>
          </table>
        </div>
      )}
      <Adder onAdd={(names, shape) => save(withNames(rows, names, shape))} />
    </fieldset>
  )
}

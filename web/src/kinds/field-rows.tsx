/** The fields of a new kind: a row each. Enter makes the next row, Alt and the arrows move one. */
import { Plus, X } from 'lucide-react'
import type { KeyboardEvent } from 'react'
import { type FieldType, TYPE_TITLES } from '../custom-fields/definition-text.ts'
import { useFocusRow } from '../resource/form/use-focus-row.ts'
import { announced } from '../shell/announcer.tsx'
import { Button } from '../ui/button.tsx'
import fieldCss from '../ui/field.module.css'
import { createField, type FieldDraft, findFreeKey, moveField, splitRow } from './draft.ts'
import css from './kinds.module.css'

type Targets = readonly (readonly [id: string, name: string])[]

type RowProps = {
  readonly field: FieldDraft
  /** Counted from 1. */
  readonly number: number
  readonly targets: Targets
  readonly error: string | undefined
  readonly onChange: (field: FieldDraft) => void
  readonly onKey: (event: KeyboardEvent) => void
  readonly onRemove: () => void
}

const TYPES = Object.entries(TYPE_TITLES)

const FieldRow = ({ field, number, targets, error, onChange, onKey, onRemove }: RowProps) => {
  const { key, label, type, target, choices } = field
  const errorId = `kind-field-${key}`
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the keys are of the fields in the row
    <div data-row={key} className={css.row} onKeyDown={onKey}>
      <input
        className={fieldCss.control}
        aria-label={`Label of field ${number}`}
        aria-invalid={error === undefined ? undefined : true}
        aria-describedby={error === undefined ? undefined : errorId}
        aria-keyshortcuts="Enter Alt+ArrowUp Alt+ArrowDown"
        placeholder={number === 1 ? 'Provider' : undefined}
        autoComplete="off"
        value={label}
        onChange={(event) => onChange({ ...field, label: event.target.value })}
      />
      <select
        className={fieldCss.control}
        aria-label={`Type of field ${number}`}
        value={type}
        // The options are the types.
        onChange={(event) => onChange({ ...field, type: event.target.value as FieldType })}
      >
        {TYPES.map(([one, text]) => (
          <option key={one} value={one}>
            {text}
          </option>
        ))}
      </select>
      {type === 'reference' && (
        <select
          className={fieldCss.control}
          aria-label={`Field ${number} refers to`}
          value={target}
          onChange={(event) => onChange({ ...field, target: event.target.value })}
        >
          {targets.map(([id, name]) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </select>
      )}
      {type === 'choice' && (
        <input
          className={fieldCss.control}
          aria-label={`Choices of field ${number}`}
          placeholder="planned, active"
          autoComplete="off"
          value={choices}
          onChange={(event) => onChange({ ...field, choices: event.target.value })}
        />
      )}
      <Button isIcon look="quiet" className={css.remove} aria-label={`Remove field ${number}`} onClick={onRemove}>
        <X size={13} aria-hidden="true" />
      </Button>
      {error !== undefined && (
        <p id={errorId} className={fieldCss.error}>
          {error}
        </p>
      )}
    </div>
  )
}

type Props = {
  readonly fields: readonly FieldDraft[]
  readonly targets: Targets
  readonly errors: ReadonlyMap<number, string>
  readonly onChange: (fields: readonly FieldDraft[]) => void
}

const STEPS: Readonly<Record<string, -1 | 1>> = { ArrowUp: -1, ArrowDown: 1 }

export const FieldRows = ({ fields, targets, errors, onChange }: Props) => {
  const { list, focusRow } = useFocusRow<HTMLFieldSetElement>()
  const addAt = (index: number) => {
    onChange(fields.toSpliced(index, 0, createField(findFreeKey(fields))))
    focusRow(index)
  }
  /** Adds a row behind one, which becomes several if it names several fields. */
  const addBehind = (index: number, field: FieldDraft) => {
    const own = splitRow(field, findFreeKey(fields))
    const all = fields.toSpliced(index, 1, ...own)
    const end = index + own.length
    onChange(all.toSpliced(end, 0, createField(findFreeKey(all))))
    focusRow(end)
  }
  const remove = (index: number) => {
    onChange(fields.toSpliced(index, 1))
    focusRow(index - 1)
  }
  const act = (event: KeyboardEvent, index: number, field: FieldDraft) => {
    const { key, label } = field
    const by = STEPS[event.key]
    if (event.altKey && by !== undefined) {
      event.preventDefault()
      onChange(moveField(fields, key, by))
      announced.set(`${label || 'The field'} is now number ${Math.min(fields.length, Math.max(1, index + 1 + by))}`)
      return
    }
    const isPlain = !event.ctrlKey && !event.metaKey && !event.altKey
    if (event.key !== 'Enter' || !isPlain || !(event.target instanceof HTMLInputElement)) return
    event.preventDefault()
    // A row without a label waits already.
    const next = fields[index + 1]
    if (next && next.label === '') focusRow(index + 1)
    else if (label.trim() !== '') addBehind(index, field)
  }
  return (
    <fieldset ref={list} className={css.fields}>
      <legend>Fields</legend>
      <p className={fieldCss.hint}>
        <kbd>Enter</kbd> makes the next one, a comma several at once; <kbd>Alt</kbd> <kbd>↑</kbd> <kbd>↓</kbd> move one.
        All else of a field is set on the tab Definition.
      </p>
      {fields.map((field, index) => (
        <FieldRow
          key={field.key}
          field={field}
          number={index + 1}
          targets={targets}
          error={errors.get(field.key)}
          onChange={(changed) => onChange(fields.with(index, changed))}
          onKey={(event) => act(event, index, field)}
          onRemove={() => remove(index)}
        />
      ))}
      <div>
        <Button look="quiet" onClick={() => addAt(fields.length)}>
          <Plus size={14} aria-hidden="true" />
          Add field
        </Button>
      </div>
    </fieldset>
  )
}

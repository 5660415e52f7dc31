/** The form of an object of a small resource; errors stand at their fields, and a change by another user is never overwritten unseen. */
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { ChevronUp } from 'lucide-react'
import { type SubmitEvent, useEffect, useId, useRef, useState } from 'react'
import { getWritten } from '../api/client.ts'
import { getFieldErrors, isCode, toAppError } from '../api/errors.ts'
import type { GetCall } from '../commands/call.ts'
import { CommandMenu } from '../commands/command-menu.tsx'
import { findNeeds, useProposing, useReport } from '../proposals/known-proposals.ts'
import { Button } from '../ui/button.tsx'
import { drafts } from '../ui/drafts.ts'
import css from '../ui/field.module.css'
import { Alert, Checkbox, SelectField, TextArea, TextField, toSentence } from '../ui/field.tsx'
import { FIRST_FIELD } from '../ui/layers.tsx'
import { Menu, MenuItem } from '../ui/menu.tsx'
import { MORE } from './fields.ts'
import { ChoiceField } from './form/choice-field.tsx'
import { Corrections } from './form/corrections.tsx'
import { FormSections } from './form/form-sections.tsx'
import { ReferenceField } from './form/reference-field.tsx'
import { buildInput, isShown } from './form-values.ts'
import { NoteField } from './note-field.tsx'
import { describeOwner } from './object/pack-owner.ts'
import { type ControlInput, type FieldSpec, isKept, type Resource, type Values } from './resource.ts'
import type { Opened } from './use-opened.ts'

type FlagProps = ControlInput & { readonly label: string; readonly hint: string | undefined }

const FlagField = ({ label, hint, error, value, onChange }: FlagProps) => {
  const id = useId()
  const note = error === undefined ? hint : toSentence(label, error)
  return (
    <div className={css.flag}>
      <Checkbox
        id={id}
        checked={value === 'true'}
        aria-invalid={error === undefined ? undefined : true}
        aria-describedby={note && `${id}-note`}
        onChange={({ target }) => onChange(String(target.checked))}
      />
      <label className={css.label} htmlFor={id}>
        {label}
      </label>
      {note && (
        <p id={`${id}-note`} className={error === undefined ? css.hint : css.error}>
          {note}
        </p>
      )}
    </div>
  )
}

export const FieldInput = ({ field, ...input }: ControlInput & { readonly field: FieldSpec }) => {
  const { label, hint, kind = 'text', options = [], isMono, isRequired, isFixed, placeholder } = field
  if (field.render) return field.render(input)
  const { value, onChange, error, isNew } = input
  const common = { label, hint, value, onChange, error }
  if (kind === 'area') return <TextArea {...common} placeholder={placeholder} />
  const isDisabled = isFixed === true && !isNew
  if (kind === 'reference') {
    const choice = { ...common, placeholder, isRequired: isRequired === true, isDisabled }
    const none = isRequired ? undefined : (field.none ?? 'None')
    return field.to === undefined || field.options ? (
      <ChoiceField {...choice} choices={options} none={none} />
    ) : (
      <ReferenceField {...choice} to={field.to} filter={field.filter} none={none} />
    )
  }
  if (kind === 'flag' && options.length === 0) return <FlagField {...input} label={label} hint={hint} />
  if (kind === 'select' || kind === 'flag') return <SelectField {...common} options={options} isDisabled={isDisabled} />
  const type = kind === 'moment' ? 'datetime-local' : 'text'
  return (
    <TextField
      {...common}
      type={type}
      placeholder={placeholder}
      inputMode={kind === 'number' ? 'numeric' : 'text'}
      isMono={isMono === true || kind === 'number'}
      required={isRequired === true}
      readOnly={isDisabled}
    />
  )
}

/** Finds the error of a field. The server names the item of a list: `roles[0]`; and the key of a map: `headers.Host`. */
const findError = (errors: Readonly<Record<string, string>>, name: string): string | undefined =>
  errors[name] ??
  Object.entries(errors).find(([field]) => field.startsWith(name) && /^[[.]/.test(field.slice(name.length)))?.[1]

/** True for a value that a new object does not have, or that is typed. */
const isSet = ({ name, of = name, initial = '', isSet: test }: FieldSpec, opened: Values, values: Values): boolean =>
  [opened[of] ?? '', values[of] ?? ''].some((value) => (test ? test(value) : value !== '' && value !== initial))

const MORE_WAYS = (
  <Button isIcon aria-label="Other actions">
    <ChevronUp size={15} aria-hidden="true" />
  </Button>
)

const SUBMIT_KEYS = navigator.platform.startsWith('Mac') ? '⌘↵' : '^↵'

type FormProps<T> = {
  readonly resource: Resource<T>
  readonly id: string | undefined
  readonly opened: Opened
  readonly draftKey: string
  /** Undefined for a form that stays open: it can be set back in place of that. */
  readonly onClose?: (() => void) | undefined
  readonly onReload: () => void
  readonly onSaved: (value: T, values: Values) => void
  readonly blocked: string | undefined
  /** Focuses the first field. */
  readonly isFocused: boolean
  /** Called with the values as they are typed. */
  readonly onValues?: (values: Values) => void
  /** The errors of the present values, from a form that validates them while they are typed. */
  readonly errors?: Readonly<Record<string, string>> | undefined
}

/** Returns the errors of a save, except errors of fields that have changed since. */
const filterUnchangedErrors = (errors: Readonly<Record<string, string>>, sent: Values | undefined, values: Values) =>
  Object.fromEntries(
    Object.entries(errors).filter(([field]) => {
      const [name = ''] = field.split(/[.[]/)
      return sent?.[name] === values[name]
    }),
  )

export const ResourceForm = <T extends object>(props: FormProps<T>) => {
  const { resource, id, opened, draftKey, onClose, onReload, onSaved, blocked, isFocused, onValues } = props
  const client = useQueryClient()
  const [draft] = useState(() => drafts.get<Values>(draftKey))
  const [values, setValues] = useState<Values>({ ...opened.values, ...draft })
  const isChanged = Object.keys(buildInput(resource, values, opened.values)).length > 0
  const isRestored = draft !== undefined && isChanged
  const [note, setNote] = useState('')
  const { update } = resource.operations
  const hasNote = id !== undefined && update !== undefined && isKept(update)
  const op = id === undefined ? resource.operations.create : update
  const proposing = useProposing(findNeeds(op))
  const report = useReport()
  const buildSent = (proposes: boolean) => ({
    ...buildInput(resource, values, id === undefined ? undefined : opened.values),
    ...(note === '' ? {} : { change_note: note }),
    ...(proposes && { proposal: 'open' }),
  })
  const save = useMutation({
    mutationFn: ({ proposes }: { readonly values: Values; readonly proposes: boolean }) => {
      const input = buildSent(proposes)
      return id === undefined ? resource.create(input) : resource.update(id, input, opened.etag)
    },
    onSuccess: (value) => {
      drafts.drop(draftKey)
      const text = `${id === undefined ? 'Created' : 'Saved'} ${resource.getName(value)}`
      if (!report(text, getWritten(value))) {
        if (onClose) onClose()
        else setValues(opened.values)
        return
      }
      for (const key of [...resource.changes, 'history']) void client.invalidateQueries({ queryKey: [key] })
      resource.onSaved?.(value)
      onSaved(value, values)
    },
  })
  const refused = getFieldErrors(save.error)
  const errors = props.errors
    ? { ...props.errors, ...filterUnchangedErrors(refused, save.variables?.values, values) }
    : refused
  const fields = resource.fields.filter((field) => isShown(field, values, id === undefined))
  const known = fields.some(({ name }) => findError(refused, name) !== undefined)
  const isStale = isCode(save.error, 'PRECONDITION_FAILED')
  const change = (name: string, value: string) => {
    const next = { ...values, [name]: value }
    setValues(next)
    const secret = new Set(resource.fields.flatMap((field) => (field.isSecret ? [field.name] : [])))
    const changed = Object.entries(next).filter(([key, text]) => !secret.has(key) && text !== opened.values[key])
    drafts.keep(draftKey, Object.fromEntries(changed))
  }
  const discard = () => {
    drafts.drop(draftKey)
    setValues(opened.values)
  }
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    save.mutate({ values, proposes: false })
  }
  const getCall: GetCall = () => {
    const input = buildInput(resource, values, id === undefined ? undefined : opened.values)
    if (!op || (id !== undefined && Object.keys(input).length === 0)) return undefined
    return { op, input: id === undefined ? input : { ...input, id } }
  }
  const form = useRef<HTMLFormElement>(null)
  useEffect(() => {
    if (isFocused) form.current?.querySelector<HTMLElement>(FIRST_FIELD)?.focus()
  }, [isFocused])
  useEffect(() => onValues?.(values), [onValues, values])
  return (
    <form ref={form} className={css.form} onSubmit={submit} noValidate>
      <div className={css.body}>
        {isStale && (
          <Alert isWarning>
            <b>Changed by someone since you opened it.</b>
            <span>Your changes are not saved yet. Load the present state, with or without your changes.</span>
            <span className={css.choices}>
              <Button onClick={onReload}>Keep my changes</Button>
              <Button
                onClick={() => {
                  drafts.drop(draftKey)
                  onReload()
                }}
              >
                Discard mine
              </Button>
            </span>
          </Alert>
        )}
        {save.isError && !isStale && !known && <Alert>{toAppError(save.error).message}</Alert>}
        {opened.owner !== '' && <p className={css.note}>{describeOwner(opened.owner)}</p>}
        {isRestored && !save.isError && (
          <p className={css.note} role="status">
            Your unsaved changes are back.{' '}
            <button type="button" className="link" onClick={discard}>
              Start afresh
            </button>
          </p>
        )}
        <fieldset className={css.fields} disabled={blocked !== undefined}>
          <FormSections
            fields={fields}
            isOpen={fields.some((field) => field.section === MORE && isSet(field, opened.values, values))}
            renderField={(field) => (
              <FieldInput
                key={field.name}
                field={field}
                value={values[field.of ?? field.name] ?? ''}
                onChange={(value) => change(field.of ?? field.name, value)}
                error={findError(errors, field.name)}
                errors={errors}
                isNew={id === undefined}
                values={values}
              />
            )}
          />
          {hasNote && <NoteField value={note} onChange={setNote} />}
        </fieldset>
        {id !== undefined && resource.below?.(id)}
      </div>
      <Corrections form={form} error={save.error} />
      <footer className={css.foot}>
        <Button type="submit" look="primary" disabled={save.isPending} blocked={blocked}>
          {proposing.label(id === undefined ? `Create ${resource.noun}` : 'Save')}
          <span aria-hidden="true">
            <kbd data-keys={SUBMIT_KEYS} />
          </span>
        </Button>
        {onClose ? (
          <Button onClick={onClose}>Cancel</Button>
        ) : (
          <Button onClick={discard} disabled={!isChanged}>
            Discard changes
          </Button>
        )}
        <span className={css.footEnd}>
          {proposing.isChoice && (
            <Menu trigger={MORE_WAYS}>
              <MenuItem onSelect={() => save.mutate({ values, proposes: true })}>Propose instead</MenuItem>
            </Menu>
          )}{' '}
          <CommandMenu getCall={getCall} />
        </span>
      </footer>
    </form>
  )
}

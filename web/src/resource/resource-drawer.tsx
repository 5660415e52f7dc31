/** Makes or changes an object of a small resource; errors stand at their fields, and a change by another user is never overwritten unseen. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type SubmitEvent, useEffect, useRef, useState } from 'react'
import { changeOf } from '../api/client.ts'
import { asAppError, fieldErrors, isCode } from '../api/errors.ts'
import type { GetCall } from '../commands/call.ts'
import { CommandMenu } from '../commands/command-menu.tsx'
import { PageLoading } from '../shell/shell.tsx'
import { Button } from '../ui/button.tsx'
import { drafts } from '../ui/drafts.ts'
import css from '../ui/field.module.css'
import { Alert, SelectField, TextArea, TextField } from '../ui/field.tsx'
import { Drawer } from '../ui/layers.tsx'
import { Failure } from '../ui/states.tsx'
import { toast } from '../ui/toast.tsx'
import { NoteField } from './note-field.tsx'
import {
  type CustomInput,
  emptyValues,
  type FieldSpec,
  inputOf,
  isKept,
  isShown,
  type Resource,
  type Values,
  valuesOf,
} from './resource.ts'
import { undoOf } from './undo.ts'

type Opened = {
  readonly values: Values
  readonly etag: string
  readonly name: string
  /** The owner by estate documents; '' without one. */
  readonly owner: string
}

const ownerOf = (value: object): string => String(Reflect.get(value, 'managed_by') ?? '')

const FieldInput = ({ field, ...input }: CustomInput & { readonly field: FieldSpec }) => {
  const { label, hint, kind = 'text', options = [], isMono, isRequired, isFixed } = field
  if (field.render) return field.render(input)
  const { value, onChange, error, isNew } = input
  const common = { label, hint, value, onChange, error }
  if (kind === 'area') return <TextArea {...common} />
  if (kind === 'select') return <SelectField {...common} options={options} isDisabled={isFixed === true && !isNew} />
  const type = kind === 'moment' ? 'datetime-local' : 'text'
  return (
    <TextField
      {...common}
      type={type}
      inputMode={kind === 'number' ? 'numeric' : 'text'}
      isMono={isMono === true || kind === 'number'}
      required={isRequired === true}
      readOnly={isFixed === true && !isNew}
    />
  )
}

/** Of a list the server names the item: `roles[0]`; of a map the key: `headers.Host`. */
const errorAt = (errors: Readonly<Record<string, string>>, name: string): string | undefined =>
  errors[name] ??
  Object.entries(errors).find(([field]) => field.startsWith(name) && /^[[.]/.test(field.slice(name.length)))?.[1]

/** One field in each line, or two that are half as wide. */
const inLines = (fields: readonly FieldSpec[]): FieldSpec[][] => {
  const lines: FieldSpec[][] = []
  for (const field of fields) {
    const last = lines.at(-1)
    if (field.isHalf && last?.length === 1 && last[0]?.isHalf) last.push(field)
    else lines.push([field])
  }
  return lines
}

type EditorProps<T> = {
  readonly resource: Resource<T>
  readonly id: string | undefined
  readonly opened: Opened
  readonly draftKey: string
  readonly onClose: () => void
  readonly onReload: () => void
  readonly onSaved: ((value: T, values: Values) => void) | undefined
  readonly blocked: string | undefined
}

const Editor = <T extends object>(props: EditorProps<T>) => {
  const { resource, id, opened, draftKey, onClose, onReload, onSaved, blocked } = props
  const client = useQueryClient()
  const [draft] = useState(() => drafts.get<Values>(draftKey))
  const [values, setValues] = useState<Values>({ ...opened.values, ...draft })
  const isRestored = draft !== undefined && Object.keys(inputOf(resource, values, opened.values)).length > 0
  const [note, setNote] = useState('')
  const { update } = resource.operations
  const hasNote = id !== undefined && update !== undefined && isKept(update)
  const input = () => ({
    ...inputOf(resource, values, id === undefined ? undefined : opened.values),
    ...(note === '' ? {} : { change_note: note }),
  })
  const save = useMutation({
    mutationFn: () => (id === undefined ? resource.create(input()) : resource.update(id, input(), opened.etag)),
    onSuccess: (value) => {
      drafts.drop(draftKey)
      for (const key of [...resource.changes, 'history']) void client.invalidateQueries({ queryKey: [key] })
      toast(`${id === undefined ? 'Created' : 'Saved'} ${resource.nameOf(value)}`, undoOf([changeOf(value)]))
      resource.onSaved?.(value)
      onClose()
      onSaved?.(value, values)
    },
  })
  const errors = fieldErrors(save.error)
  const fields = resource.fields.filter((field) => isShown(field, values, id === undefined))
  const known = fields.some(({ name }) => errorAt(errors, name) !== undefined)
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
    save.mutate()
  }
  const getCall: GetCall = () => {
    const op = id === undefined ? resource.operations.create : resource.operations.update
    const input = inputOf(resource, values, id === undefined ? undefined : opened.values)
    if (!op || (id !== undefined && Object.keys(input).length === 0)) return undefined
    return { op, input: id === undefined ? input : { ...input, id } }
  }
  const form = useRef<HTMLFormElement>(null)
  useEffect(() => {
    // The object arrives after its drawer, which has moved the focus by then.
    if (id !== undefined) form.current?.querySelector<HTMLElement>('input:enabled')?.focus()
  }, [id])
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
        {save.isError && !isStale && !known && <Alert>{asAppError(save.error).message}</Alert>}
        {opened.owner !== '' && (
          <p className={css.note}>Managed by {opened.owner}: changes made here are put back by its next apply.</p>
        )}
        {isRestored && !save.isError && (
          <p className={css.note} role="status">
            Your unsaved changes are back.{' '}
            <button type="button" className="link" onClick={discard}>
              Start afresh
            </button>
          </p>
        )}
        <fieldset className={css.fields} disabled={blocked !== undefined}>
          {inLines(fields).map((line) => {
            const inputs = line.map((field) => (
              <FieldInput
                key={field.name}
                field={field}
                value={values[field.name] ?? ''}
                onChange={(value) => change(field.name, value)}
                error={errorAt(errors, field.name)}
                errors={errors}
                isNew={id === undefined}
                values={values}
              />
            ))
            return line.length === 1 ? (
              inputs
            ) : (
              <div key={line[0]?.name} className={css.two}>
                {inputs}
              </div>
            )
          })}
          {hasNote && <NoteField value={note} onChange={setNote} />}
        </fieldset>
        {id !== undefined && resource.below?.(id)}
      </div>
      <footer className={css.foot}>
        <Button type="submit" look="primary" disabled={save.isPending} blocked={blocked}>
          {id === undefined ? `Create ${resource.noun}` : 'Save'}
        </Button>
        <Button onClick={onClose}>Cancel</Button>
        <span className={css.footEnd}>
          <CommandMenu getCall={getCall} />
        </span>
      </footer>
    </form>
  )
}

/** An answer that is younger is not requested again. */
const FRESH_MS = 2000

type DrawerProps<T> = {
  readonly resource: Resource<T>
  /** Undefined for a new one. */
  readonly id: string | undefined
  readonly given?: Values | undefined
  readonly onClose: () => void
  readonly onSaved?: (value: T, values: Values) => void
  /** Why nothing can be changed; it is all there to be read. */
  readonly blocked?: string | undefined
}

export const ResourceDrawer = <T extends object>(props: DrawerProps<T>) => {
  const { resource, id, given, onClose, onSaved, blocked } = props
  const { data, error, refetch, isFetchedAfterMount, dataUpdatedAt } = useQuery({
    queryKey: resource.queryKey?.(id ?? '') ?? [resource.noun, 'edited', id ?? ''],
    queryFn: () => resource.get(id ?? ''),
    enabled: id !== undefined,
    refetchOnMount: ({ state }) =>
      resource.queryKey && Date.now() - state.dataUpdatedAt < FRESH_MS && !state.isInvalidated ? false : 'always',
    refetchOnWindowFocus: false,
  })
  const [openedAtMs] = useState(Date.now)
  const isFresh = isFetchedAfterMount || (resource.queryKey !== undefined && openedAtMs - dataUpdatedAt < FRESH_MS)
  const openedOf = (value: T, etag: string): Opened => ({
    values: valuesOf(resource, value),
    etag,
    name: resource.nameOf(value),
    owner: ownerOf(value),
  })
  const [opened, setOpened] = useState<Opened | undefined>(() =>
    id === undefined ? { values: emptyValues(resource, given), etag: '', name: '', owner: '' } : undefined,
  )
  useEffect(() => {
    // Once: a later change by another user must not alter the open form.
    if (data && isFresh && !opened) setOpened(openedOf(data.value, data.etag))
  })
  const reload = async () => {
    const { data: fresh } = await refetch()
    if (fresh) setOpened(openedOf(fresh.value, fresh.etag))
  }
  const key = id === undefined ? `new ${JSON.stringify(given ?? {})}` : id
  const verb = blocked === undefined ? 'Edit ' : ''
  const title = id === undefined ? `New ${resource.noun}` : `${verb}${opened?.name ?? resource.noun}`
  return (
    <Drawer title={title} onClose={onClose} isWide={resource.isWide === true}>
      {!opened && error && <Failure error={error} onRetry={() => void refetch()} noun={resource.noun} />}
      {!opened && !error && <PageLoading />}
      {opened && (
        <Editor
          // Another version starts the form again.
          key={opened.etag}
          resource={resource}
          id={id}
          opened={opened}
          draftKey={`${resource.noun}.${key}`}
          onClose={onClose}
          onReload={() => void reload()}
          onSaved={onSaved}
          blocked={blocked}
        />
      )}
    </Drawer>
  )
}

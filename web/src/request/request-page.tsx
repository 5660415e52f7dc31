/** Asks for an address, a subnet, a DNS name or a DHCP reservation: a proposal of one operation. */
import { useMutation, useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { type SubmitEvent, useState } from 'react'
import { call, getWritten } from '../api/client.ts'
import { getFieldErrors, toAppError } from '../api/errors.ts'
import { createRememberedTexts } from '../api/remembered-texts.ts'
import { findNeeds, useReport } from '../proposals/known-proposals.ts'
import { refreshEstate } from '../proposals/queries.ts'
import { buildInput, createEmptyValues } from '../resource/form-values.ts'
import { type FieldSpec, isKept, type Values } from '../resource/resource.ts'
import { FieldInput } from '../resource/resource-form.tsx'
import { createForbidden, usePermit } from '../shell/me.ts'
import { Hints, PageBody, PageHead } from '../shell/page.tsx'
import { usePageSearch } from '../table/list-search.ts'
import { Button } from '../ui/button.tsx'
import { Alert } from '../ui/field.tsx'
import { Card } from '../ui/primitives.tsx'
import { Failure } from '../ui/states.tsx'
import { Tabs } from '../ui/tabs.tsx'
import { useSettled } from '../ui/use-settled.ts'
import { formatTitle, REQUEST_KINDS, type RequestKind } from './kinds.tsx'
import css from './request.module.css'

/** Where each kind was asked for the last time. */
const places = createRememberedTexts('plat.request-places')

/** Returns the input of the call that gives what is typed. */
const toInput = ({ where, fields }: RequestKind, values: Values) => buildInput({ fields: [where, ...fields] }, values)

/** True if a form has the fields without which nothing is tried. */
const isReady = ({ where, needed = [] }: RequestKind, values: Values): boolean =>
  [where.name, ...needed].every((name) => values[name]?.trim())

/** Returns the object that the user would get now, and the errors of the typed values. */
const usePreview = (kind: RequestKind, values: Values) => {
  const settled = useSettled(JSON.stringify(values))
  // Made of values.
  const typed = JSON.parse(settled) as Values
  const isTried = isReady(kind, values) && isReady(kind, typed)
  const { data, error } = useQuery({
    queryKey: ['request-preview', kind.id, settled],
    queryFn: async () =>
      // A dry run, which the type of the input does not name.
      kind.read(await call(kind.op, { ...toInput(kind, typed), dry_run: true, proposal: 'open' } as never)),
    enabled: isTried,
    staleTime: 0,
    gcTime: 0,
    retry: false,
  })
  return { text: isTried ? (data ?? '') : '', error: isTried ? error : null }
}

const useAsk = (kind: RequestKind, values: Values, onDone: () => void) => {
  const report = useReport()
  const navigate = useNavigate()
  return useMutation({
    mutationFn: async ({ isTaken }: { readonly isTaken: boolean }) => {
      const note = isKept(kind.op) && { change_note: formatTitle(kind, values) }
      const input = { ...toInput(kind, values), ...note, ...(!isTaken && { proposal: 'open' }) }
      const answer = Object(await call(kind.op, input as never))
      return { got: kind.read(answer), written: getWritten(answer) }
    },
    onSuccess: ({ got, written }) => {
      places.set({ ...places.get(), [kind.id]: values[kind.where.name] ?? '' })
      onDone()
      if (report(got === '' ? 'Taken' : `You have ${got}`, written)) refreshEstate()
      else void navigate({ to: '/proposals/$id', params: { id: String(written.proposal) } })
    },
  })
}

type FormProps = { readonly kind: RequestKind; readonly mayTake: boolean }

const RequestForm = ({ kind, mayTake }: FormProps) => {
  const { where, fields } = kind
  const createValues = (place: string): Values =>
    createEmptyValues({ fields: [where, ...fields] }, { [where.name]: place })
  const [values, setValues] = useState(() => createValues(places.get()[kind.id] ?? ''))
  const place = values[where.name] ?? ''
  const preview = usePreview(kind, values)
  const ask = useAsk(kind, values, () => setValues(createValues(place)))
  const refused = getFieldErrors(ask.error)
  const typed = getFieldErrors(preview.error)
  const isShown = (errors: Readonly<Record<string, string>>) => fields.some(({ name }) => name in errors)
  const renderField = (field: FieldSpec, error?: string) => (
    <FieldInput
      key={field.name}
      field={field}
      value={values[field.name] ?? ''}
      onChange={(value) => {
        ask.reset()
        setValues({ ...values, [field.name]: value })
      }}
      error={error}
      errors={refused}
      isNew
      values={values}
    />
  )
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    if (place !== '' && !ask.isPending) ask.mutate({ isTaken: false })
  }
  return (
    <form onSubmit={submit} className={css.form} noValidate>
      {ask.error && !isShown(refused) && <Alert>{toAppError(ask.error).message}</Alert>}
      {renderField(where)}
      {fields.map((field) =>
        // A field that is still empty is not wrong yet.
        renderField(field, refused[field.name] ?? (values[field.name] === '' ? undefined : typed[field.name])),
      )}
      <p role="status" className={css.preview}>
        {preview.text !== '' && (
          <>
            You would get <b className="mono">{preview.text}</b>
          </>
        )}
        {preview.error && !isShown(typed) && <span className={css.refusal}>{toAppError(preview.error).message}</span>}
      </p>
      <p className={css.tools}>
        <Button type="submit" look="primary" disabled={ask.isPending || place === ''}>
          Ask
        </Button>
        {mayTake && (
          <Button onClick={() => ask.mutate({ isTaken: true })} disabled={ask.isPending || place === ''}>
            Take it now
          </Button>
        )}
      </p>
      <p className="muted">It is not held until then. All who see the proposal see these texts.</p>
    </form>
  )
}

export const RequestPage = () => {
  const { may, mayNow } = usePermit()
  const { search } = usePageSearch()
  const kind = REQUEST_KINDS.find(({ id }) => id === search.tab) ?? REQUEST_KINDS[0]
  if (!may('proposals:create'))
    return (
      <>
        <PageHead isClockInMenu />
        <Failure error={createForbidden('proposals:create')} />
      </>
    )
  const needs = findNeeds(kind?.op)
  return (
    <>
      <PageHead isClockInMenu />
      <Tabs
        label="What you ask for"
        current={kind?.id ?? ''}
        tabs={REQUEST_KINDS.map(({ id, text }) => ({ id, text }))}
      />
      <PageBody>
        <div className={css.page}>
          <Card>
            {kind && <RequestForm key={kind.id} kind={kind} mayTake={needs !== undefined && mayNow(needs)} />}
          </Card>
        </div>
      </PageBody>
      <Hints hints={[[['?'], 'all shortcuts']]} />
    </>
  )
}

/** Asks for an address, a subnet, a DNS name or a DHCP reservation: a proposal of one operation. */
import { useMutation, useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { type SubmitEvent, useState } from 'react'
import { call, getWritten } from '../api/client.ts'
import { getFieldErrors, toAppError } from '../api/errors.ts'
import { rememberTexts } from '../api/remembered.ts'
import { findNeeds, useReport } from '../proposals/known-proposals.ts'
import { refreshEstate } from '../proposals/queries.ts'
import { ReferenceField } from '../resource/form/reference-field.tsx'
import { isKept } from '../resource/resource.ts'
import { createForbidden, usePermit } from '../shell/me.ts'
import { Hints, PageBody, PageHead } from '../shell/page.tsx'
import { usePageSearch } from '../table/list-search.ts'
import { Button } from '../ui/button.tsx'
import { Alert, SelectField, TextField } from '../ui/field.tsx'
import { Card } from '../ui/primitives.tsx'
import { Failure } from '../ui/states.tsx'
import { Tabs } from '../ui/tabs.tsx'
import { useSettled } from '../ui/use-settled.ts'
import { EMPTY_FORM, type FieldName, type Form, formatTitle, REQUEST_KINDS, type RequestKind } from './kinds.ts'
import css from './request.module.css'

/** Where each kind was asked for the last time. */
const places = rememberTexts('plat.request-places')

const LABELS: Readonly<Record<FieldName, string>> = {
  ...{ name: 'Name', purpose: 'Purpose', until: 'Until', mac: 'MAC address', length: 'Length' },
  ...{ type: 'Type', value: 'Value' },
}

const TYPES = ['A', 'AAAA', 'CNAME', 'TXT'].map((type) => [type, type] as const)

/** True if a form has the fields without which nothing is tried. */
const isReady = ({ needed = [] }: RequestKind, form: Form): boolean =>
  form.where !== '' && needed.every((name) => form[name].trim() !== '')

/** Returns the object that the user would get now, and the errors of the typed values. */
const usePreview = (kind: RequestKind, form: Form) => {
  const settled = useSettled(JSON.stringify(form))
  // Made of a form.
  const typed = JSON.parse(settled) as Form
  const isTried = isReady(kind, form) && isReady(kind, typed)
  const { data, error, isFetching } = useQuery({
    queryKey: ['request-preview', kind.id, settled],
    queryFn: async () => {
      const input = kind.toInput(typed)
      // A dry run, which the type of the input does not name.
      return kind.read(await call(kind.op, { ...input, dry_run: true, proposal: 'open' } as never))
    },
    enabled: isTried,
    staleTime: 0,
    gcTime: 0,
    retry: false,
  })
  return { text: isTried ? (data ?? '') : '', error: isTried ? error : null, isFetching }
}

type Ask = { readonly isTaken: boolean }

const useAsk = (kind: RequestKind, form: Form, onDone: () => void) => {
  const report = useReport()
  const navigate = useNavigate()
  return useMutation({
    mutationFn: async ({ isTaken }: Ask) => {
      const title = formatTitle(kind, form)
      const input = { ...kind.toInput(form), ...(isKept(kind.op) && { change_note: title }) }
      const answer = Object(await call(kind.op, { ...input, ...(!isTaken && { proposal: 'open' }) } as never))
      return { got: kind.read(answer), written: getWritten(answer) }
    },
    onSuccess: ({ got, written }) => {
      places.set({ ...places.get(), [kind.id]: form.where })
      onDone()
      if (report(got === '' ? 'Taken' : `You have ${got}`, written)) refreshEstate()
      else void navigate({ to: '/proposals/$id', params: { id: String(written.proposal) } })
    },
  })
}

type FormProps = { readonly kind: RequestKind; readonly mayTake: boolean }

const RequestForm = ({ kind, mayTake }: FormProps) => {
  const [form, setForm] = useState<Form>(() => ({ ...EMPTY_FORM, where: places.get()[kind.id] ?? '' }))
  const preview = usePreview(kind, form)
  const ask = useAsk(kind, form, () => setForm({ ...EMPTY_FORM, where: form.where }))
  const change = (fields: Partial<Form>) => {
    ask.reset()
    setForm({ ...form, ...fields })
  }
  const refused = getFieldErrors(ask.error)
  const typed = getFieldErrors(preview.error)
  const isKnown = Object.keys(refused).some((field) => Object.values(kind.fields).includes(field))
  const getError = (name: FieldName): string | undefined => {
    const field = kind.fields[name] ?? name
    // A field that is still empty is not wrong yet.
    return refused[field] ?? (form[name] === '' ? undefined : typed[field])
  }
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    if (form.where !== '' && !ask.isPending) ask.mutate({ isTaken: false })
  }
  const isOfNone = preview.error && !Object.keys(typed).some((field) => Object.values(kind.fields).includes(field))
  return (
    <form onSubmit={submit} className={css.form} noValidate>
      {ask.error && !isKnown && <Alert>{toAppError(ask.error).message}</Alert>}
      <ReferenceField
        label={kind.where.label}
        to={kind.where.to}
        value={form.where}
        onChange={(where) => change({ where })}
        placeholder="Type a part of a name"
        isRequired
      />
      {(Object.keys(kind.fields) as FieldName[]).map((name) => {
        const field = {
          label: LABELS[name],
          hint: kind.hints?.[name],
          value: form[name],
          error: getError(name),
          onChange: (value: string) => change({ [name]: value }),
        }
        return name === 'type' ? (
          <SelectField key={name} {...field} options={TYPES} />
        ) : (
          <TextField key={name} {...field} type={name === 'until' ? 'date' : 'text'} />
        )
      })}
      <p role="status" className={css.preview}>
        {preview.text !== '' && (
          <>
            You would get <b className="mono">{preview.text}</b>
          </>
        )}
        {isOfNone && <span className={css.refusal}>{toAppError(preview.error).message}</span>}
      </p>
      <p className={css.tools}>
        <Button type="submit" look="primary" disabled={ask.isPending || form.where === ''}>
          Ask
        </Button>
        {mayTake && (
          <Button onClick={() => ask.mutate({ isTaken: true })} disabled={ask.isPending || form.where === ''}>
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

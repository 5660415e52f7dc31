/** The form of a device: its fields, the errors of the server at them, and what happens when someone was quicker. */
import { useQuery } from '@tanstack/react-query'
import { type SubmitEvent, useEffect, useRef, useState } from 'react'
import { contracts } from '../api/contracts.ts'
import { asAppError, fieldErrors, isCode } from '../api/errors.ts'
import { datacentersQuery } from '../api/queries.ts'
import type { GetCall } from '../commands/call.ts'
import { CommandMenu } from '../commands/command-menu.tsx'
import { usePermit } from '../shell/me.ts'
import { Button } from '../ui/button.tsx'
import { drafts } from '../ui/drafts.ts'
import fieldCss from '../ui/field.module.css'
import { Alert, SelectField, TextArea, TextField } from '../ui/field.tsx'
import { AddressFields } from './address-fields.tsx'
import { changesBetween, type DeviceForm, inputOf } from './form.ts'
import { useSaveDevice } from './use-save-device.ts'

type Props = {
  readonly id?: string
  readonly etag?: string
  readonly initial: DeviceForm
  readonly draftKey: string
  readonly onClose: () => void
  readonly onTakeTheirs?: (() => void) | undefined
  readonly onKeepMine?: (() => void) | undefined
}

const STATUSES = [
  ['planned', 'Planned'],
  ['active', 'Active'],
  ['maintenance', 'Maintenance'],
  ['decommissioned', 'Decommissioned'],
] as const

/** The form with what was typed the last time; only the fields that were changed then, on top of what is there now. */
const useDraft = (initial: DeviceForm, draftKey: string) => {
  const [restored] = useState(() => drafts.get<Partial<DeviceForm>>(draftKey))
  const [form, setForm] = useState<DeviceForm>({ ...initial, ...restored })
  const change = (fields: Partial<DeviceForm>) => {
    const next = { ...form, ...fields }
    setForm(next)
    const changed = Object.entries(next).filter(([key, value]) => value !== Reflect.get(initial, key))
    drafts.keep(draftKey, Object.fromEntries(changed))
  }
  const startAfresh = () => {
    drafts.drop(draftKey)
    setForm(initial)
  }
  return {
    form,
    change,
    startAfresh,
    isRestored: restored !== undefined && Object.keys(changesBetween(initial, form)).length > 0,
  }
}

const Conflict = ({ onTakeTheirs, onKeepMine }: Pick<Props, 'onTakeTheirs' | 'onKeepMine'>) => (
  <Alert isWarning>
    <b>Changed by someone since you opened it.</b>
    <span>Nothing of yours is saved yet. Look at what is there now, with or without your changes on top.</span>
    <span className={fieldCss.choices}>
      <Button onClick={onKeepMine}>Keep my changes</Button>
      <Button onClick={onTakeTheirs}>Discard mine</Button>
    </span>
  </Alert>
)

export const DeviceEditor = (props: Props) => {
  const { id, etag, initial, draftKey, onClose, onTakeTheirs, onKeepMine } = props
  const { may } = usePermit()
  const { data: datacenters = [] } = useQuery({ ...datacentersQuery, enabled: may('datacenters:list') })
  const { form, change, startAfresh, isRestored } = useDraft(initial, draftKey)
  const save = useSaveDevice({ id, etag, initial })
  const errors = fieldErrors(save.error)
  const isStale = isCode(save.error, 'PRECONDITION_FAILED')
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    save.mutate(form, {
      onSuccess: () => {
        drafts.drop(draftKey)
        onClose()
      },
    })
  }
  const getCall: GetCall = () => {
    if (id === undefined) return { op: contracts.devices.create, input: inputOf(form) }
    const changes = changesBetween(initial, form)
    return Object.keys(changes).length === 0 ? undefined : { op: contracts.devices.update, input: { ...changes, id } }
  }
  const text = (
    field: 'hostname' | 'make_model' | 'os' | 'location' | 'username' | 'tags' | 'domains',
    label: string,
    hint?: string,
  ) => (
    <TextField
      label={label}
      hint={hint}
      value={form[field]}
      onChange={(value) => change({ [field]: value })}
      error={errors[field] ?? errors[`${field}[0]`]}
    />
  )
  const formElement = useRef<HTMLFormElement>(null)
  useEffect(() => {
    // What is changed comes later than its drawer, which has given the focus away by then.
    if (id !== undefined) formElement.current?.querySelector<HTMLElement>('input:enabled')?.focus()
  }, [id])
  return (
    <form ref={formElement} className={fieldCss.form} onSubmit={submit} noValidate>
      <div className={fieldCss.body}>
        {isStale && <Conflict onTakeTheirs={onTakeTheirs} onKeepMine={onKeepMine} />}
        {save.isError && !isStale && Object.keys(errors).length === 0 && (
          <Alert>{asAppError(save.error).message}</Alert>
        )}
        {isRestored && !save.isError && (
          <p className={fieldCss.note} role="status">
            Your unsaved changes are back.{' '}
            <button type="button" className="link" onClick={startAfresh}>
              Start afresh
            </button>
          </p>
        )}
        <TextField label="Name" value={form.name} onChange={(name) => change({ name })} error={errors.name} required />
        <div className={fieldCss.two}>
          <SelectField
            label="Status"
            value={form.status}
            onChange={(value) => change({ status: STATUSES.find(([one]) => one === value)?.[0] ?? 'active' })}
            options={STATUSES}
            error={errors.status}
          />
          <SelectField
            label="Datacenter"
            value={form.datacenter_id}
            onChange={(datacenter_id) => change({ datacenter_id })}
            options={[['', 'None'], ...datacenters.map((one) => [one.id, one.name] as const)]}
            error={errors.datacenter_id}
          />
        </div>
        <AddressFields form={form} onChange={(addresses) => change({ addresses })} errors={errors} />
        {text('hostname', 'Host name')}
        <div className={fieldCss.two}>
          {text('make_model', 'Model')}
          {text('os', 'Operating system')}
        </div>
        <div className={fieldCss.two}>
          {text('location', 'Location')}
          {text('username', 'User name')}
        </div>
        {text('tags', 'Tags', 'With commas between them')}
        {text('domains', 'Domains', 'With commas between them')}
        <TextArea
          label="Description"
          value={form.description}
          onChange={(description) => change({ description })}
          error={errors.description}
        />
      </div>
      <footer className={fieldCss.foot}>
        <Button type="submit" look="primary" disabled={save.isPending}>
          {id === undefined ? 'Create device' : 'Save'}
        </Button>
        <Button onClick={onClose}>Cancel</Button>
        <span className={fieldCss.footEnd}>
          <CommandMenu getCall={getCall} />
        </span>
      </footer>
    </form>
  )
}

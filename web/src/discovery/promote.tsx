/** Promotes discovered devices: one under a typed name, or many by a template. */
import { useMutation, useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { type SubmitEvent, useState } from 'react'
import { call, changeOf } from '../api/client.ts'
import { contracts, type Device } from '../api/contracts.ts'
import { asAppError, fieldErrors } from '../api/errors.ts'
import { datacentersQuery } from '../api/queries.ts'
import { devices } from '../devices/source.ts'
import { undoOf } from '../resource/undo.ts'
import { usePermit } from '../shell/me.ts'
import tableCss from '../table/table.module.css'
import { Button } from '../ui/button.tsx'
import { Alert, SelectField, TextField } from '../ui/field.tsx'
import { count, plural } from '../ui/format.ts'
import { Dialog, DialogActions } from '../ui/layers.tsx'
import { toast } from '../ui/toast.tsx'
import css from './evidence.module.css'
import { useDiscoveryChanged } from './scan-actions.tsx'
import type { DiscoveredDevice } from './shapes.ts'
import { nameBy, unknownWords } from './template.ts'
import { discoveredName } from './words.ts'

/** Returns why the caller may not promote discovered devices, or undefined. */
export const usePromotePermit = (): string | undefined => {
  const { blocked } = usePermit()
  return blocked('discovery:update') ?? blocked('devices:create')
}

/** The most devices in one request. */
const MOST_AT_ONCE = 1000
const PREVIEWED = 5

const tagsOf = (text: string): string[] =>
  text
    .split(',')
    .map((tag) => tag.trim())
    .filter((tag) => tag !== '')

const useChanged = () => {
  const changed = useDiscoveryChanged()
  return (made: readonly Device[]) => {
    devices.put(made)
    changed()
  }
}

type PlaceProps = {
  readonly datacenter: string
  readonly onDatacenter: (id: string) => void
  readonly tags: string
  readonly onTags: (text: string) => void
  readonly errors: Readonly<Record<string, string>>
}

const PlaceFields = ({ datacenter, onDatacenter, tags, onTags, errors }: PlaceProps) => {
  const { may } = usePermit()
  const { data = [] } = useQuery({ ...datacentersQuery, enabled: may('datacenters:list') })
  return (
    <>
      <SelectField
        label="Datacenter"
        value={datacenter}
        onChange={onDatacenter}
        options={[['', 'None'], ...data.map(({ id, name }) => [id, name] as const)]}
        error={errors.datacenter_id}
      />
      <TextField label="Tags" hint="With commas between them" value={tags} onChange={onTags} error={errors.tags} />
    </>
  )
}

type OneProps = { readonly discovered: DiscoveredDevice; readonly onClose: () => void }

export const PromoteOne = ({ discovered, onClose }: OneProps) => {
  const changed = useChanged()
  const navigate = useNavigate()
  const [name, setName] = useState(discoveredName(discovered))
  const [model, setModel] = useState(discovered.vendor)
  const [datacenter, setDatacenter] = useState('')
  const [tags, setTags] = useState('')
  const promote = useMutation({
    mutationFn: () =>
      call(contracts.discovery.promote, {
        id: discovered.id,
        name: name.trim(),
        make_model: model.trim(),
        datacenter_id: datacenter || null,
        tags: tagsOf(tags),
      }),
    onSuccess: (device) => {
      changed([device])
      toast(`${device.name} is documented`, undoOf([changeOf(device)]))
      onClose()
      void navigate({ to: '/devices/$id', params: { id: device.id } })
    },
  })
  const errors = fieldErrors(promote.error)
  const isKnown = ['name', 'make_model', 'datacenter_id', 'tags'].some((field) => errors[field] !== undefined)
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    promote.mutate()
  }
  return (
    <Dialog title={`Document ${discoveredName(discovered)}`} onClose={onClose}>
      <form onSubmit={submit} className={tableCss.dialogForm} noValidate>
        {promote.isError && !isKnown && <Alert>{asAppError(promote.error).message}</Alert>}
        <p className="muted">
          It becomes a device with {discovered.addresses.length === 1 ? 'its address' : 'its addresses'}, its host name
          and its system.
        </p>
        <TextField label="Name" value={name} onChange={setName} error={errors.name} required />
        <TextField label="Model" value={model} onChange={setModel} error={errors.make_model} />
        <PlaceFields
          datacenter={datacenter}
          onDatacenter={setDatacenter}
          tags={tags}
          onTags={setTags}
          errors={errors}
        />
        <DialogActions>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" look="primary" disabled={promote.isPending || name.trim() === ''}>
            Document it
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  )
}

const NamePreview = ({
  template,
  discovered,
}: {
  readonly template: string
  readonly discovered: readonly DiscoveredDevice[]
}) => (
  <div className={css.preview}>
    <h3>{discovered.length > PREVIEWED ? `The first ${PREVIEWED} names` : 'The names'}</h3>
    <ol aria-live="polite">
      {discovered.slice(0, PREVIEWED).map((one, index) => (
        <li key={one.id}>
          <span className="mono muted">{one.ip}</span>
          <b>{nameBy(template, one, index + 1) || <span className={css.bad}>blank</span>}</b>
        </li>
      ))}
    </ol>
  </div>
)

type Failed = { readonly id: string; readonly message: string }

type ManyProps = {
  readonly discovered: readonly DiscoveredDevice[]
  readonly onClose: () => void
  /** Called with the ids of the devices that were not promoted. */
  readonly onDone: (left: readonly string[]) => void
}

export const PromoteMany = ({ discovered, onClose, onDone }: ManyProps) => {
  const changed = useChanged()
  const open = discovered.filter(({ matched_device_id }) => matched_device_id === null)
  const [template, setTemplate] = useState('{hostname}')
  const [datacenter, setDatacenter] = useState('')
  const [tags, setTags] = useState('')
  const [failed, setFailed] = useState<readonly Failed[]>([])
  const promote = useMutation({
    mutationFn: () =>
      call(contracts.discovery.promoteMany, {
        ids: open.slice(0, MOST_AT_ONCE).map(({ id }) => id),
        name: template.trim(),
        datacenter_id: datacenter || null,
        tags: tagsOf(tags),
      }),
    onSuccess: (answer) => {
      const { results, succeeded } = answer
      const left = results.filter(({ status }) => status === 'failed')
      changed(results.flatMap(({ device }) => device ?? []))
      if (succeeded > 0) toast(`Documented ${plural(succeeded, 'device')}`, undoOf([changeOf(answer)]))
      setFailed(left.map(({ id, error }) => ({ id, message: error?.error ?? 'refused' })))
      onDone(left.map(({ id }) => id))
      if (left.length === 0) onClose()
    },
  })
  const errors = fieldErrors(promote.error)
  const unknown = unknownWords(template)
  const nameError = unknown.length > 0 ? `There is no {${unknown[0]}}` : errors.name
  const names = new Map(discovered.map((one) => [one.id, discoveredName(one)]))
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    promote.mutate()
  }
  const already = discovered.length - open.length
  return (
    <Dialog title={`Document ${plural(open.length, 'device')}`} onClose={onClose} isWide>
      <form onSubmit={submit} className={tableCss.dialogForm} noValidate>
        {promote.isError && errors.name === undefined && <Alert>{asAppError(promote.error).message}</Alert>}
        {failed.length > 0 && (
          <Alert>
            <b>{plural(failed.length, 'device')} could not be documented.</b>
            <ul>
              {failed.slice(0, PREVIEWED).map(({ id, message }) => (
                <li key={id}>
                  {names.get(id) ?? id}: {message}
                </li>
              ))}
            </ul>
          </Alert>
        )}
        {already > 0 && (
          <p className="muted">
            {plural(already, 'other')} of the selection {already === 1 ? 'is' : 'are'} documented already and stay as
            they are.
          </p>
        )}
        {open.length > MOST_AT_ONCE && <p className="muted">The first {count(MOST_AT_ONCE)} of them.</p>}
        <TextField
          label="Name"
          hint="{hostname} (or the address), {ip}, {mac}, {vendor}, {n} for 1, 2, 3 …"
          value={template}
          onChange={setTemplate}
          error={nameError}
          isMono
          required
        />
        <NamePreview template={template} discovered={open} />
        <PlaceFields
          datacenter={datacenter}
          onDatacenter={setDatacenter}
          tags={tags}
          onTags={setTags}
          errors={errors}
        />
        <DialogActions>
          <Button onClick={onClose}>Cancel</Button>
          <Button
            type="submit"
            look="primary"
            disabled={promote.isPending || open.length === 0 || template.trim() === '' || unknown.length > 0}
          >
            Document {plural(Math.min(open.length, MOST_AT_ONCE), 'device')}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  )
}

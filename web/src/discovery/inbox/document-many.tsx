/** Documents many discovered devices, named by a template. */
import { useMutation } from '@tanstack/react-query'
import { type SubmitEvent, useState } from 'react'
import { call, getWritten } from '../../api/client.ts'
import { contracts } from '../../api/contracts.ts'
import { getFieldErrors, toAppError } from '../../api/errors.ts'
import { useProposing, useReport } from '../../proposals/known-proposals.ts'
import { SubmitButtons } from '../../resource/form/submit-buttons.tsx'
import tableCss from '../../table/table.module.css'
import { Button } from '../../ui/button.tsx'
import { Alert, TextField } from '../../ui/field.tsx'
import { formatCount, plural } from '../../ui/format.ts'
import { Dialog, DialogActions } from '../../ui/layers.tsx'
import css from '../evidence.module.css'
import { getDiscoveredName } from '../labels.ts'
import type { DiscoveredDevice } from '../shapes.ts'
import { fillTemplate, listUnknownWords } from '../template.ts'
import {
  CustomParts,
  isOfCustom,
  NO_TEXTS,
  PlaceFields,
  parseCustomInputs,
  parseTags,
  useDocumented,
} from './document-fields.tsx'
import { DOCUMENT_NEEDS } from './document-one.tsx'

/** The most devices in one request. */
const MOST_AT_ONCE = 1000
const PREVIEWED = 5

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
          <b>{fillTemplate(template, one, index + 1) || <span className={css.bad}>blank</span>}</b>
        </li>
      ))}
    </ol>
  </div>
)

type Failed = {
  readonly id: string
  readonly message: string
  readonly details: readonly { readonly field: string; readonly message: string }[]
}

/** Returns the errors of devices that are about values that all of them get. */
const filterCustomErrors = (failed: readonly Failed[]): Readonly<Record<string, string>> =>
  Object.fromEntries(
    failed
      .flatMap(({ details }) => details)
      .filter(({ field }) => isOfCustom(field))
      .map(({ field, message }) => [field, message]),
  )

type ManyProps = {
  readonly discovered: readonly DiscoveredDevice[]
  readonly onClose: () => void
  /** Called with the ids of the devices that were not documented. */
  readonly onDone: (left: readonly string[]) => void
}

export const DocumentMany = ({ discovered, onClose, onDone }: ManyProps) => {
  const changed = useDocumented()
  const report = useReport()
  const proposing = useProposing(DOCUMENT_NEEDS)
  const open = discovered.filter(({ matched_device_id }) => matched_device_id === null)
  const [template, setTemplate] = useState('{hostname}')
  const [datacenter, setDatacenter] = useState('')
  const [tags, setTags] = useState('')
  const [custom, setCustom] = useState(NO_TEXTS)
  const [failed, setFailed] = useState<readonly Failed[]>([])
  const save = useMutation({
    mutationFn: () =>
      call(contracts.discovery.promoteMany, {
        ...parseCustomInputs(custom),
        ids: open.slice(0, MOST_AT_ONCE).map(({ id }) => id),
        name: template.trim(),
        datacenter_id: datacenter || null,
        tags: parseTags(tags),
        ...proposing.field,
      }),
    onSuccess: (answer) => {
      const { results, succeeded } = answer
      const left = results.filter(({ status }) => status === 'failed')
      if (succeeded === 0 || report(`Documented ${plural(succeeded, 'device')}`, getWritten(answer)))
        changed(results.flatMap(({ device }) => device ?? []))
      setFailed(
        left.map(({ id, error }) => ({ id, message: error?.error ?? 'refused', details: error?.details ?? [] })),
      )
      onDone(left.map(({ id }) => id))
      if (left.length === 0) onClose()
    },
  })
  const errors = { ...filterCustomErrors(failed), ...getFieldErrors(save.error) }
  const unknown = listUnknownWords(template)
  const nameError = unknown.length > 0 ? `There is no {${unknown[0]}}` : errors.name
  const names = new Map(discovered.map((one) => [one.id, getDiscoveredName(one)]))
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    save.mutate()
  }
  const already = discovered.length - open.length
  return (
    <Dialog title={`Document ${plural(open.length, 'device')}`} onClose={onClose} isWide>
      <form onSubmit={submit} className={tableCss.dialogForm} noValidate>
        {save.isError && errors.name === undefined && <Alert>{toAppError(save.error).message}</Alert>}
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
        {open.length > MOST_AT_ONCE && <p className="muted">The first {formatCount(MOST_AT_ONCE)} of them.</p>}
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
        <CustomParts texts={custom} onChange={setCustom} errors={errors} isMany hasManyAddresses />
        <DialogActions>
          <Button onClick={onClose}>Cancel</Button>
          <SubmitButtons
            proposing={proposing}
            disabled={save.isPending || open.length === 0 || template.trim() === '' || unknown.length > 0}
            action={`Document ${plural(Math.min(open.length, MOST_AT_ONCE), 'device')}`}
          />
        </DialogActions>
      </form>
    </Dialog>
  )
}

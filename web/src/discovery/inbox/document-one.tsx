/** Documents one discovered device under a typed name. */
import { useMutation } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { type SubmitEvent, useState } from 'react'
import { call, getWritten } from '../../api/client.ts'
import { contracts } from '../../api/contracts.ts'
import { getFieldErrors, toAppError } from '../../api/errors.ts'
import { useProposing, useReport } from '../../proposals/known-proposals.ts'
import { SubmitButtons } from '../../resource/form/submit-buttons.tsx'
import { usePermit } from '../../shell/me.ts'
import tableCss from '../../table/table.module.css'
import { Button } from '../../ui/button.tsx'
import { Alert, TextField } from '../../ui/field.tsx'
import { Dialog, DialogActions } from '../../ui/layers.tsx'
import { getDiscoveredName } from '../labels.ts'
import type { DiscoveredDevice } from '../shapes.ts'
import {
  CustomParts,
  isOfCustom,
  NO_TEXTS,
  PlaceFields,
  parseCustomInputs,
  parseTags,
  useDocumented,
} from './document-fields.tsx'

/** The permissions to document a discovered device. */
export const DOCUMENT_NEEDS: readonly string[] = ['discovery:update', 'devices:create']

/** Returns why the caller may neither document discovered devices nor propose it, or undefined. */
export const useNewPermit = (): string | undefined => {
  const { blocked } = usePermit()
  return DOCUMENT_NEEDS.map(blocked).find((reason) => reason !== undefined)
}

type OneProps = { readonly discovered: DiscoveredDevice; readonly onClose: () => void }

export const DocumentOne = ({ discovered, onClose }: OneProps) => {
  const changed = useDocumented()
  const report = useReport()
  const proposing = useProposing(DOCUMENT_NEEDS)
  const navigate = useNavigate()
  const [name, setName] = useState(getDiscoveredName(discovered))
  const [model, setModel] = useState(discovered.model ?? '')
  const [datacenter, setDatacenter] = useState('')
  const [tags, setTags] = useState('')
  const [custom, setCustom] = useState(NO_TEXTS)
  const save = useMutation({
    mutationFn: () =>
      call(contracts.discovery.promote, {
        ...parseCustomInputs(custom),
        id: discovered.id,
        name: name.trim(),
        make_model: model.trim(),
        datacenter_id: datacenter || null,
        tags: parseTags(tags),
        ...proposing.field,
      }),
    onSuccess: (device) => {
      onClose()
      if (!report(`${device.name} is documented`, getWritten(device))) return
      changed([device])
      void navigate({ to: '/devices/$id', params: { id: device.id } })
    },
  })
  const errors = getFieldErrors(save.error)
  const known = ['name', 'make_model', 'datacenter_id', 'tags']
  const isKnown = Object.keys(errors).some((field) => known.includes(field) || isOfCustom(field))
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    save.mutate()
  }
  return (
    <Dialog title={`Document ${getDiscoveredName(discovered)}`} onClose={onClose}>
      <form onSubmit={submit} className={tableCss.dialogForm} noValidate>
        {save.isError && !isKnown && <Alert>{toAppError(save.error).message}</Alert>}
        <p className="muted">
          It becomes a device with {discovered.addresses.length === 1 ? 'its address' : 'its addresses'}, its host name
          and its system.
        </p>
        <TextField label="Name" value={name} onChange={setName} error={errors.name} required />
        <TextField
          label="Model"
          hint={discovered.model || !discovered.vendor ? undefined : `${discovered.vendor}, from the MAC address`}
          value={model}
          onChange={setModel}
          error={errors.make_model}
        />
        <PlaceFields
          datacenter={datacenter}
          onDatacenter={setDatacenter}
          tags={tags}
          onTags={setTags}
          errors={errors}
        />
        <CustomParts
          texts={custom}
          onChange={setCustom}
          errors={errors}
          isMany={false}
          hasManyAddresses={discovered.addresses.length > 1}
        />
        <DialogActions>
          <Button onClick={onClose}>Cancel</Button>
          <SubmitButtons proposing={proposing} disabled={save.isPending || name.trim() === ''} action="Document" />
        </DialogActions>
      </form>
    </Dialog>
  )
}

/** Merges discovered devices that are one host. */
import { useMutation, useQuery } from '@tanstack/react-query'
import { type SubmitEvent, useEffect, useState } from 'react'
import { api } from '../../api/client.ts'
import { toAppError } from '../../api/errors.ts'
import tableCss from '../../table/table.module.css'
import { Button } from '../../ui/button.tsx'
import { Alert, Checkbox, TextField } from '../../ui/field.tsx'
import { plural } from '../../ui/format.ts'
import { Dialog, DialogActions } from '../../ui/layers.tsx'
import { toast } from '../../ui/toast.tsx'
import css from '../evidence.module.css'
import { getDiscoveredName } from '../labels.ts'
import { discoveredDevicesQuery } from '../queries.ts'
import { useDiscoveryChanged } from '../scans/scan-actions.tsx'
import type { DiscoveredDevice } from '../shapes.ts'

const MOST = 12
const SETTLE_MS = 250

const useCandidates = (discovered: DiscoveredDevice, text: string) => {
  const [settled, setSettled] = useState('')
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text.trim()), SETTLE_MS)
    return () => clearTimeout(timer)
  }, [text])
  const q = settled === '' ? {} : { q: settled }
  const { data } = useQuery(discoveredDevicesQuery({ network_id: discovered.network_id, limit: MOST + 1, ...q }))
  return data?.rows.filter(({ id }) => id !== discovered.id).slice(0, MOST)
}

type Props = { readonly discovered: DiscoveredDevice; readonly onClose: () => void }

export const MergeDialog = ({ discovered, onClose }: Props) => {
  const changed = useDiscoveryChanged()
  const [text, setText] = useState('')
  const [chosen, setChosen] = useState<ReadonlyMap<string, DiscoveredDevice>>(new Map())
  const candidates = useCandidates(discovered, text)
  const shown = [...new Map([...chosen, ...(candidates ?? []).map((one) => [one.id, one] as const)]).values()]
  const merge = useMutation({
    mutationFn: () => api.discovery.merge({ id: discovered.id, other_ids: [...chosen.keys()] }),
    onSuccess: () => {
      toast(`Merged ${plural(chosen.size, 'device')} into ${getDiscoveredName(discovered)}`)
      changed()
      onClose()
    },
  })
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    merge.mutate()
  }
  const toggle = (one: DiscoveredDevice, isOn: boolean) =>
    setChosen((old) => new Map(isOn ? [...old, [one.id, one]] : [...old].filter(([id]) => id !== one.id)))
  return (
    <Dialog title={`What else is ${getDiscoveredName(discovered)}?`} onClose={onClose}>
      <form onSubmit={submit} className={tableCss.dialogForm}>
        {merge.isError && <Alert>{toAppError(merge.error).message}</Alert>}
        <p className="muted">The addresses of the selected devices are added to it. They can be split off again.</p>
        <TextField
          label="Find"
          hint="A name, an address or a MAC of the same network"
          value={text}
          onChange={setText}
        />
        <fieldset className={css.candidates}>
          <legend className="sr">Devices of the same network</legend>
          {candidates && shown.length === 0 && <p className="muted">No other device.</p>}
          {shown.map((one) => (
            <label key={one.id} htmlFor={`merge-${one.id}`}>
              <Checkbox
                id={`merge-${one.id}`}
                checked={chosen.has(one.id)}
                onChange={(event) => toggle(one, event.target.checked)}
              />
              <b className="truncate">{getDiscoveredName(one)}</b>
              <span className="mono muted">
                {one.hostname !== '' && one.ip} {one.mac_address}
              </span>
            </label>
          ))}
        </fieldset>
        <DialogActions>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" look="primary" disabled={chosen.size === 0 || merge.isPending}>
            Merge
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  )
}

/** Takes the next free addresses of a pool, so that they are not handed out again. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { type SubmitEvent, useState } from 'react'
import { KEY_HEADER } from '../../../src/contract/idempotency-key.ts'
import { api } from '../api/client.ts'
import { getFieldErrors, isCode, toAppError } from '../api/errors.ts'
import { poolsQuery } from '../api/queries.ts'
import { CustomFields } from '../custom-fields/known-custom.tsx'
import { parseCustomInput } from '../custom-fields/known-text.ts'
import { Button } from '../ui/button.tsx'
import fieldCss from '../ui/field.module.css'
import { Alert, TextField } from '../ui/field.tsx'
import { formatCount, plural } from '../ui/format.ts'
import { Dialog, DialogActions } from '../ui/layers.tsx'
import { CopyText } from '../ui/primitives.tsx'
import css from './heatmap.module.css'

/** Where the network has room left, for a pool that has none. */
const OtherPools = ({ poolId, onLeave }: { readonly poolId: string; readonly onLeave: () => void }) => {
  const { data = [] } = useQuery(poolsQuery)
  const networkId = data.find(({ id }) => id === poolId)?.network_id
  const others = data.filter(
    ({ id, network_id, utilization }) =>
      id !== poolId && network_id === networkId && (utilization?.available_ips ?? 0) > 0,
  )
  if (others.length === 0) return null
  return (
    <>
      <span>Other pools of its network have free addresses:</span>
      <ul>
        {others.map(({ id, name, utilization }) => (
          <li key={id}>
            <Link to="/pools/$id" params={{ id }} className="link" onClick={onLeave}>
              {name}
            </Link>
            , {formatCount(utilization?.available_ips ?? 0)} free
          </li>
        ))}
      </ul>
    </>
  )
}

type Props = { readonly poolId: string; readonly poolName: string; readonly onClose: () => void }

export const AllocateDialog = ({ poolId, poolName, onClose }: Props) => {
  const client = useQueryClient()
  // One press is one allocation, however often the request is sent.
  const [key] = useState(() => crypto.randomUUID())
  const [form, setForm] = useState({ count: '1', hostname: '', mac_address: '', purpose: '', custom: '' })
  const allocate = useMutation({
    mutationFn: () => {
      const custom = parseCustomInput(form.custom)
      const input = {
        id: poolId,
        count: Number(form.count),
        hostname: form.hostname,
        mac_address: form.mac_address.trim(),
        purpose: form.purpose,
        ...(custom && { custom }),
      }
      return api.reservations.allocate(input, { headers: { [KEY_HEADER]: key } })
    },
    onSuccess: () => {
      for (const one of ['pools', 'pool', 'reservations', 'networks'])
        void client.invalidateQueries({ queryKey: [one] })
    },
  })
  const errors = getFieldErrors(allocate.error)
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    allocate.mutate()
  }
  if (allocate.data) {
    const { ips } = allocate.data
    return (
      <Dialog title={`Reserved ${plural(ips.length, 'address', 'addresses')}`} onClose={onClose}>
        <ul className={css.done}>
          {ips.map((ip) => (
            <li key={ip}>
              <CopyText text={ip} label={ip} />
            </li>
          ))}
        </ul>
        <DialogActions>
          <Button look="primary" onClick={onClose}>
            Done
          </Button>
        </DialogActions>
      </Dialog>
    )
  }
  return (
    <Dialog title={`Next free address of ${poolName}`} onClose={onClose}>
      <form className={css.done} onSubmit={submit} noValidate>
        {allocate.isError && toAppError(allocate.error).details.length === 0 && (
          <Alert>
            {toAppError(allocate.error).message}
            {isCode(allocate.error, 'IP_NOT_AVAILABLE') && <OtherPools poolId={poolId} onLeave={onClose} />}
          </Alert>
        )}
        <div className={fieldCss.two}>
          <TextField
            label="How many"
            inputMode="numeric"
            value={form.count}
            onChange={(count) => setForm({ ...form, count })}
            error={errors.count}
            isMono
          />
          <TextField
            label="Host name"
            value={form.hostname}
            onChange={(hostname) => setForm({ ...form, hostname })}
            error={errors.hostname}
          />
        </div>
        <TextField
          label="MAC address"
          value={form.mac_address}
          onChange={(mac_address) => setForm({ ...form, mac_address })}
          error={errors.mac_address}
          isMono
        />
        <TextField
          label="Purpose"
          value={form.purpose}
          onChange={(purpose) => setForm({ ...form, purpose })}
          error={errors.purpose}
        />
        <CustomFields
          resource="addresses"
          value={form.custom}
          onChange={(custom) => setForm({ ...form, custom })}
          errors={errors}
          isNew
        />
        <DialogActions>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" look="primary" disabled={allocate.isPending}>
            Reserve
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  )
}

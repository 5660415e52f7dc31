/** Splits a network, after its effect was shown. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type SubmitEvent, useState } from 'react'
import { api } from '../api/client.ts'
import type { Network } from '../api/contracts.ts'
import { asAppError } from '../api/errors.ts'
import { Button } from '../ui/button.tsx'
import { Alert } from '../ui/field.tsx'
import { plural } from '../ui/format.ts'
import { Dialog, DialogActions } from '../ui/layers.tsx'
import { Skeleton } from '../ui/primitives.tsx'
import { toast } from '../ui/toast.tsx'
import { LengthSlider } from './length-slider.tsx'
import { movedText } from './moved-text.ts'
import { refreshNetworks } from './planning-queries.ts'
import css from './space.module.css'
import { lengthsIn } from './space.ts'

type Props = { readonly network: Pick<Network, 'id' | 'name' | 'subnet'>; readonly onClose: () => void }

export const SplitDialog = ({ network, onClose }: Props) => {
  const client = useQueryClient()
  const { id, name, subnet } = network
  const { min, max } = lengthsIn(subnet, false)
  const [length, setLength] = useState(min)
  const preview = useQuery({
    queryKey: ['split-preview', id, length],
    queryFn: () => {
      const input: { id: string; prefix_length: number; dry_run: true } = { id, prefix_length: length, dry_run: true }
      return api.networks.split(input)
    },
    staleTime: 0,
    gcTime: 0,
    retry: false,
  })
  const split = useMutation({
    mutationFn: () => api.networks.split({ id, prefix_length: length }),
    onSuccess: ({ networks }) => {
      toast(`Split ${name} into ${plural(networks.length, 'network')}`)
      refreshNetworks(client)
      onClose()
    },
  })
  const error = split.error ?? preview.error
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    split.mutate()
  }
  return (
    <Dialog title={`Split ${name}`} onClose={onClose}>
      <form className={css.form} onSubmit={submit} noValidate>
        <LengthSlider
          length={length}
          min={min}
          max={max}
          onChange={setLength}
          hint={`Of ${subnet}, which stays and contains them`}
        />
        {error ? (
          <Alert>{asAppError(error).message}</Alert>
        ) : preview.data ? (
          <div role="status">
            <p>
              Creates {plural(preview.data.networks.length, 'network')}: {preview.data.networks[0]?.subnet}
              {preview.data.networks.length > 1 && ` to ${preview.data.networks.at(-1)?.subnet}`}.
            </p>
            <p>{movedText(preview.data.moved)}</p>
          </div>
        ) : (
          <Skeleton />
        )}
        <DialogActions>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" look="primary" disabled={split.isPending || !preview.data || preview.isError}>
            Split
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  )
}

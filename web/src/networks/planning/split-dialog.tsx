/** Splits a network, after its effect was shown. */
import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type SubmitEvent, useState } from 'react'
import { api, call, getWritten } from '../../api/client.ts'
import { contracts, type Network } from '../../api/contracts.ts'
import { getFieldErrors, toAppError } from '../../api/errors.ts'
import { CustomFields } from '../../custom-fields/known-custom.tsx'
import { formatCustom, parseCustomInput, readForm } from '../../custom-fields/known-text.ts'
import { useProposing, useReport } from '../../proposals/known-proposals.ts'
import { SubmitButtons } from '../../resource/form/submit-buttons.tsx'
import { Button } from '../../ui/button.tsx'
import { Alert } from '../../ui/field.tsx'
import { plural } from '../../ui/format.ts'
import { Dialog, DialogActions } from '../../ui/layers.tsx'
import { Skeleton } from '../../ui/primitives.tsx'
import { useSettled } from '../../ui/use-settled.ts'
import css from '../space.module.css'
import { computeLengths } from '../space.ts'
import { setExpanded } from '../use-expanded.ts'
import { LengthSlider } from './length-slider.tsx'
import { formatMoved } from './moved-text.ts'
import { refreshNetworks } from './planning-queries.ts'

const NEEDS = ['networks:create', 'networks:update']

type Props = {
  readonly network: Pick<Network, 'id' | 'name' | 'subnet' | 'custom'>
  readonly onClose: () => void
}

/** Returns the errors of the preview at fields that have a value. A field that is still empty has its error after a save. */
const filterTypedErrors = (error: unknown, custom: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(error ? getFieldErrors(error) : {}).filter(([field]) => {
      const [, name = ''] = field.split(/[.[]/)
      return String(readForm(custom)[name] ?? '') !== ''
    }),
  )

/** True for an error only about values of custom fields. */
const isOfValues = (error: unknown): boolean => {
  const fields = Object.keys(getFieldErrors(error))
  return fields.length > 0 && fields.every((field) => field.startsWith('custom.'))
}

export const SplitDialog = ({ network, onClose }: Props) => {
  const client = useQueryClient()
  const report = useReport()
  const proposing = useProposing(NEEDS)
  const { id, name, subnet } = network
  const { min, max } = computeLengths(subnet, false)
  const [length, setLength] = useState(min)
  // The new networks get the values of the split one.
  const copied = formatCustom(network.custom)
  const [custom, setCustom] = useState(copied)
  const buildInput = (text: string) => {
    const values = parseCustomInput(text, copied)
    return { id, prefix_length: length, ...(values && { custom: values }), ...proposing.field }
  }
  const settled = useSettled(custom)
  const preview = useQuery({
    queryKey: ['split-preview', id, length, settled],
    queryFn: () => {
      const input: ReturnType<typeof buildInput> & { dry_run: true } = { ...buildInput(settled), dry_run: true }
      return api.networks.split(input)
    },
    placeholderData: keepPreviousData,
    staleTime: 0,
    gcTime: 0,
    retry: false,
  })
  const split = useMutation({
    mutationFn: (text: string) => call(contracts.networks.split, buildInput(text)),
    onSuccess: (answer) => {
      report(`Split ${name} into ${plural(answer.networks.length, 'network')}`, getWritten(answer))
      setExpanded(id, true)
      refreshNetworks(client)
      onClose()
    },
  })
  const lacksValues = preview.error !== null && isOfValues(preview.error)
  const refused = split.error && !(isOfValues(split.error) && split.variables !== custom) ? split.error : null
  const error = refused ?? preview.error
  const errors = { ...filterTypedErrors(preview.error, settled), ...(refused && getFieldErrors(refused)) }
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    split.mutate(custom)
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
        <CustomFields resource="networks" value={custom} onChange={setCustom} errors={errors} isNew isShared />
        {error && !isOfValues(error) ? (
          <Alert>{toAppError(error).message}</Alert>
        ) : lacksValues ? (
          <p role="status">The new networks need values in the required fields.</p>
        ) : preview.data ? (
          <div role="status">
            <p>
              Creates {plural(preview.data.networks.length, 'network')}: {preview.data.networks[0]?.subnet}
              {preview.data.networks.length > 1 && ` to ${preview.data.networks.at(-1)?.subnet}`}.
            </p>
            <p>{formatMoved(preview.data.moved)}</p>
          </div>
        ) : (
          <Skeleton />
        )}
        <DialogActions>
          <Button onClick={onClose}>Cancel</Button>
          <SubmitButtons
            proposing={proposing}
            disabled={split.isPending || (!lacksValues && (!preview.data || preview.isError))}
            action="Split"
          />
        </DialogActions>
      </form>
    </Dialog>
  )
}

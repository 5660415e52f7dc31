/** Gives a free address of a network or a pool to a device, creates a device with it, or reserves it. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type SubmitEvent, useEffect, useRef, useState } from 'react'
import { isCode, toAppError } from '../api/errors.ts'
import { LazyDeviceDrawer } from '../devices/form/lazy-drawer.tsx'
import { devices } from '../devices/window/device-list-client.ts'
import { useProposing, useReport } from '../proposals/known-proposals.ts'
import { SubmitButtons } from '../resource/form/submit-buttons.tsx'
import { usePermit } from '../shell/me.ts'
import { Button } from '../ui/button.tsx'
import { Alert } from '../ui/field.tsx'
import { Dialog, FIRST_FIELD } from '../ui/layers.tsx'
import css from './addresses.module.css'
import { type ChosenDevice, DevicePanel, NewDevicePanel, ReservationPanel } from './dialog-panels.tsx'
import { createDevice, EMPTY_FORM, type FreeIp, type GiveForm, getGiveErrors, giveToDevice, reserve } from './give.ts'
import { OtherPools } from './other-pools.tsx'
import { computeUsableRange, findHoldingPool, pickAnother, pickPoolName } from './pick.ts'
import { findNextIps, type Place } from './place.ts'
import { type KnownPlace, useKnownPlace } from './use-place.ts'

const CHOICES = [
  ['device', 'Existing device'],
  ['new', 'New device'],
  ['reservation', 'Reservation'],
] as const
type Choice = (typeof CHOICES)[number][0]

/** The most that the server returns; the next one of a full network may be far behind. */
const MOST_ASKED = 1000

/** The queries that a given address changes. */
const AFFECTED = ['networks', 'network', 'pools', 'pool', 'reservations', 'device', 'free-addresses', 'history']

/** Returns the permissions of a choice. Without a pool of the address, a reservation creates one. */
const listNeeds = (choice: Choice, poolId: string | undefined): readonly string[] =>
  ({
    device: ['devices:update'],
    new: ['devices:create'],
    reservation: ['reservations:create', ...(poolId === undefined ? ['pools:create'] : [])],
  })[choice]

const useListedChoices = (place: KnownPlace, poolId: string | undefined) => {
  const { may } = usePermit()
  const isListed: Readonly<Record<Choice, boolean>> = {
    device: may('devices:list'),
    new: true,
    reservation: poolId !== undefined || (place.network !== undefined && may('pools:list')),
  }
  return CHOICES.filter(([choice]) => isListed[choice] && listNeeds(choice, poolId).every(may))
}

const ACTIONS: Readonly<Record<Exclude<Choice, 'device'>, string>> = { new: 'Create device', reservation: 'Reserve' }

type Props = {
  readonly place: Place
  /** A free address of the map; the next free one by default. */
  readonly ip?: string | undefined
  readonly onClose: () => void
}

export const AddressDialog = ({ place, ip: given, onClose }: Props) => {
  const client = useQueryClient()
  const report = useReport()
  const { may } = usePermit()
  const known = useKnownPlace(place)
  const next = useQuery({
    queryKey: ['next-ip', place.kind, place.id],
    queryFn: () => findNextIps(place, 1),
    enabled: given === undefined,
    // Another one each time, and the same while it is open.
    ...{ gcTime: 0, staleTime: Number.POSITIVE_INFINITY, refetchOnWindowFocus: false },
  })
  const [chosen, setChosen] = useState(given)
  const [message, setMessage] = useState<string>()
  const [wanted, setWanted] = useState<Choice>()
  const [device, setDevice] = useState<ChosenDevice>()
  const [isUnchosen, setUnchosen] = useState(false)
  const [form, setForm] = useState(EMPTY_FORM)
  const [isWhole, setWhole] = useState(false)
  const ip = chosen ?? next.data?.[0]
  const isFull = next.data?.length === 0 && chosen === undefined
  const pool = known.pool ?? (ip === undefined ? undefined : findHoldingPool(known.pools, ip))
  const choices = useListedChoices(known, pool?.id)
  const choice = wanted ?? choices[0]?.[0] ?? 'device'
  const proposing = useProposing(listNeeds(choice, pool?.id))
  const newPool = {
    name: pickPoolName(
      known.network?.name ?? '',
      known.pools.map(({ name }) => name),
    ),
    ...computeUsableRange(known.network?.subnet ?? ''),
  }
  // The same request is sent again with its key, and another one with another key.
  const key = useRef({ of: '', id: '' })
  const createKey = (of: string): string => {
    if (key.current.of !== of) key.current = { of, id: crypto.randomUUID() }
    return key.current.id
  }
  /** @param reason why another one is wanted */
  const goOn = async (reason?: string) => {
    const present = ip ?? ''
    const other = pickAnother(await findNextIps(place, MOST_ASKED), present)
    if (other !== undefined) setChosen(other)
    const offer = other === undefined ? 'No other address is free.' : reason && `${other} is the next free one.`
    setMessage([reason, offer].filter(Boolean).join(' ') || undefined)
  }
  const another = useMutation({ mutationFn: goOn })
  const give = useMutation({
    mutationFn: (free: FreeIp) => {
      const { field } = proposing
      if (choice === 'new') return createDevice(free, { form, field, mayLookUp: may('search:read') })
      if (choice === 'reservation') return reserve(free, { form, pool: newPool, field })
      const deviceId = device?.id ?? ''
      return giveToDevice(free, { deviceId, form, field, key: createKey(JSON.stringify([free, deviceId, form])) })
    },
    onSuccess: ({ written, device: saved }, free) => {
      const done = {
        device: `Gave ${free.ip} to ${device?.name}`,
        new: `Created ${form.name.trim()} with ${free.ip}`,
        reservation: `Reserved ${free.ip}`,
      }
      const isShown = report(done[choice], written)
      if (saved && isShown && devices.state.get().status !== 'idle') devices.put([saved])
      for (const one of AFFECTED) void client.invalidateQueries({ queryKey: [one] })
      onClose()
    },
    onError: (error, free) => {
      if (isCode(error, 'IP_NOT_AVAILABLE')) another.mutate(`Someone was quicker: ${free.ip} is taken.`)
    },
  })
  const panel = useRef<HTMLDivElement>(null)
  const focusPanel = () => panel.current?.querySelector<HTMLElement>(FIRST_FIELD)?.focus()
  // The dialog has moved the focus to the first choice by then.
  useEffect(focusPanel, [])
  if (isWhole && ip !== undefined) {
    const { network_id = known.networkId, id = '' } = pool ?? {}
    const address = {
      ...{ ip, network_id, pool_id: id, space_id: known.network?.space_id ?? '', custom: form.custom },
    }
    return <LazyDeviceDrawer id={undefined} given={{ name: form.name }} address={address} onClose={onClose} />
  }
  const isTaken = isCode(give.error, 'IP_NOT_AVAILABLE')
  const errors = isTaken ? {} : getGiveErrors(give.error)
  const change = (fields: Partial<GiveForm>) => setForm({ ...form, ...fields })
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    setUnchosen(choice === 'device' && device === undefined)
    if (ip === undefined || give.isPending || another.isPending || (choice === 'device' && !device)) return
    setMessage(undefined)
    give.mutate({ ip, networkId: known.networkId, poolId: pool?.id, spaceId: known.network?.space_id ?? undefined })
  }
  const where = [
    given === undefined && chosen === undefined && 'next',
    `free${known.name && ` of ${known.name}`}${pool && pool !== known.pool ? `, in the pool ${pool.name}` : ''}`,
  ]
  const parts = { form, onChange: change, errors }
  const isUnknown = give.isError && !isTaken && Object.keys(errors).length === 0
  const noNext = next.error ? toAppError(next.error).message : another.error && toAppError(another.error).message
  return (
    <Dialog title={ip === undefined ? 'Next free address' : `Use ${ip}`} onClose={onClose}>
      <p className={css.note}>{isFull ? `${known.name} has no free address left.` : where.filter(Boolean).join(' ')}</p>
      {message !== undefined && <Alert isWarning>{message}</Alert>}
      {(isUnknown || noNext) && <Alert>{isUnknown ? toAppError(give.error).message : noNext}</Alert>}
      {isFull && place.kind === 'pool' && <OtherPools place={known} onLeave={onClose} />}
      {!isFull && (
        <form className={css.form} onSubmit={submit} noValidate>
          <fieldset className={css.choices}>
            <legend className="sr">Use it for</legend>
            {choices.map(([one, text]) => (
              <label key={one} className={css.choice}>
                <input
                  type="radio"
                  name="choice"
                  checked={one === choice}
                  onChange={() => {
                    give.reset()
                    setWanted(one)
                  }}
                />
                {text}
              </label>
            ))}
          </fieldset>
          <div ref={panel} className={css.panel}>
            {choice === 'device' && (
              <DevicePanel
                {...parts}
                device={device}
                onDevice={setDevice}
                problem={isUnchosen && !device ? 'Choose a device' : undefined}
              />
            )}
            {choice === 'new' && <NewDevicePanel {...parts} onWhole={() => setWhole(true)} />}
            {choice === 'reservation' && <ReservationPanel {...parts} newPool={pool ? undefined : newPool.name} />}
          </div>
          <div className={css.actions}>
            <Button look="quiet" onClick={() => another.mutate(undefined)} disabled={another.isPending}>
              Another address
            </Button>
            <Button onClick={onClose}>Cancel</Button>
            <SubmitButtons
              proposing={proposing}
              disabled={give.isPending || ip === undefined}
              action={choice === 'device' ? `Give to ${device?.name ?? 'a device'}` : ACTIONS[choice]}
            >
              <span aria-hidden="true">
                <kbd>⌃↵</kbd>
              </span>
            </SubmitButtons>
          </div>
        </form>
      )}
    </Dialog>
  )
}

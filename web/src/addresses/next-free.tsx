/** Asks for a network or a pool, and opens the dialog of its next free address. */
import { useQuery } from '@tanstack/react-query'
import { useDeferredValue, useEffect, useRef, useState } from 'react'
import { api } from '../api/client.ts'
import type { Contracts, Out } from '../api/contracts.ts'
import { type Choice, ChoiceField } from '../resource/form/choice-field.tsx'
import { freeIsOpen } from '../shell/palette-state.ts'
import { formatCount } from '../ui/format.ts'
import { Dialog, FIRST_FIELD } from '../ui/layers.tsx'
import { AddressDialog } from './address-dialog.tsx'
import type { Place } from './place.ts'

type Free = Out<Contracts['addresses']['free']>[number]

const NONE: readonly Free[] = []
const MOST_FOUND = 50

const close = () => freeIsOpen.set(false)

const toChoice = ({ kind, id, name, subnet, ip, available_ips }: Free): Choice => [
  `${kind} ${id}`,
  name,
  [kind, subnet, `next ${ip}`, `${formatCount(available_ips)} free`].join(' · '),
]

export const NextFree = () => {
  const [place, setPlace] = useState<Place>()
  const [text, setText] = useState('')
  const wanted = text.trim()
  const q = useDeferredValue(wanted)
  const { data = NONE, isPlaceholderData } = useQuery({
    queryKey: ['free-addresses', 'of all', q],
    queryFn: () => api.addresses.free({ ...(q && { q }), limit: MOST_FOUND }),
    placeholderData: (old) => old,
  })
  const isStale = q !== wanted || isPlaceholderData
  const content = useRef<HTMLDivElement>(null)
  // The code arrives after the palette has given the focus back.
  useEffect(() => content.current?.querySelector<HTMLElement>(FIRST_FIELD)?.focus(), [])
  if (place) return <AddressDialog place={place} onClose={close} />
  return (
    <Dialog title="Next free address" onClose={close}>
      <div ref={content}>
        <ChoiceField
          label="Network or pool"
          placeholder="A part of its name, or an address in it"
          value=""
          onChange={(chosen) => {
            const found = data.find(({ kind, id }) => chosen === `${kind} ${id}`)
            if (found) setPlace({ kind: found.kind, id: found.id })
          }}
          choices={isStale ? [] : data.map(toChoice)}
          onSearch={(typed) => setText(typed ?? '')}
          isSearching={isStale}
        />
      </div>
    </Dialog>
  )
}

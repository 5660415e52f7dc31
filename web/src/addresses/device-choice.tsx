/** The choice of a device by a part of its name or address. */
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { api } from '../api/client.ts'
import type { Device } from '../api/contracts.ts'
import { datacentersQuery } from '../api/queries.ts'
import { usePermit } from '../shell/me.ts'
import { Combobox, type Option } from '../ui/combobox.tsx'

const MOST_OFFERED = 8

export type ChosenDevice = { readonly id: string; readonly name: string }

type Props = {
  readonly value: ChosenDevice | undefined
  readonly onChange: (value: ChosenDevice) => void
  readonly error: string | undefined
}

const NONE: readonly Device[] = []

/** Returns true if a device of an older answer matches the present text as well. */
const hasWords = ({ name, addresses }: Device, text: string): boolean =>
  text
    .toLowerCase()
    .split(/\s+/)
    .every((word) => name.toLowerCase().includes(word) || addresses.some(({ ip }) => ip.includes(word)))

export const DeviceChoice = ({ value, onChange, error }: Props) => {
  const { may } = usePermit()
  const [text, setText] = useState('')
  const wanted = text.trim()
  const { data = NONE, isPlaceholderData } = useQuery({
    queryKey: ['find-device', wanted],
    queryFn: () => api.devices.search({ q: wanted, limit: MOST_OFFERED }),
    enabled: wanted !== '' && may('devices:list'),
    placeholderData: (old) => old,
  })
  const found = isPlaceholderData ? data.filter((device) => hasWords(device, wanted)) : data
  const { data: datacenters = [] } = useQuery({ ...datacentersQuery, enabled: may('datacenters:list') })
  const options = (wanted === '' ? NONE : found).map(({ id, name, addresses, datacenter_id }): Option => {
    const place = datacenters.find((one) => one.id === datacenter_id)?.name
    const note = [addresses[0]?.ip, place].filter(Boolean).join(', ')
    return { id, text: name, note: <span className="muted truncate">{note}</span> }
  })
  return (
    <Combobox
      label="Device"
      listLabel="Devices"
      placeholder="A part of its name or address"
      value={value?.name ?? ''}
      options={options}
      onType={(typed) => setText(typed ?? '')}
      onChoose={({ id, text: name }) => onChange({ id, name })}
      error={error}
      none={!isPlaceholderData && found.length === 0 ? 'No device matches.' : undefined}
    />
  )
}

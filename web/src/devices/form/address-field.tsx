/** One address of a device in its form: typed, or the next free one of a pool or a network. */
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { parseIp } from '../../../../src/net/ip.ts'
import { findNextIps } from '../../addresses/place.ts'
import { api } from '../../api/client.ts'
import type { Contracts, Lookup, Out } from '../../api/contracts.ts'
import { networksQuery } from '../../api/queries.ts'
import { usePermit } from '../../shell/me.ts'
import { useSpaces } from '../../spaces/known-spaces.tsx'
import { Combobox, type Option } from '../../ui/combobox.tsx'
import { formatCount } from '../../ui/format.ts'
import { toastError } from '../../ui/toast.tsx'
import type { AddressForm } from './address-form.ts'

type Free = Out<Contracts['addresses']['free']>[number]

/** More than these are not counted by a reader. */
const MOST_COUNTED = 2 ** 32

/** Returns true for a text that may become an address; a word finds pools and networks by their names. */
const isAddressLike = (text: string): boolean => /^[\da-f]*[.:][\da-f.:]*$|^\d*$/i.test(text.trim())

/** @param network its name */
const formatFree = ({ kind, name, available_ips }: Free, network: string): string =>
  [
    `next free of ${name}`,
    ...(kind === 'pool' && network !== '' ? [network] : []),
    ...(available_ips < MOST_COUNTED ? [`${formatCount(available_ips)} free`] : []),
  ].join(', ')

/** @example 'used by ams-web-1' */
const formatKnown = ({ state, devices = [], networks = [], pools = [] }: Lookup): string => {
  const where = [pools[0]?.name, networks[0]?.name].filter(Boolean).join(', ')
  const place = where === '' ? '' : `, in ${where}`
  if (state === 'assigned') return `used by ${devices[0]?.name ?? 'a device'}`
  if (state === 'reserved') return `reserved${place}`
  if (state === 'network_address' || state === 'broadcast_address') return `${state.replace('_', ' ')}${place}`
  if (state === 'outside') return 'in no network'
  return `free${place}`
}

type Props = {
  readonly label: string
  readonly address: AddressForm
  readonly datacenterId: string
  /** The other addresses of the form, which are not given twice. */
  readonly others: readonly string[]
  readonly onChange: (fields: Partial<AddressForm>) => void
  readonly error: string | undefined
}

export const AddressField = ({ label, address, datacenterId, others, onChange, error }: Props) => {
  const { may } = usePermit()
  /** Undefined while the user is not typing. */
  const [text, setText] = useState<string>()
  const wanted = text === address.ip && text !== '' && text === address.stored?.ip ? undefined : text?.trim()
  const hasSpaces = useSpaces().length > 0
  const space = hasSpaces ? { space_id: address.space_id || 'default' } : {}
  const { data: found = [], isPlaceholderData } = useQuery({
    queryKey: ['free-addresses', wanted, datacenterId, address.space_id],
    queryFn: () =>
      api.addresses.free({
        ...(wanted && { q: wanted }),
        ...(datacenterId && { datacenter_id: datacenterId }),
        ...(wanted && isAddressLike(wanted) ? space : {}),
      }),
    enabled: wanted !== undefined && (may('pools:list') || may('networks:list')),
  })
  const { data: networks = [] } = useQuery({ ...networksQuery, enabled: text !== undefined && may('networks:list') })
  const typed = parseIp(address.ip.trim()) && address.ip !== address.stored?.ip ? address.ip.trim() : undefined
  const { data: known } = useQuery({
    queryKey: ['lookup', typed, address.space_id],
    queryFn: () => api.lookup.show({ query: typed ?? '', ...space }),
    enabled: typed !== undefined && may('search:read'),
  })
  const options = (isPlaceholderData || wanted === undefined ? [] : found).map((one): Option => {
    const network = networks.find(({ id }) => id === one.network_id)?.name ?? one.subnet
    return {
      id: `${one.kind} ${one.id}`,
      text: one.ip,
      note: <span className="muted truncate">{formatFree(one, network)}</span>,
    }
  })
  const choose = async (free: Free) => {
    try {
      const ips = others.includes(free.ip) ? await findNextIps(free, others.length + 1) : [free.ip]
      onChange({
        ip: ips.find((ip) => !others.includes(ip)) ?? free.ip,
        network_id: free.network_id,
        pool_id: free.kind === 'pool' ? free.id : '',
        space_id: free.space_id ?? '',
      })
    } catch (failure) {
      toastError('No free address', failure)
    }
  }
  return (
    <Combobox
      label={label}
      listLabel="Free addresses"
      placeholder="An address, or a part of a pool or a network"
      value={address.ip}
      options={options}
      isFree={text === undefined || isAddressLike(text)}
      onType={(next) => {
        setText(next)
        // A typed address may lie in another network; the server finds it.
        if (next !== undefined && next !== address.ip && isAddressLike(next))
          onChange({ ip: next, network_id: '', pool_id: '' })
      }}
      onChoose={({ id }) => {
        const free = found.find((one) => `${one.kind} ${one.id}` === id)
        if (free) void choose(free)
      }}
      error={error}
      hint={known && formatKnown(known)}
      none={
        wanted && !isAddressLike(wanted) && !isPlaceholderData
          ? 'No pool and no network has a free address.'
          : undefined
      }
    />
  )
}

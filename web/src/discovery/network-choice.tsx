/** A form field that selects a network by a part of its name or subnet, because the list may be long. */
import { useQuery } from '@tanstack/react-query'
import { useCallback, useState } from 'react'
import { cidrHolds, parseCidr } from '../../../src/net/cidr.ts'
import { parseIp } from '../../../src/net/ip.ts'
import type { Network } from '../api/contracts.ts'
import { networksQuery } from '../api/queries.ts'
import { usePermit } from '../shell/me.ts'
import { SpaceBadge, useSpaces } from '../spaces/known-spaces.tsx'
import { Combobox } from '../ui/combobox.tsx'

const MOST = 30
const NONE: readonly Network[] = []

export const useNetworks = (): readonly Network[] => {
  const { may } = usePermit()
  return useQuery({ ...networksQuery, enabled: may('networks:list') }).data ?? NONE
}

type LabelOf = (network: Network) => string

/** Returns the label of a network: its name, its subnet, and its address space unless that is the default one. */
export const useNetworkLabel = (): LabelOf => {
  const spaces = useSpaces()
  return useCallback(
    ({ name, subnet, space_id }) => {
      const space = space_id === undefined ? [] : [spaces.find(({ id }) => id === space_id)?.name ?? space_id]
      return [name, subnet, ...space].join(' · ')
    },
    [spaces],
  )
}

/** Filters networks. An address matches the networks that contain it. */
const filterMatching = (networks: readonly Network[], text: string, labelOf: LabelOf): Network[] => {
  const ip = parseIp(text)
  const words = text.toLowerCase().split(/\s+/)
  const isHit = (network: Network): boolean => {
    const cidr = ip && parseCidr(network.subnet)
    if (ip && cidr) return cidrHolds(cidr, ip)
    return words.every((word) => labelOf(network).toLowerCase().includes(word))
  }
  return networks.filter(isHit).slice(0, MOST)
}

type Props = {
  readonly value: string
  readonly onChange: (id: string) => void
  readonly error?: string | undefined
}

export const NetworkChoice = ({ value, onChange, error }: Props) => {
  const networks = useNetworks()
  const labelOf = useNetworkLabel()
  /** Undefined while the user is not typing. Then the field shows the selected network. */
  const [text, setText] = useState<string>()
  const chosen = networks.find(({ id }) => id === value)
  const found = text === undefined ? [] : filterMatching(networks, text.trim(), labelOf)
  return (
    <Combobox
      label="Network"
      listLabel="Networks"
      isRequired
      placeholder="A part of its name, its subnet, or an address"
      value={chosen ? labelOf(chosen) : value}
      options={found.map((network) => ({
        id: network.id,
        text: network.name,
        note: (
          <>
            <span className="mono muted">{network.subnet}</span>
            <SpaceBadge space_id={network.space_id} />
          </>
        ),
      }))}
      onType={setText}
      onChoose={({ id }) => onChange(id)}
      error={error}
      none="No network has this name."
    />
  )
}

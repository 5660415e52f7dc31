/** The networks that discovery names. */
import { useQuery } from '@tanstack/react-query'
import { useCallback } from 'react'
import type { Network } from '../api/contracts.ts'
import { networksQuery } from '../api/queries.ts'
import { usePermit } from '../shell/me.ts'
import { useSpaces } from '../spaces/known-spaces.tsx'

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

/** The queries of scanners. */
import { queryOptions } from '@tanstack/react-query'
import { callTagged } from '../api/client.ts'
import { type Contracts, contracts, type Out } from '../api/contracts.ts'
import { buildListQuery } from '../resource/facts/lists.ts'

export type Scanner = Out<Contracts['scanners']['get']>
/** A new scanner, with the token that is shown once. */
export type NewScanner = Out<Contracts['scanners']['create']>

/** The live feed tells of changes of state. The numbers of scans and reports have no events. */
const NUMBERS_MS = 30_000

export const scannersQuery = queryOptions({ ...buildListQuery('scanners'), refetchInterval: NUMBERS_MS })

export const scannerQuery = (id: string) =>
  queryOptions({
    queryKey: ['scanner', id],
    queryFn: () => callTagged(contracts.scanners.get, { id }),
    refetchInterval: NUMBERS_MS,
  })

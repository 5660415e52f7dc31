/** Addresses on no device become reservations, in the pools that hold them or in pools that are made for them. */
import { type Cidr, getNetworkAndBroadcast } from '../../net/cidr.ts'
import { formatIp, type Ip } from '../../net/ip.ts'
import type { EstateRow } from '../converter.ts'
import { compact } from './row-text.ts'

export type ReservedNetwork = { readonly cidr: Cidr; readonly ref: object; readonly key: string }

/** Makes a pool `addresses` for each network that needs one. */
export class AddressPools {
  readonly rows: EstateRow[] = []
  readonly #source: string
  readonly #made = new Map<string, object>()

  /** @param source the name of the program in refs */
  constructor(source: string) {
    this.#source = source
  }

  /** Returns a reference to the pool over the usable range of a network. */
  of({ cidr, ref, key }: ReservedNetwork): object {
    const known = this.#made.get(key)
    if (known) return known
    const { family, first, last } = cidr
    const edge = getNetworkAndBroadcast(cidr) ? 1n : 0n
    const id = `${key}.addresses`
    this.rows.push({
      name: 'addresses',
      network: ref,
      start_ip: formatIp({ family, value: first + edge }),
      end_ip: formatIp({ family, value: last - edge }),
      refs: { [this.#source]: id },
    })
    const pool = { ref: `${this.#source}:${id}` }
    this.#made.set(key, pool)
    return pool
  }
}

/** An address in its network. `key` is that of `taken` and `reserved`: the address in its address space. */
type Wanted = { readonly ip: Ip; readonly key: string; readonly cidr: Cidr }

/** Returns why an address can't be reserved; undefined if it can. */
export const checkReservation = (
  { ip, key, cidr }: Wanted,
  { taken, reserved }: { readonly taken: ReadonlySet<string>; readonly reserved: ReadonlySet<string> },
): string | undefined => {
  const edges = getNetworkAndBroadcast(cidr)
  if (edges && (edges.network.value === ip.value || edges.broadcast.value === ip.value))
    return 'is a network or broadcast address'
  if (taken.has(key)) return 'is an address of a device'
  return reserved.has(key) ? 'is reserved already' : undefined
}

type Reservation = {
  readonly pool: object
  readonly ip: string
  readonly hostname: string
  readonly mac_address?: string | undefined
  readonly purpose: string
  readonly notes: string
  readonly custom?: Readonly<Record<string, unknown>> | undefined
  readonly refs: object
}

export const buildReservationRow = ({ pool, ip, ...fields }: Reservation): EstateRow =>
  compact({ pool, ip_address: ip, ...fields })

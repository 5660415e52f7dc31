/** The contents that a split or a merge moves, in words. */
import { plural } from '../../ui/format.ts'

type Moved = { readonly pools: number; readonly reservations: number; readonly addresses: number }

export const formatMoved = ({ pools, reservations, addresses }: Moved): string =>
  pools + addresses === 0
    ? 'No pool and no address moves.'
    : `${plural(pools, 'pool')} with ${plural(reservations, 'reservation')} and ${plural(addresses, 'address', 'addresses')} move.`
